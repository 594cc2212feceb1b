/** Builds the folder of programs that exec.json describes, and reads its cases with the placeholder filled in. */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { z } from "zod";

const fixtureSchema = z.strictObject({
  how: z.string(),
  executables: z.record(z.string(), z.array(z.string())),
  symlinks: z.record(z.string(), z.string()),
  plainFiles: z.record(z.string(), z.string()),
});

const profile = z.strictObject({
  minPositional: z.number().optional(),
  maxPositional: z.number().optional(),
  allowedValueFlags: z.array(z.string()).optional(),
  deniedFlags: z.array(z.string()).optional(),
});

const segment = z.strictObject({
  argv: z.array(z.string()),
  executable: z.string().nullable(),
  realPath: z.string().optional(),
  effectiveArgv: z.array(z.string()).optional(),
  wrappers: z.array(z.string()).optional(),
  policyExecutable: z.string().optional(),
  blockedWrapper: z.string().optional(),
  satisfiedBy: z.enum(["allowlist", "safeBins", "skills", "none", "unevaluated"]),
});

const execCase = z.strictObject({
  id: z.string(),
  group: z.string(),
  why: z.string(),
  hazard: z.boolean().optional(),
  quirk: z.boolean().optional(),
  requires: z.string().optional(),
  input: z.strictObject({
    command: z.string(),
    cwd: z.string(),
    env: z.record(z.string(), z.string()),
    platform: z.enum(["linux", "darwin", "win32"]),
    allowlist: z.array(z.strictObject({ pattern: z.string(), id: z.string().optional() })),
    approvalsFile: z.unknown().optional(),
    agentId: z.string().optional(),
    safeBins: z.array(z.string()),
    safeBinProfiles: z.record(z.string(), profile).optional(),
    trustedDirs: z.array(z.string()),
    security: z.enum(["deny", "allowlist", "full"]),
    ask: z.enum(["off", "on-miss", "always"]),
    strictInlineEval: z.boolean().optional(),
  }),
  expect: z.strictObject({
    analysisOk: z.boolean(),
    referenceReason: z.string().optional(),
    segments: z.array(segment),
    allowlistSatisfied: z.boolean(),
    obfuscation: z.array(z.string()),
    inlineEval: z.string().nullable().optional(),
    requiresApproval: z.boolean(),
    final: z.enum(["allow", "ask", "deny"]),
    error: z.string().optional(),
    executes: z.string().optional(),
    allowAlways: z.strictObject({ persists: z.array(z.string()), agent: z.string().optional() }).optional(),
    fallback: z.strictObject({ deny: z.string(), allowlist: z.string(), full: z.string() }).optional(),
  }),
});
export type ExecCase = z.infer<typeof execCase>;

const keyCase = z.strictObject({
  id: z.string(),
  input: z.strictObject({
    keys: z.array(z.string()).optional(),
    hex: z.array(z.string()).optional(),
    literal: z.string().optional(),
    cursorMode: z.enum(["normal", "application", "unknown"]),
  }),
  expect: z.strictObject({ hex: z.string(), warnings: z.number() }),
});

const envCase = z.strictObject({
  id: z.string(),
  input: z.strictObject({
    base: z.record(z.string(), z.string()),
    overrides: z.record(z.string(), z.string()),
  }),
  expect: z.strictObject({
    blocked: z.array(z.string()),
    invalid: z.array(z.string()),
    env: z.record(z.string(), z.string()),
  }),
});

const logCase = z.strictObject({
  id: z.string(),
  input: z.strictObject({ text: z.string(), offset: z.number().nullable(), limit: z.number().nullable() }),
  expect: z.strictObject({ slice: z.string(), totalLines: z.number(), totalChars: z.number() }),
});

/** Unknown lists and fields are failures, not skips. */
const fileSchema = z.strictObject({
  source: z.string(),
  what: z.string(),
  fixture: fixtureSchema,
  fields: z.record(z.string(), z.unknown()),
  cases: z.array(execCase),
  keyCases: z.array(keyCase),
  valueCases: z.array(z.strictObject({ id: z.string(), input: z.unknown(), expect: z.boolean() })),
  envCases: z.array(envCase),
  logCases: z.array(logCase),
});

export interface ExecVectors {
  root: string;
  file: z.infer<typeof fileSchema>;
  /** Removes the folder. */
  dispose(): void;
}

const placeholder = ["$", "{FIXTURE}"].join("");

function fillIn(value: unknown, root: string): unknown {
  if (typeof value === "string") return value.replaceAll(placeholder, root);
  if (Array.isArray(value)) return value.map((one) => fillIn(one, root));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key.replaceAll(placeholder, root), fillIn(inner, root)]),
  );
}

function writeProgram(path: string, mode: number): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "#!/bin/sh\nexit 0\n");
  chmodSync(path, mode);
}

/** @param vectorsDir holds exec.json */
export function openExecVectors(vectorsDir: string): ExecVectors {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "exec-vectors-")));
  const raw: unknown = JSON.parse(readFileSync(join(vectorsDir, "exec.json"), "utf8"));
  const file = fileSchema.parse(fillIn(raw, root));
  for (const [folder, names] of Object.entries(file.fixture.executables)) {
    for (const name of names) writeProgram(join(root, folder, name), 0o755);
  }
  for (const [path, description] of Object.entries(file.fixture.plainFiles)) {
    const mode = /mode (0[0-7]{3})/.exec(description)?.[1];
    if (mode === undefined) throw new Error(`The fixture gives no mode for ${path}: ${description}`);
    writeProgram(join(root, path), Number.parseInt(mode, 8));
  }
  for (const [link, target] of Object.entries(file.fixture.symlinks)) {
    mkdirSync(dirname(join(root, link)), { recursive: true });
    symlinkSync(target, join(root, link));
  }
  mkdirSync(join(root, "home"), { recursive: true });
  return { root, file, dispose: () => rmSync(root, { recursive: true, force: true }) };
}
