import { expect, test } from "vitest";
import { toRoleSnapshot, toRoleSnapshotWithAriaRefs } from "./roleSnapshot.ts";

const yaml = [
  "- document:",
  "  - 'button \"Save: draft\"'",
  '  - button "Say \\"hello\\""',
  '  - button "Go"',
  '  - button "Go" [disabled]',
  "  - 'link \"it''s: 1\"':",
  '    - /url: "#"',
].join("\n");

test("reads names with colons, quotes and apostrophes as YAML means them", () => {
  const { text, refs } = toRoleSnapshot(yaml, {}, { readsYaml: true });
  expect([...refs.values()].map(({ name }) => name)).toEqual([
    "Save: draft",
    'Say "hello"',
    "Go",
    "Go",
    "it's: 1",
  ]);
  expect(text).toContain("  - 'button \"Save: draft\" [ref=e1]'");
  expect(text).toContain("  - 'link \"it''s: 1\" [ref=e5]':");
});

test("passes them over or cuts them as the reference does", () => {
  const { refs } = toRoleSnapshot(yaml, { interactive: true }, { readsYaml: false });
  expect([...refs.values()].map(({ name }) => name)).toEqual(["Say \\", "Go", "Go"]);
});

test("tells equal names apart by nth, and says what depth left out", () => {
  const { text, refs, omittedByDepth } = toRoleSnapshot(yaml, { maxDepth: 1 }, { readsYaml: true });
  expect(refs.get("e4")).toEqual({ role: "button", name: "Go", nth: 1 });
  expect(text).toContain('- button "Go" [ref=e4] [nth=1] [disabled]');
  expect(omittedByDepth).toBe(1);
});

test("prints refs of the AI family once, those of frames too", () => {
  const ai = '- iframe [ref=e2]:\n  - button "In" [ref=f1e2]';
  const { text } = toRoleSnapshotWithAriaRefs(ai, { interactive: true }, { readsYaml: true });
  expect(text).toBe('- button "In" [ref=f1e2]');
});
