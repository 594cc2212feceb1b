/** Monaco, loaded only when an editor is opened, with the JSON5 colours and the panel's tokens. */

import * as monaco from "monaco-editor/editor/editor.api.js";
import "monaco-editor/features/codicon/register.js";
import "monaco-editor/editor/contrib/find/browser/findController.js";
import "monaco-editor/editor/contrib/folding/browser/folding.js";
import "monaco-editor/editor/contrib/comment/browser/comment.js";
import EditorWorker from "monaco-editor/editor/editor.worker.js?worker";

export type { editor } from "monaco-editor/editor/editor.api.js";

let isReady = false;

/** @returns the editor library, set up once */
export function loadedMonaco(): typeof monaco {
  if (isReady) return monaco;
  isReady = true;
  (self as { MonacoEnvironment?: { getWorker: () => Worker } }).MonacoEnvironment = {
    getWorker: () => new EditorWorker(),
  };
  monaco.languages.register({ id: "json5" });
  monaco.languages.setLanguageConfiguration("json5", {
    comments: { lineComment: "//", blockComment: ["/*", "*/"] },
    // No `brackets`: the tree behind matched and coloured pairs may read tokens before a change has settled, and then
    // never ends. Pairs are told apart by their place.
    autoClosingPairs: [
      { open: "{", close: "}" },
      { open: "[", close: "]" },
      { open: '"', close: '"' },
    ],
  });
  monaco.languages.setMonarchTokensProvider("json5", {
    tokenizer: {
      root: [
        [/\/\/.*$/, "comment"],
        [/\/\*/, "comment", "@block"],
        [/("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[A-Za-z_$][\w$]*)(?=\s*:)/, "key"],
        [/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/, "string"],
        [/[+-]?(?:\d[\d.eExXa-fA-F]*|Infinity|NaN)/, "number"],
        [/\b(?:true|false|null)\b/, "keyword"],
      ],
      block: [
        [/\*\//, "comment", "@pop"],
        [/./, "comment"],
      ],
    },
  });
  return monaco;
}

/** Makes Monaco's theme from the tokens that count now; call again when the theme changes. */
export function applyEditorTheme(): void {
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => style.getPropertyValue(name).trim();
  const hex = (name: string) => token(name).slice(1);
  const isDark = style.colorScheme.includes("dark");
  monaco.editor.defineTheme("sallyport", {
    base: isDark ? "vs-dark" : "vs",
    inherit: true,
    rules: [
      { token: "", foreground: hex("--ink") },
      { token: "comment", foreground: hex("--ink3") },
      { token: "key", foreground: hex("--ink") },
      { token: "string", foreground: hex("--run") },
      { token: "number", foreground: hex("--run") },
      { token: "keyword", foreground: hex("--run") },
    ],
    colors: {
      "editor.background": token("--sunk"),
      "editor.foreground": token("--ink"),
      "editorLineNumber.foreground": token("--ink3"),
      "editorLineNumber.activeForeground": token("--ink"),
      "editor.lineHighlightBackground": token("--panel"),
      "editor.selectionBackground": token("--sel"),
      "diffEditor.insertedTextBackground": `${token("--keep")}33`,
      "diffEditor.removedTextBackground": `${token("--stop")}33`,
      "diffEditor.insertedLineBackground": token("--keep-bg"),
      "diffEditor.removedLineBackground": token("--stop-bg"),
    },
  });
  monaco.editor.setTheme("sallyport");
}
