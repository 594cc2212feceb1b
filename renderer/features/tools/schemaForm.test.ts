import { describe, expect, test } from "vitest";
import { argumentsFrom, formFields, issuesByField, valuesFrom } from "./schemaForm.ts";

const schema = {
  type: "object",
  properties: {
    cwd: { type: "string", description: "Folder to run in" },
    command: { type: "string" },
    timeoutMs: { type: "integer", minimum: 1, maximum: 600_000 },
    pty: { type: "boolean" },
    host: { enum: ["gateway", "sandbox"] },
    env: { type: "object", additionalProperties: { type: "string" } },
    limit: { anyOf: [{ type: "number" }, { type: "null" }] },
    paths: { type: "array", items: { type: "string" } },
    view: { type: "object", properties: { depth: { type: "integer" } }, required: ["depth"] },
  },
  required: ["command"],
};

describe("schema form", () => {
  test("puts required fields first and flattens objects", () => {
    const fields = formFields(schema);
    expect(fields.map((field) => field.label)).toEqual([
      "command",
      "cwd",
      "timeoutMs",
      "pty",
      "host",
      "env",
      "limit",
      "paths",
      "view.depth",
    ]);
    expect(fields.map((field) => field.control.kind)).toEqual([
      "text",
      "text",
      "number",
      "boolean",
      "choice",
      "json",
      "number",
      "list",
      "number",
    ]);
    // `depth` is required only inside a `view` that is itself optional.
    expect(fields.at(-1)?.isRequired).toBe(false);
  });

  test("leaves empty fields out and types the others", () => {
    const fields = formFields(schema);
    const { args, errors } = argumentsFrom(
      fields,
      new Map([
        ["command", "ls -la"],
        ["timeoutMs", "500"],
        ["pty", "true"],
        ["env", '{"A":"1"}'],
        ["paths", "a\nb"],
        ["view.depth", "2"],
      ]),
    );
    expect(errors.size).toBe(0);
    expect(args).toEqual({
      command: "ls -la",
      timeoutMs: 500,
      pty: true,
      env: { A: "1" },
      paths: ["a", "b"],
      view: { depth: 2 },
    });
  });

  test("names what is wrong at each field", () => {
    const { errors } = argumentsFrom(
      formFields(schema),
      new Map([
        ["timeoutMs", "1.5"],
        ["limit", "many"],
        ["env", "{"],
      ]),
    );
    expect(Object.fromEntries(errors)).toEqual({
      command: { code: "required" },
      timeoutMs: { code: "integer" },
      limit: { code: "number" },
      env: { code: "json" },
    });
  });

  test("a field called __proto__ stays an ordinary field", () => {
    const hostile = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}');
    const { args } = argumentsFrom(formFields(hostile), new Map([["__proto__", "x"]]));
    expect(Object.hasOwn(args, "__proto__")).toBe(true);
    expect(Object.getPrototypeOf(args)).toBe(Object.prototype);
  });

  test("goes back from arguments to text and names what the form cannot hold", () => {
    const { values, rest } = valuesFrom(formFields(schema), {
      command: "ls",
      paths: ["a", "b"],
      unknown: 1,
    });
    expect(values.get("paths")).toBe("a\nb");
    expect(rest).toEqual(["unknown"]);
  });

  test("gives refusals of the runtime to their fields", () => {
    const { byField, general } = issuesByField(formFields(schema), [
      { path: "paths[0]", message: "too long" },
      { path: "/view/depth", message: "too deep" },
      { path: "", message: "unknown key" },
    ]);
    expect(Object.fromEntries(byField)).toEqual({ paths: "too long", "view.depth": "too deep" });
    expect(general).toEqual(["unknown key"]);
  });

  test("survives schemas that are no schemas", () => {
    expect(formFields(null)).toEqual([]);
    expect(formFields({ properties: { a: true } })).toHaveLength(1);
  });
});
