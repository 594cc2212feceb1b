/** A JSON5 text editor, or a diff of two texts. The editor's code arrives with this file, which is loaded lazily. */

import { useEffect, useRef } from "react";
import { applyEditorTheme, type editor, loadedMonaco } from "./monaco.ts";

const shared: editor.IEditorOptions = {
  automaticLayout: true,
  minimap: { enabled: false },
  fontFamily: "Iosevka, ui-monospace, monospace",
  fontSize: 12.5,
  lineHeight: 19,
  scrollBeyondLastLine: false,
  renderLineHighlight: "line",
  fontLigatures: false,
  matchBrackets: "never",
  // Surrounding a selection is two edits in one step; here they leave old tokens on new text, and nothing is drawn any more.
  autoSurround: "never",
  guides: { bracketPairs: false, indentation: true },
  unicodeHighlight: { ambiguousCharacters: true, invisibleCharacters: true },
  // Links in a config are text until somebody copies them.
  links: false,
  wordWrap: "on",
  wrappingIndent: "deepIndent",
  lineNumbersMinChars: 3,
};

export interface EditorProblem {
  line: number;
  column: number;
  message: string;
}

export default function TextEditor(props: {
  value: string;
  label: string;
  problems: readonly EditorProblem[];
  isReadOnly?: boolean;
  /** Line to bring into sight and mark, counted from 1. */
  revealLine?: number | null;
  onChange: (text: string) => void;
}) {
  const host = useRef<HTMLDivElement>(null);
  const instance = useRef<editor.IStandaloneCodeEditor | null>(null);
  const onChange = useRef(props.onChange);
  onChange.current = props.onChange;
  const initial = useRef(props.value);
  const label = useRef(props.label);
  const told = useRef(props.value);
  useEffect(() => {
    if (host.current === null) return;
    const monaco = loadedMonaco();
    applyEditorTheme();
    const created = monaco.editor.create(host.current, {
      ...shared,
      value: initial.current,
      language: "json5",
      ariaLabel: label.current,
      tabFocusMode: false,
    });
    withoutPairs(created.getModel());
    instance.current = created;
    let isTold = true;
    // Told when the editor has finished with the change: who marks lines from within it finds old tokens on new text.
    const listening = created.onDidChangeModelContent(() => {
      if (!isTold) return;
      isTold = false;
      queueMicrotask(() => {
        isTold = true;
        if (instance.current !== created) return;
        told.current = created.getValue();
        onChange.current(told.current);
      });
    });
    const themes = watchTheme();
    return () => {
      listening.dispose();
      themes();
      created.getModel()?.dispose();
      created.dispose();
      instance.current = null;
    };
  }, []);
  useEffect(() => {
    const current = instance.current;
    // What the editor itself has told comes back later; by then it may hold newer text.
    if (current === null || props.value === told.current) return;
    told.current = props.value;
    if (current.getValue() !== props.value) current.setValue(props.value);
  }, [props.value]);
  const { isReadOnly = false, revealLine = null } = props;
  useEffect(() => {
    instance.current?.updateOptions({ readOnly: isReadOnly, domReadOnly: isReadOnly });
  }, [isReadOnly]);
  useEffect(() => {
    const current = instance.current;
    const model = current?.getModel();
    if (!current || !model || revealLine === null || revealLine > model.getLineCount()) return;
    current.revealLineInCenter(revealLine);
    current.setPosition({
      lineNumber: revealLine,
      column: model.getLineFirstNonWhitespaceColumn(revealLine) || 1,
    });
    const marks = current.createDecorationsCollection([
      {
        range: new (loadedMonaco().Range)(revealLine, 1, revealLine, 1),
        options: {
          isWholeLine: true,
          className: "policy-marked-line",
          linesDecorationsClassName: "policy-marked-edge",
        },
      },
    ]);
    return () => marks.clear();
  }, [revealLine]);
  useEffect(() => {
    const model = instance.current?.getModel();
    if (!model) return;
    const monaco = loadedMonaco();
    monaco.editor.setModelMarkers(
      model,
      "policy",
      props.problems.map(({ line, column, message }) => ({
        severity: monaco.MarkerSeverity.Error,
        startLineNumber: line,
        startColumn: column,
        endLineNumber: line,
        endColumn: model.getLineMaxColumn(Math.min(line, model.getLineCount())),
        message,
      })),
    );
  }, [props.problems]);
  return <div ref={host} className="policy-editor" />;
}

export function TextDiff(props: { before: string; after: string; label: string }) {
  const host = useRef<HTMLDivElement>(null);
  const { before, after, label } = props;
  useEffect(() => {
    if (host.current === null) return;
    const monaco = loadedMonaco();
    applyEditorTheme();
    const created = monaco.editor.createDiffEditor(host.current, {
      ...shared,
      readOnly: true,
      renderSideBySide: false,
      renderOverviewRuler: false,
      ariaLabel: label,
      hideUnchangedRegions: { enabled: true, contextLineCount: 3 },
    });
    const original = monaco.editor.createModel(before, "json5");
    const modified = monaco.editor.createModel(after, "json5");
    withoutPairs(original);
    withoutPairs(modified);
    created.setModel({ original, modified });
    const themes = watchTheme();
    return () => {
      themes();
      created.dispose();
      original.dispose();
      modified.dispose();
    };
  }, [before, after, label]);
  return <div ref={host} className="policy-editor" />;
}

/** See the language configuration: a model without a tree of brackets. */
function withoutPairs(model: editor.ITextModel | null): void {
  model?.updateOptions({
    bracketColorizationOptions: { enabled: false, independentColorPoolPerBracketType: false },
  });
}

/** The theme of the document may change by setting or by the system while an editor is open. */
function watchTheme(): () => void {
  const observer = new MutationObserver(applyEditorTheme);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  const media = window.matchMedia("(prefers-color-scheme: dark)");
  media.addEventListener("change", applyEditorTheme);
  return () => {
    observer.disconnect();
    media.removeEventListener("change", applyEditorTheme);
  };
}
