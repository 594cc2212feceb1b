import JSON5 from "json5";
import { describe, expect, test } from "vitest";
import type { ConfigEdit } from "../../../../shared/policy/types.ts";
import { agentToolsPath, applyToDocument } from "./repairs.ts";
import { editText } from "./textEdit.ts";

const text = `{
  // the shared base
  tools: {
    profile: "coding",
    deny: ["write", 'cron'], // careful
  },
  agents: { list: [{ id: "Support", tools: { alsoAllow: ["message"] } }] },
}
`;

const cases: [string, ConfigEdit][] = [
  ["removes a list entry with its comma", { op: "remove", path: ["tools", "deny", 0] }],
  ["removes the last list entry", { op: "remove", path: ["tools", "deny", 1] }],
  [
    "appends to a list",
    { op: "insert", path: ["agents", "list", 0, "tools", "alsoAllow", 1], value: "browser" },
  ],
  ["replaces a value", { op: "set", path: ["tools", "profile"], value: "full" }],
  ["adds a key beside others", { op: "set", path: ["tools", "alsoAllow"], value: ["browser"] }],
  [
    "makes the objects on the way",
    { op: "set", path: ["agents", "list", 0, "tools", "sandbox", "tools", "alsoAllow"], value: ["a-b"] },
  ],
  ["removes a key", { op: "remove", path: ["tools", "profile"] }],
];

describe("edits of JSON5 text", () => {
  test.each(cases)("%s and means the same as the edit of the document", (_, edit) => {
    const edited = editText(text, [edit]);
    expect(edited).toContain("// the shared base");
    expect(JSON5.parse(edited)).toEqual(applyToDocument(JSON5.parse(text), [edit]));
  });

  test("applies several edits of one list without shifting places", () => {
    const edits: ConfigEdit[] = [
      { op: "remove", path: ["tools", "deny", 0] },
      { op: "remove", path: ["tools", "deny", 1] },
    ];
    expect(JSON5.parse(editText(text, edits)).tools.deny).toEqual([]);
  });

  test("fills an empty file", () => {
    const edit: ConfigEdit = { op: "set", path: ["tools", "alsoAllow"], value: ["browser"] };
    expect(JSON5.parse(editText("{}\n", [edit]))).toEqual({ tools: { alsoAllow: ["browser"] } });
  });

  test("a key called __proto__ stays an own key", () => {
    const document = applyToDocument({}, [{ op: "set", path: ["__proto__", "polluted"], value: 1 }]);
    expect(Object.hasOwn(document as object, "__proto__")).toBe(true);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test("finds the tools of an agent by normalised id", () => {
    expect(agentToolsPath(JSON5.parse(text), "support")).toEqual(["agents", "list", 0, "tools"]);
    expect(agentToolsPath({}, "support")).toBeNull();
  });
});
