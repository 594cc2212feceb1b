import { describe, expect, test } from "vitest";
import { contextToSearch, searchToContext } from "../model/contextAddress.ts";
import { matrixAct } from "./matrixKeys.ts";

const size = { rows: 31, columns: 14, pageRows: 10 };

describe("keys of the matrix", () => {
  test("arrows, Home, End and pages move within the bounds", () => {
    const at = { row: 0, column: 5 };
    expect(matrixAct("ArrowUp", at, size, true)).toEqual({ kind: "move", cursor: { row: 0, column: 5 } });
    expect(matrixAct("ArrowRight", at, size, true)).toEqual({ kind: "move", cursor: { row: 0, column: 6 } });
    expect(matrixAct("End", at, size, true)).toEqual({ kind: "move", cursor: { row: 0, column: 13 } });
    expect(matrixAct("Home", at, size, true)).toEqual({ kind: "move", cursor: { row: 0, column: 0 } });
    expect(matrixAct("PageDown", { row: 25, column: 0 }, size, true)).toEqual({
      kind: "move",
      cursor: { row: 30, column: 0 },
    });
  });

  test("letters act only when single keys are on", () => {
    expect(matrixAct("w", { row: 0, column: 0 }, size, true)).toEqual({ kind: "why" });
    expect(matrixAct("w", { row: 0, column: 0 }, size, false)).toBeNull();
    expect(matrixAct("Enter", { row: 0, column: 0 }, size, false)).toEqual({ kind: "open" });
  });
});

describe("address of a context", () => {
  test("goes there and back", () => {
    const context = {
      agentId: "support",
      provider: "openrouter",
      model: "anthropic/claude",
      channel: "telegram",
      groupId: "-1001894",
      senderIsOwner: false,
      sandboxed: true,
      subagentDepth: 2,
      surface: "mcp" as const,
    };
    expect(searchToContext(contextToSearch(context))).toEqual(context);
  });

  test("ignores what it does not understand", () => {
    expect(searchToContext("owner=maybe&depth=-3&surface=fax&agent=")).toEqual({});
  });
});
