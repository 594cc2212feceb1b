/** What a repair changes besides, in both directions: nothing that is opened or taken away goes untold. */

import { describe, expect, test } from "vitest";
import { enumerateContexts, whyTool } from "../../../../shared/policy/debug/index.ts";
import { compilePolicy, type RegisteredTool } from "../../../../shared/policy/index.ts";
import { layerPathOf } from "../why/WhyView.tsx";
import { askedAgent, contextSquares, type Repair, sideEffects } from "./sideEffects.ts";

const tools = ["read", "write", "exec"].map((name): RegisteredTool => ({ name, owner: { kind: "core" } }));
const compile = (config: unknown) => compilePolicy(config, { hardening: new Set() });

function repairsOf(config: unknown, tool: string): Repair[] {
  return whyTool(compile(config), config, { agentId: "a1", senderIsOwner: true }, tools, tool).repairs;
}

const agents = { list: [{ id: "a0" }, { id: "a1", tools: {} }, { id: "a2" }] };

describe("side effects", () => {
  test("of taking a tool away for everybody name every other agent that loses it", () => {
    const everybody = repairsOf({ agents }, "exec").find(({ edits }) => edits[0]?.path[0] === "tools");
    if (everybody === undefined) throw new Error("there must be a repair for every agent");
    const effects = sideEffects(everybody, { tool: "exec", agent: "a1", isKept: true });
    expect(effects.isClean).toBe(false);
    expect(effects.sameAgent).toEqual({ opens: [], closes: [] });
    expect(effects.elsewhere.map(({ agent, closes, opens }) => [agent, closes, opens])).toEqual([
      ["a0", ["exec"], []],
      ["a2", ["exec"], []],
      ["any-other-agent", ["exec"], []],
    ]);
    expect(effects.elsewhere.every(({ contexts }) => contexts > 1)).toBe(true);
  });

  test("of taking it away for the asked agent are none", () => {
    const [own] = repairsOf({ agents }, "exec");
    if (own === undefined) throw new Error("there must be a repair");
    expect(sideEffects(own, { tool: "exec", agent: "a1", isKept: true })).toMatchObject({
      isClean: true,
      isSample: false,
    });
  });

  const repair = (part: Partial<Repair>): Repair => ({
    edits: [],
    opensHere: [],
    closesHere: [],
    contexts: [],
    contextsChecked: 4,
    contextsTotal: 4,
    takesFrom: [],
    isValid: true,
    ...part,
  });
  const label = (agent: string) => ({
    agent,
    model: "m",
    group: "direct",
    owner: true,
    sandboxed: false,
    role: "main" as const,
    surface: "model" as const,
  });
  const asked = { tool: "exec", agent: "a1", isKept: false };

  test("count what closes here and in other sessions of the asked agent", () => {
    const effects = sideEffects(
      repair({
        closesHere: ["write"],
        contexts: [{ label: label("a1"), opens: ["exec"], closes: ["read"] }],
      }),
      asked,
    );
    expect(effects).toMatchObject({
      isClean: false,
      here: { opens: [], closes: ["write"] },
      sameAgent: { opens: [], closes: ["read"] },
    });
    // The tool that should come and goes in another session is not what was wished.
    const reversed = repair({ contexts: [{ label: label("a1"), opens: [], closes: ["exec"] }] });
    expect(sideEffects(reversed, asked).sameAgent.closes).toEqual(["exec"]);
  });

  test("say when they come from a sample", () => {
    expect(sideEffects(repair({ contextsTotal: 9 }), asked).isSample).toBe(true);
  });

  test("squares show what opens, what closes and what was asked for", () => {
    const classes = enumerateContexts(compile({ agents })).filter(
      ({ label: { agent } }) => agent !== "any-other-agent",
    );
    const rows = contextSquares(
      classes,
      repair({
        contexts: [
          { label: label("a0"), opens: [], closes: ["exec"] },
          { label: label("a1"), opens: ["exec"], closes: [] },
          { label: label("a2"), opens: ["exec"], closes: [] },
        ],
      }),
      asked,
      4,
    );
    expect(rows.map(({ agent, squares }) => [agent, squares.filter((square) => square !== "same")])).toEqual([
      ["a0", ["closed"]],
      ["a1", ["asked"]],
      ["a2", ["opened"]],
    ]);
  });
});

describe("the asked agent", () => {
  const config = { agents: { list: [{ id: "main" }, { id: "Support" }] } };

  test("is found by its normalised id, as the engine finds it", () => {
    expect(askedAgent(config, "support")).toBe("support");
    expect(askedAgent(config, " SUPPORT ")).toBe("support");
    expect(askedAgent(config, undefined)).toBe("main");
    expect(askedAgent(config, "stranger")).toBe("any-other-agent");
    expect(askedAgent({}, "stranger")).toBe("any");
  });

  test("has the place of its entry as the layer, and a new one only when it has none", () => {
    expect(layerPathOf("agent", "support", config)).toEqual(["agents", "list", 1]);
    expect(layerPathOf("agent", undefined, config)).toEqual(["agents", "list", 0]);
    expect(layerPathOf("agent", "stranger", config)).toEqual(["agents", "list", 2]);
    expect(layerPathOf("agent", "stranger", {})).toEqual(["agents", "list", 0]);
    expect(layerPathOf("any", "support", config)).toBeNull();
  });
});
