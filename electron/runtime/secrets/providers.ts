/** `secrets.providers` and `secrets.resolution` of the config, checked strictly. */

import { isAbsolute } from "node:path";
import { z } from "zod";
import { AppError } from "../../../shared/errors/index.ts";
import { isSafeExecutableValue } from "../../../shared/exec/index.ts";
import type { SecretRef } from "./secretRef.ts";
import { refText } from "./secretRef.ts";

const maxBytes = 20 * 1024 * 1024;
const defaultBytes = 1024 * 1024;
const timeoutMs = z.number().int().positive().max(120_000);
const absolute = z.string().refine(isAbsolute, "must be an absolute path");
const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/);

const envProvider = z.strictObject({
  source: z.literal("env"),
  allowlist: z.array(z.string()).max(256).optional(),
});

const fileProvider = z.strictObject({
  source: z.literal("file"),
  path: z.string().min(1),
  mode: z.enum(["json", "singleValue"]).default("json"),
  timeoutMs: timeoutMs.default(5000),
  maxBytes: z.number().int().positive().max(maxBytes).default(defaultBytes),
  trustedDirs: z.array(absolute).max(64).optional(),
});

const execProvider = z.strictObject({
  source: z.literal("exec"),
  command: z
    .string()
    .refine((value) => isSafeExecutableValue(value) && isAbsolute(value.trim()), {
      message: "must be the absolute path of one program, without operators or quotes",
    })
    .transform((value) => value.trim()),
  args: z.array(z.string().max(1024)).max(128).default([]),
  timeoutMs: timeoutMs.default(5000),
  noOutputTimeoutMs: timeoutMs.optional(),
  maxOutputBytes: z.number().int().positive().max(maxBytes).default(defaultBytes),
  jsonOnly: z.boolean().default(true),
  env: z.record(variable, z.string()).default({}),
  passEnv: z.array(variable).max(128).default([]),
  trustedDirs: z.array(absolute).max(64).optional(),
  allowInsecurePath: z.boolean().default(false),
  allowSymlinkCommand: z.boolean().default(false),
});

const provider = z.discriminatedUnion("source", [envProvider, fileProvider, execProvider]);

export type FileProvider = z.infer<typeof fileProvider>;
export type ExecProvider = z.infer<typeof execProvider>;
export type SecretProvider = z.infer<typeof provider>;

/**
 * @param secrets the `secrets` section as it stands in the config
 * @returns the provider that the reference names
 * @throws AppError UNAVAILABLE that names reference and setting; the alias `default` of env needs no setting
 * @see supplement.md §3.2
 */
export function providerOf(ref: SecretRef, secrets: unknown): SecretProvider {
  const providers = section(section(secrets).providers);
  const raw = Object.hasOwn(providers, ref.provider) ? providers[ref.provider] : undefined;
  if (raw === undefined) {
    if (ref.source === "env" && ref.provider === "default") return { source: "env" };
    throw refProblem(ref, `secrets.providers.${ref.provider} is not configured`);
  }
  const checked = provider.safeParse(raw);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    const place = ["secrets.providers", ref.provider, ...(issue?.path ?? [])].join(".");
    throw refProblem(ref, `${place}: ${issue?.message ?? "is not valid"}`);
  }
  if (checked.data.source !== ref.source)
    throw refProblem(ref, `secrets.providers.${ref.provider} is of source ${checked.data.source}`);
  return checked.data;
}

export interface SecretLimits {
  maxProviderConcurrency: number;
  maxRefsPerProvider: number;
  maxBatchBytes: number;
}

/** @returns `secrets.resolution`, each value held to its ceiling */
export function limitsOf(secrets: unknown): SecretLimits {
  const resolution = section(section(secrets).resolution);
  const within = (value: unknown, fallback: number, most: number) =>
    typeof value === "number" && Number.isInteger(value) && value > 0 ? Math.min(value, most) : fallback;
  return {
    maxProviderConcurrency: within(resolution.maxProviderConcurrency, 4, 16),
    maxRefsPerProvider: within(resolution.maxRefsPerProvider, 512, 4096),
    maxBatchBytes: within(resolution.maxBatchBytes, 262_144, 5 * 1024 * 1024),
  };
}

/** Names the reference and what is wrong, never a value nor what a program printed. */
export function refProblem(ref: SecretRef, what: string, cause?: unknown): AppError {
  return new AppError("UNAVAILABLE", `Secret ${refText(ref)} is not available: ${what}.`, {
    ...(cause === undefined ? {} : { cause }),
    data: { ref: refText(ref) },
  });
}

function section(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
