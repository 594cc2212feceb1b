import { describe, expect, test } from "vitest";
import {
  compilePolicy,
  type PolicyTrace,
  type RegisteredTool,
  tracePolicy,
} from "../../../../shared/policy/index.ts";
import { cellRules, keptCount, matrixRows, removerIndex, removers } from "./matrixModel.ts";
import { repairCandidates } from "./repairs.ts";
import { ruleBlocks } from "./ruleBlocks.ts";
import { diffTraces } from "./traceDiff.ts";

const tools: RegisteredTool[] = [
  ...["read", "write", "apply_patch", "exec", "message"].map((name) => ({
    name,
    owner: { kind: "core" as const },
  })),
  { name: "browser", owner: { kind: "plugin", pluginId: "browser" } },
];

function trace(config: unknown): PolicyTrace {
  return tracePolicy(
    compilePolicy(config, { hardening: new Set() }),
    { agentId: "support", sandboxed: true },
    tools,
  );
}

const saved = {
  tools: { profile: "coding" },
  agents: { list: [{ id: "support", tools: { alsoAllow: ["message", "browse"], deny: ["write"] } }] },
};

function rowOf(found: PolicyTrace, name: string) {
  const row = found.rows.find((candidate) => candidate.name === name);
  if (row === undefined) throw new Error(`no row ${name}`);
  return row;
}

describe("reading a trace", () => {
  test("groups rows by section in catalog order and filters by name", () => {
    const rows = matrixRows(trace(saved));
    expect(rows.filter((entry) => entry.startsSection).map((entry) => entry.row.section)).toEqual([
      "fs",
      "runtime",
      "ui",
      "messaging",
    ]);
    expect(matrixRows(trace(saved), "PATCH").map((entry) => entry.row.name)).toEqual(["apply_patch"]);
  });

  test("names every remover in order", () => {
    const found = trace(saved);
    expect(removers(found, rowOf(found, "browser")).map(({ column }) => column.id)).toEqual([
      "profile",
      "sandbox",
    ]);
    expect(found.columns[removerIndex(found, rowOf(found, "write")) ?? -1]?.id).toBe("agent");
  });

  test("shows the deciding list with the entry that hit", () => {
    const found = trace(saved);
    const row = rowOf(found, "apply_patch");
    const cell = row.cells[removerIndex(found, row) ?? -1];
    if (cell === undefined) throw new Error("no cell");
    const [block] = ruleBlocks(
      cellRules(found, cell),
      saved,
      new Map([["agents.list.0.tools.deny.0", { line: 48, column: 9 }]]),
    );
    expect(block).toMatchObject({ place: "agents.list[0].tools", line: 48, isWinner: true });
    expect(block?.lines[0]).toMatchObject({ key: "deny", entries: [{ text: "write", isHit: true }] });
  });
});

describe("differences of two traces", () => {
  const edited = {
    ...saved,
    agents: { list: [{ id: "support", tools: { alsoAllow: ["message", "browse"], deny: [] } }] },
  };

  test("says which tools an edit opens and rings only the cell whose rule changed", () => {
    const before = trace(saved);
    const after = trace(edited);
    const diffs = diffTraces(before, after);
    expect(diffs.map(({ name, direction }) => [name, direction])).toEqual([
      ["write", "widens"],
      ["apply_patch", "widens"],
    ]);
    expect([...(diffs[0]?.changedColumns ?? [])]).toEqual(["agent"]);
    expect(keptCount(after) - keptCount(before)).toBe(2);
    expect(diffTraces(after, before).every(({ direction }) => direction === "narrows")).toBe(true);
  });

  test("finds nothing between equal configs", () => {
    expect(diffTraces(trace(saved), trace(structuredClone(saved)))).toEqual([]);
  });
});

describe("proposed repairs", () => {
  test("mend the slip of a name first, one edit per remover", () => {
    const found = trace(saved);
    const [first] = repairCandidates(found, rowOf(found, "browser"), saved);
    expect(first?.edits[0]).toEqual({
      op: "set",
      path: ["agents", "list", 0, "tools", "alsoAllow", 1],
      value: "browser",
    });
    expect(first?.edits).toHaveLength(2);
  });

  test("take a denied name out of its list", () => {
    const found = trace(saved);
    expect(repairCandidates(found, rowOf(found, "write"), saved)).toEqual([
      {
        edits: [{ op: "remove", path: ["agents", "list", 0, "tools", "deny", 0] }],
        scope: "list",
        liftsProfile: false,
      },
    ]);
  });

  test("offer nothing when the config is not what removes a tool", () => {
    const absent = tracePolicy(compilePolicy({}, { hardening: new Set() }), { agentId: "support" }, [
      { name: "canvas", owner: { kind: "core" }, unavailable: { reason: "not in this version" } },
    ]);
    expect(repairCandidates(absent, rowOf(absent, "canvas"), {})).toEqual([]);
  });
});
