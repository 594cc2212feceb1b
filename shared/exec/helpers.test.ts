import { describe, expect, test } from "vitest";
import {
  allExecHardening,
  analyzeCommand,
  buildHostEnv,
  checkScriptText,
  chunkOutput,
  compileAllowlist,
  detectObfuscation,
  displayCommand,
  encodeKeys,
  encodePaste,
  entryFindings,
  escapeForDisplay,
  execHardening,
  findPreflightTarget,
  findSelfApproval,
  inspectText,
  sanitizeOutput,
  stripCursorQueries,
  trackCursorMode,
} from "./index.ts";
import { createTestLookup, testOptions } from "./testLookup.ts";

describe("keys", () => {
  test("plain cursor keys wait until the terminal's mode is known", () => {
    expect(encodeKeys({ keys: ["Up", "C-Up", "PageUp"], cursorMode: "unknown" })).toEqual({
      data: "\u001b[1;5A\u001b[5~",
      warnings: [],
      refusedKeys: ["Up"],
    });
    expect(trackCursorMode("unknown", "x\u001b[?1h y \u001b[?1l")).toBe("normal");
    expect(trackCursorMode("normal", "plain")).toBe("normal");
  });

  test("a paste cannot end its own bracket", () => {
    expect(encodePaste("a\u001b[201~b", true)).toBe("\u001b[200~ab\u001b[201~");
  });
});

describe("output", () => {
  test("control and format characters go, text stays", () => {
    expect(sanitizeOutput("a\u0000\u001b[31m\tb\r\nc\u200b\u202e😀\ud800")).toBe("a[31m\tb\r\nc😀");
    expect(chunkOutput(`${"a".repeat(8191)}😀b`).map((chunk) => chunk.length)).toEqual([8191, 3]);
    expect(stripCursorQueries("a\u001b[6nb\u001b[?6n")).toEqual({
      text: "ab",
      answers: ["\u001b[1;1R", "\u001b[1;1R"],
    });
  });
});

describe("display", () => {
  test("the pieces join to the text, odd characters have names", () => {
    const text = "rm a\u200b \u202ex p\u0430ss ok 👨‍👩‍👧 ❤️";
    const tokens = displayCommand(text);
    expect(tokens.map((token) => token.text).join("")).toBe(text);
    expect(tokens.flatMap((token) => (token.kind === "oddity" ? [token.name] : []))).toEqual([
      "U+200B ZERO WIDTH SPACE",
      "U+202E RIGHT-TO-LEFT OVERRIDE",
    ]);
    const word = tokens.find((token) => token.kind === "mixedWord");
    expect(word?.kind === "mixedWord" && word.letters.map((one) => one.script)).toEqual(["Cyrillic"]);
    expect(escapeForDisplay("a\u200bb")).toBe("a\\u{200b}b");
  });

  test("full-width letters, digits and the signs of hosts and options are odd in a command", () => {
    for (const text of ["foo ｓｈ", "curl acme．dev", "rm －rf x", "echo １２"])
      expect(
        inspectText(text).mixedScript.map((one) => one.letters[0]?.script),
        text,
      ).toEqual(["Fullwidth"]);
  });

  test("ordinary text in any language raises nothing", () => {
    for (const text of [
      "echo 你好 abc中文",
      "echo пароль",
      "echo café",
      "echo ネットabc",
      "git commit -m '修复：重试，见 #12（已测试）'",
      "echo 完成！ok，next；中文／English",
    ]) {
      const warnings = inspectText(text);
      expect([warnings.invisible.length, warnings.hostileSigns.length], text).toEqual([0, 0]);
      expect(
        warnings.mixedScript.filter((one) => !one.wholeWord),
        text,
      ).toEqual([]);
    }
  });
});

describe("allowlist patterns", () => {
  test("judging costs the same with ten and ten thousand exact entries", () => {
    const many = Array.from({ length: 10_000 }, (_, index) => ({
      agentId: "main",
      pattern: `/opt/p${index}`,
    }));
    const list = compileAllowlist(many, { home: "/h", platform: "linux" });
    const started = performance.now();
    for (let round = 0; round < 100_000; round += 1) list.match("/opt/p9999");
    expect(performance.now() - started).toBeLessThan(500);
    expect(list.match("/opt/p9999")?.pattern).toBe("/opt/p9999");
  });

  test("the first matching entry is named, whatever its kind", () => {
    const rules = ["/a/*", "/a/x", "*"].map((pattern) => ({ agentId: "main", pattern }));
    const list = compileAllowlist(rules, { home: "/h", platform: "linux" });
    expect(list.match("/a/x")?.pattern).toBe("/a/*");
    expect(list.match("/b")?.pattern).toBe("*");
    expect(list.match(null)?.pattern).toBe("*");
  });

  test("findings say what is wrong with an entry", () => {
    const options = {
      home: "/h",
      platform: "linux" as const,
      lookup: createTestLookup(["/bin/foo", "/bin/python3.11"], { "/bin/l": "/real/l" }),
    };
    const codes = (pattern: string): string[] => entryFindings(pattern, options).map((one) => one.code);
    expect(codes("foo")).toEqual(["neverMatches"]);
    expect(codes("*")).toEqual(["tooBroad"]);
    expect(codes("/**")).toEqual(["tooBroad"]);
    expect(codes("/bin/foo")).toEqual([]);
    expect(codes("/bin/foo --safe")).toEqual(["neverMatches"]);
    expect(codes("/bin/python3.11")).toEqual(["runsOthers"]);
    expect(codes("/usr/bin/bash")).toEqual(["runsOthers", "fileMissing"]);
    expect(codes("/usr/bin/xargs")).toContain("runsOthers");
    expect(codes("/bin/l")).toEqual(["realPathNotListed"]);
  });
});

describe("hostile input", () => {
  test.each([
    ["blanks", " ".repeat(60_000)],
    ["line breaks", "\n".repeat(60_000)],
    ["quotes", "'\"".repeat(30_000)],
    ["openers", "$'".repeat(30_000)],
    ["pipes", "| sudo -a ".repeat(6000)],
    ["brackets", "((((''''".repeat(8000)],
    ["nested words", `approvals ${"\"a 'b (c ".repeat(6000)}`],
    ["mixed alphabets", "p\u0430".repeat(30_000)],
  ])("%s are read in bounded time", (_name, text) => {
    const started = performance.now();
    inspectText(text);
    displayCommand(text);
    findSelfApproval(text, allExecHardening);
    detectObfuscation(text.slice(0, 10_000), allExecHardening);
    analyzeCommand(text, testOptions(allExecHardening));
    expect(performance.now() - started).toBeLessThan(2000);
  });
});

describe("environment and preflight", () => {
  test("more names are refused by rule, with one message for all", () => {
    const result = buildHostEnv({}, { PATH: "/x", RUSTC_WRAPPER: "x", "a-b": "1" }, allExecHardening);
    expect(result).toMatchObject({ ok: false, blocked: ["PATH", "RUSTC_WRAPPER"], invalid: ["a-b"] });
    expect(result.message).toContain("pathPrepend");
    expect(buildHostEnv({ __proto__x: "1" }, { FOO: "1" }, allExecHardening).ok).toBe(true);
  });

  test("shell variables in a script are named with their line", () => {
    const options = testOptions(allExecHardening);
    const target = findPreflightTarget(analyzeCommand("python3 -u x.py a", options), options);
    expect(target).toEqual({ language: "python", path: "/ws/x.py" });
    if (target === null) return;
    expect(checkScriptText(target, "a = 1\nprint($HOME_DIR)")).toContain("line 2");
    expect(checkScriptText(target, "price = '$5'")).toBeNull();
    expect(findPreflightTarget(analyzeCommand("bash x.py", options), options)).toBeNull();
  });
});

test("every rule has a unique id and three sentences", () => {
  expect(new Set(execHardening.map((rule) => rule.id)).size).toBe(execHardening.length);
  for (const rule of execHardening) {
    expect(rule.id).toMatch(/^exec\.[a-zA-Z]+$/);
    expect(rule.reference).toMatch(/\.$/);
    expect(rule.sallyport).toMatch(/\.$/);
  }
});
