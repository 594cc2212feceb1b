import { describe, expect, it } from "vitest";
import type { ApprovalRequest } from "../../shared/contract/index.ts";
import { print } from "./context.ts";
import { safeText } from "./io.ts";
import { requestLines, requestSummary } from "./requestText.ts";

const request: ApprovalRequest = {
  id: "0123456789abcdef",
  digest: "d".repeat(64),
  kind: "exec",
  agentId: "main",
  sessionKey: "agent:main:main",
  callerId: "mcp:x",
  callerLabel: "good\u001b[2Kname",
  toolCallId: "t",
  command: "echo one\necho \u202etwo",
  segments: null,
  analysisProblem: { reason: { code: "lineBreak", params: {} }, start: 8, end: 9 },
  runsAs: { kind: "typed", shell: "/bin/bash" },
  host: "gateway",
  cwd: "/home/me",
  env: [{ name: "TOKEN", shown: "secret (40)", isMasked: true }],
  pty: false,
  background: true,
  timeoutMs: 60_000,
  askedBecause: [{ code: "notAnalyzable", params: {} }],
  warnings: [{ level: "danger", reason: { code: "invisibleCharacters", params: { count: 1 } } }],
  rule: { security: "allowlist", ask: "on-miss", sources: [] },
  always: { kind: "withheld", reason: { code: "notAnalyzable", params: {} } },
  createdAtMs: 0,
  expiresAtMs: Date.now() + 60_000,
  onExpiry: "deny",
  joinedCount: 1,
};

it("shows every fact of a request, and no character that a terminal would obey", () => {
  const text = requestLines(request).join("\n");
  for (const fact of [
    "good",
    "echo one",
    "/bin/bash",
    "/home/me",
    "TOKEN",
    "background",
    "60 s",
    "danger",
    request.digest,
  ]) {
    expect(text).toContain(fact);
  }
  expect(text).toContain("\\u{1b}[2K");
  expect(text).toContain("\\u{202e}two");
  expect(text).not.toMatch(/[\u001b\u202e]/);
});

describe("a call of an MCP tool", () => {
  const facts =
    "everything__get-sum\nserver: everything\ntool: get-sum\ntarget: npx everything\narguments:\n";
  const callOf = (args: string): ApprovalRequest => ({
    ...request,
    kind: "mcpCall",
    cwd: "",
    command: facts + args,
  });

  it("is listed on one line with its arguments", () => {
    expect(requestSummary(callOf('{\n  "a": 2,\n  "b": 3\n}'))).toMatch(
      / {2}everything__get-sum of server everything {2}\{"a":2,"b":3\}$/,
    );
    const marked = requestSummary(callOf('{\n  "a": "\\u{202e}\u001b[2K"\n}'));
    expect(marked).toContain('{ "a": "\\u{202e}\\u{1b}[2K" }');
    expect(requestSummary(callOf(JSON.stringify({ a: "z".repeat(900) })))).toMatch(/… 748 more characters$/);
  });

  it("is shown as a whole where somebody decides, with its own rule and no folder", () => {
    const lines = requestLines(callOf(JSON.stringify({ a: "z".repeat(900) })));
    expect(lines.join("\n")).toContain("z".repeat(900));
    expect(lines).toContain("  rule      mcp.callsAsk");
    expect(lines.filter((line) => /^ {2}in /.test(line))).toEqual([]);
  });
});

it("keeps a summary on one line", () => {
  expect(requestSummary(request)).not.toContain("\n");
  expect(safeText("a\tb\u0000\u200b\u00ad")).toBe("a\\u{9}b\\u{0}\\u{200b}\\u{ad}");
});

it("cannot be made to draw on the terminal by a word that a reason quotes", () => {
  const drawing = "\u001b]0;title\u0007\u009b2J";
  const text = requestLines({
    ...request,
    askedBecause: [{ code: "safeBinArgument", params: { word: drawing } }],
    warnings: [{ level: "warn", reason: { code: "grantFileChanged", params: { path: drawing } } }],
  }).join("\n");
  expect(text).not.toMatch(/[\u001b\u0007\u009b]/);
});

it("cannot be made to show a line of its own by a line break in a value, a folder or a reason", () => {
  const forged = "x\n  command   ls\n  digest    0000";
  const lines = requestLines({
    ...request,
    cwd: forged,
    callerLabel: forged,
    env: [{ name: "A", shown: forged, isMasked: false }],
    askedBecause: [{ code: "allowlistMiss", params: { path: forged } }],
  });
  expect(lines.filter((line) => /^ {2}(?:command|digest) /m.test(line))).toHaveLength(2);
});

it("prints JSON that means the same and holds no character that a terminal would obey", () => {
  let printed = "";
  const value = { a: "\u009b2J\u202e\u{e0041}\u007f" };
  const io = { stdout: (text: string) => (printed += text) };
  print({ io } as unknown as Parameters<typeof print>[0], true, value, []);
  expect(printed).toMatch(/^[ -~\n]*$/);
  expect(JSON.parse(printed)).toEqual(value);
});
