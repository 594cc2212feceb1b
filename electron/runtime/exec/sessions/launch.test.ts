import { mkdtempSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { ExecSessions } from "./execSessions.ts";
import { quoteChain, runPlanFrom } from "./launch.ts";
import { createTestSessions, shellRequest } from "./testSupport.ts";
import type { ChainLink } from "./types.ts";

const opened: ExecSessions[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((sessions) => sessions.dispose()));
});

function runInTerminal(chain: ChainLink[]) {
  const sessions = createTestSessions();
  opened.push(sessions);
  return sessions.start({
    ...shellRequest("test", { pty: true, timeoutMs: 15_000 }),
    plan: { kind: "argv", chain },
  });
}

describe("quoteChain", () => {
  it("quotes every word, keeps operators, and names programs with several faces", () => {
    const chain: ChainLink[] = [
      {
        op: null,
        pipeline: [
          { file: "/bin/echo", argv: ["echo", "$HOME", "it's", ""] },
          { file: "/bin/cat", argv: ["/usr/bin/cat"], env: { A: "1 2" } },
        ],
      },
      { op: "||", pipeline: [{ file: "/bin/busybox", argv: ["ls", "-l"] }] },
    ];
    expect(quoteChain(chain)).toBe(
      "'/bin/echo' '$HOME' 'it'\"'\"'s' '' | A='1 2' '/bin/cat' || (exec -a 'ls' '/bin/busybox' '-l')",
    );
  });

  it("refuses an environment name that is shell text", () => {
    const chain: ChainLink[] = [
      { op: null, pipeline: [{ file: "/bin/true", argv: ["true"], env: { "a;b": "x" } }] },
    ];
    expect(() => quoteChain(chain)).toThrow("cannot be used");
  });
});

describe("an argv plan in a terminal", () => {
  const echo = (...words: string[]) => ({ file: "/bin/echo", argv: ["echo", ...words] });

  it("runs one program directly, with literal words", async () => {
    const result = await runInTerminal([{ op: null, pipeline: [echo("$HOME", "*", "a  b")] }]);
    expect(result.text).toBe("$HOME * a  b");
  });

  it("runs several as quoted text with the same meaning", async () => {
    const result = await runInTerminal([
      { op: null, pipeline: [echo("b\\na"), { file: "/bin/cat", argv: ["cat"] }] },
      { op: "&&", pipeline: [{ file: "/bin/false", argv: ["false"] }] },
      { op: "||", pipeline: [echo("$(id)", "`id`", "'")] },
    ]);
    expect(result.text.split(/\r?\n/)).toContain("$(id) `id` '");
    expect(result.details).toMatchObject({ status: "completed", exitCode: 0 });
  });

  it("keeps the name of a program that decides by it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "name-"));
    try {
      const alias = join(folder, "other-name");
      symlinkSync("/bin/bash", alias);
      const result = await runInTerminal([
        { op: null, pipeline: [{ file: readlinkSync(alias), argv: [alias, "-c", "echo $0"] }] },
      ]);
      expect(result.text).toBe(alias);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("fails with 127 for a missing program, without a terminal", async () => {
    const result = await runInTerminal([{ op: null, pipeline: [{ file: "/no/such", argv: ["such"] }] }]);
    expect(result.details).toMatchObject({ status: "failed", exitCode: 127 });
  });
});

describe("runPlanFrom", () => {
  it("moves operators to the link after them and hands texts to the shell", () => {
    const command = (file: string) => ({ file, argv: [file], realPath: file, pinned: [] });
    const plan = runPlanFrom(
      {
        kind: "argv",
        pipelines: [
          { commands: [command("/a"), command("/b")], operatorAfter: "&&" },
          { commands: [command("/c")], operatorAfter: null },
        ],
        displayText: "",
        literalWords: [],
      },
      { file: "sh", args: ["-c"] },
    );
    expect(plan).toEqual({
      kind: "argv",
      chain: [
        {
          op: null,
          pipeline: [
            { file: "/a", argv: ["/a"] },
            { file: "/b", argv: ["/b"] },
          ],
        },
        { op: "&&", pipeline: [{ file: "/c", argv: ["/c"] }] },
      ],
    });
    const rebuilt = { kind: "rebuilt" as const, text: "'x'", displayText: "x", literalWords: [] };
    expect(runPlanFrom(rebuilt, { file: "sh", args: ["-c"] })).toEqual({
      kind: "shell",
      file: "sh",
      args: ["-c", "'x'"],
    });
  });
});
