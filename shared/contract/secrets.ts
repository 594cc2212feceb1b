/** Keys of services: which are known, where each stands, and storing, removing and testing one. Values never travel back. */

import { z } from "zod";
import { defineContract } from "../rpc/contract.ts";

export const keyService = z.object({
  /** `brave`, `openai`, … */
  id: z.string(),
  label: z.string(),
  /** Variable under which a key is stored here. */
  name: z.string(),
  /** Plugin whose entry in the config switches it on and off; null for services without one. */
  pluginId: z.string().nullable(),
  /** Tools that use it. */
  tools: z.array(z.string()),
  /** Where a person gets a key. */
  docs: z.string(),
  canTest: z.boolean(),
  /** The config counts before the environment, the environment before the store. */
  state: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("missing") }),
    z.object({ kind: z.literal("config"), path: z.string() }),
    z.object({ kind: z.literal("environment"), variable: z.string() }),
    z.object({ kind: z.literal("stored"), variable: z.string() }),
  ]),
});
export type KeyService = z.infer<typeof keyService>;

export const storedSecret = z.object({
  name: z.string(),
  /** Dots and at most four characters; null when it was sealed elsewhere and cannot be opened here. */
  masked: z.string().nullable(),
  isSealed: z.boolean(),
  updatedAtMs: z.number(),
});

export const secretsView = z.object({
  services: z.array(keyService),
  stored: z.array(storedSecret),
  /** How a new key is kept: sealed by the system's keyring, or in a private file because there is none. */
  protection: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("keyring"), backend: z.string() }),
    z.object({ kind: z.literal("file") }),
  ]),
  path: z.string(),
  /** Why the file cannot be used; null when it can. */
  problem: z.string().nullable(),
});
export type SecretsView = z.infer<typeof secretsView>;

const name = z.string().min(1).max(128);

export const secretsContract = defineContract({
  methods: {
    "secrets.list": { scope: "operator.admin", input: z.object({}), output: secretsView },
    "secrets.set": {
      scope: "operator.admin",
      input: z.object({ name, value: z.string().min(1).max(8192) }),
      output: secretsView,
    },
    "secrets.remove": { scope: "operator.admin", input: z.object({ name }), output: secretsView },
    /** Sends one small request to the service. */
    "secrets.test": {
      scope: "operator.admin",
      input: z.object({ service: z.string().min(1).max(64) }),
      output: z.object({ ok: z.boolean(), message: z.string(), tookMs: z.number() }),
    },
  },
  events: {},
});
