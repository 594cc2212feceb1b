import { describe, expect, it } from "vitest";
import { applyPatchInput } from "../apply_patch/schema.ts";
import type { ToolDefinition } from "../defineTool.ts";
import { inputJsonSchema } from "../defineTool.ts";
import { editInput } from "../edit/schema.ts";
import { readInput } from "../read/schema.ts";
import { writeInput } from "../write/schema.ts";

describe("what a model is told about the arguments", () => {
  it.each([
    ["read", readInput, ["path"]],
    ["write", writeInput, ["path", "content"]],
    ["edit", editInput, ["path", "edits"]],
    ["apply_patch", applyPatchInput, ["input"]],
  ] as const)("describes every field of %s as JSON Schema", (_name, input, required) => {
    const schema = inputJsonSchema({ input } as unknown as ToolDefinition);
    expect(schema).toMatchObject({ type: "object", required });
    const properties = schema.properties as Record<string, { description?: string }>;
    for (const [name, property] of Object.entries(properties))
      expect(property.description, name).toBeTruthy();
  });

  it("closes edit to other fields", () => {
    expect(inputJsonSchema({ input: editInput } as unknown as ToolDefinition).additionalProperties).toBe(
      false,
    );
  });
});
