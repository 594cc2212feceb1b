/** Makes a form from a tool's JSON Schema, and arguments from what was filled in. Pure. */

export interface FormField {
  /** Path into the arguments; also the field's id. */
  path: readonly string[];
  label: string;
  description: string;
  isRequired: boolean;
  defaultText: string;
  control: FieldControl;
}

export type FieldControl =
  | { kind: "text"; isLong: boolean; maxLength: number | null }
  | { kind: "number"; isInteger: boolean; minimum: number | null; maximum: number | null }
  | { kind: "boolean" }
  | { kind: "choice"; options: readonly (string | number | boolean | null)[] }
  /** One entry per line. */
  | { kind: "list"; item: "string" | "number" }
  /** Anything else is written as JSON. */
  | { kind: "json" };

export type FieldError = {
  code: "required" | "number" | "integer" | "minimum" | "maximum" | "json";
  limit?: number;
};

type Schema = Record<string, unknown>;

const longNames = new Set([
  "command",
  "content",
  "text",
  "script",
  "code",
  "input",
  "patch",
  "prompt",
  "message",
  "task",
]);
const maxDepth = 3;

/** @returns fields in the schema's order, required ones first within each object */
export function formFields(schema: unknown): FormField[] {
  return collect(asSchema(schema), [], true, 0);
}

function collect(schema: Schema, path: readonly string[], isRequired: boolean, depth: number): FormField[] {
  const properties = asSchema(schema.properties);
  const required = new Set(Array.isArray(schema.required) ? schema.required.map(String) : []);
  const names = Object.keys(properties);
  const ordered = [
    ...names.filter((name) => required.has(name)),
    ...names.filter((name) => !required.has(name)),
  ];
  return ordered.flatMap((name) => {
    const child = withoutNull(asSchema(properties[name]));
    const childPath = [...path, name];
    const childRequired = isRequired && required.has(name);
    const nested = asSchema(child.properties);
    if (child.type === "object" && Object.keys(nested).length > 0 && depth < maxDepth) {
      return collect(child, childPath, childRequired, depth + 1);
    }
    return [
      {
        path: childPath,
        label: childPath.join("."),
        description: typeof child.description === "string" ? child.description : "",
        isRequired: childRequired,
        defaultText: child.default === undefined ? "" : defaultText(child.default),
        control: controlFor(name, child),
      },
    ];
  });
}

/** `anyOf: [X, null]` and `type: [X, "null"]` are an X that may stay empty. */
function withoutNull(schema: Schema): Schema {
  const options = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(options)) {
    const real = options.map(asSchema).filter((option) => option.type !== "null");
    if (real.length === 1) return { ...schema, ...real[0], anyOf: undefined, oneOf: undefined };
  }
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter((type) => type !== "null");
    if (types.length === 1) return { ...schema, type: types[0] };
  }
  return schema;
}

function controlFor(name: string, schema: Schema): FieldControl {
  if (Array.isArray(schema.enum)) return { kind: "choice", options: schema.enum.filter(isScalar) };
  const constants = constantOptions(schema);
  if (constants !== null) return { kind: "choice", options: constants };
  switch (schema.type) {
    case "string":
      return { kind: "text", isLong: longNames.has(name), maxLength: numberOr(schema.maxLength) };
    case "integer":
    case "number":
      return {
        kind: "number",
        isInteger: schema.type === "integer",
        minimum: numberOr(schema.minimum),
        maximum: numberOr(schema.maximum),
      };
    case "boolean":
      return { kind: "boolean" };
    case "array": {
      const item = asSchema(schema.items).type;
      if (item === "string") return { kind: "list", item: "string" };
      if (item === "number" || item === "integer") return { kind: "list", item: "number" };
      return { kind: "json" };
    }
    default:
      return { kind: "json" };
  }
}

function constantOptions(schema: Schema): (string | number | boolean | null)[] | null {
  const options = schema.anyOf ?? schema.oneOf;
  if (!Array.isArray(options) || options.length === 0) return null;
  const values = options.map((option) => asSchema(option).const);
  return values.every(isScalar) ? values : null;
}

export type FormValues = ReadonlyMap<string, string>;

/** The key under which a field's text is kept. */
export function fieldKey(path: readonly string[]): string {
  return path.join(".");
}

/**
 * Empty fields are left out, so that the tool's own defaults count.
 * @returns the arguments, and what is wrong by field key; with errors the arguments are incomplete
 */
export function argumentsFrom(
  fields: readonly FormField[],
  values: FormValues,
): { args: Record<string, unknown>; errors: Map<string, FieldError> } {
  const errors = new Map<string, FieldError>();
  const args: Record<string, unknown> = {};
  for (const field of fields) {
    const key = fieldKey(field.path);
    const text = values.get(key) ?? "";
    if (text === "") {
      if (field.isRequired) errors.set(key, { code: "required" });
      continue;
    }
    const parsed = parseField(field.control, text);
    if ("error" in parsed) errors.set(key, parsed.error);
    else setIn(args, field.path, parsed.value);
  }
  return { args, errors };
}

function parseField(control: FieldControl, text: string): { value: unknown } | { error: FieldError } {
  switch (control.kind) {
    case "text":
      return { value: text };
    case "boolean":
      return { value: text === "true" };
    case "choice":
      return { value: control.options.find((option) => String(option) === text) ?? text };
    case "number": {
      const value = Number(text);
      if (!Number.isFinite(value) || text.trim() === "") return { error: { code: "number" } };
      if (control.isInteger && !Number.isInteger(value)) return { error: { code: "integer" } };
      if (control.minimum !== null && value < control.minimum)
        return { error: { code: "minimum", limit: control.minimum } };
      if (control.maximum !== null && value > control.maximum)
        return { error: { code: "maximum", limit: control.maximum } };
      return { value };
    }
    case "list": {
      const lines = text.split("\n").filter((line) => line !== "");
      if (control.item === "string") return { value: lines };
      const numbers = lines.map(Number);
      return numbers.every(Number.isFinite) ? { value: numbers } : { error: { code: "number" } };
    }
    case "json":
      try {
        return { value: JSON.parse(text) };
      } catch {
        // The person sees the field marked; the parser's wording would name an offset in the text, not help.
        return { error: { code: "json" } };
      }
  }
}

/** Defines the last step as an own property, so that a field named `__proto__` stays a plain field. */
function setIn(root: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let target = root;
  path.forEach((segment, index) => {
    if (index === path.length - 1) {
      Object.defineProperty(target, segment, { value, enumerable: true, configurable: true, writable: true });
      return;
    }
    const next = Object.hasOwn(target, segment) ? target[segment] : undefined;
    const child: Record<string, unknown> = isRecord(next) ? next : {};
    Object.defineProperty(target, segment, {
      value: child,
      enumerable: true,
      configurable: true,
      writable: true,
    });
    target = child;
  });
}

/** Fills a form from arguments, for the way back from raw JSON. Fields that are not in the form are lost: `rest` names them. */
export function valuesFrom(
  fields: readonly FormField[],
  args: Record<string, unknown>,
): { values: Map<string, string>; rest: string[] } {
  const values = new Map<string, string>();
  const known = new Set(fields.map((field) => field.path[0]));
  for (const field of fields) {
    let value: unknown = args;
    for (const segment of field.path)
      value = isRecord(value) && Object.hasOwn(value, segment) ? value[segment] : undefined;
    if (value === undefined) continue;
    if (field.control.kind === "list" && Array.isArray(value))
      values.set(fieldKey(field.path), value.join("\n"));
    else if (field.control.kind === "json") values.set(fieldKey(field.path), JSON.stringify(value, null, 2));
    else values.set(fieldKey(field.path), String(value));
  }
  return { values, rest: Object.keys(args).filter((name) => !known.has(name)) };
}

/**
 * Gives refusals of the runtime to the fields they speak of.
 * @param issues paths as `a.b`, `/a/b` or `a[0]`; a path inside a field counts for that field
 */
export function issuesByField(
  fields: readonly FormField[],
  issues: readonly { path: string; message: string }[],
): { byField: Map<string, string>; general: string[] } {
  const byField = new Map<string, string>();
  const general: string[] = [];
  const keys = fields.map((field) => fieldKey(field.path)).sort((a, b) => b.length - a.length);
  for (const issue of issues) {
    const path = issue.path
      .replace(/^[/.$]+/u, "")
      .replace(/\[(\d+)\]/gu, ".$1")
      .replaceAll("/", ".");
    const key = keys.find((candidate) => path === candidate || path.startsWith(`${candidate}.`));
    if (key === undefined) general.push(path === "" ? issue.message : `${path}: ${issue.message}`);
    else if (!byField.has(key)) byField.set(key, issue.message);
  }
  return { byField, general };
}

function asSchema(value: unknown): Schema {
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isScalar(value: unknown): value is string | number | boolean | null {
  return (
    value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean"
  );
}

function numberOr(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

function defaultText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
