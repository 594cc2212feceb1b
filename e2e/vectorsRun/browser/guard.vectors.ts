/** browser/guard.json on preset `reference`: verdicts of the navigation guard, and the policy after defaults. */
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { effectivePolicy, explainGuard, ssrfPolicySchema } from "../../../shared/browser/index.ts";

const policy = ssrfPolicySchema.nullable();
/** Given to the guard directly, past the defaults of the config. */
const rawPolicy = z
  .strictObject({
    dangerouslyAllowPrivateNetwork: z.literal(true).optional(),
    allowedHostnames: z.array(z.string()).optional(),
    hostnameAllowlist: z.array(z.string()).optional(),
    allowRfc2544BenchmarkRange: z.boolean().optional(),
  })
  .nullable();
const file = z.object({
  dns: z.record(z.string(), z.array(z.string())),
  configResolution: z.array(z.object({ ssrfPolicy: policy, effective: z.record(z.string(), z.unknown()) })),
  cases: z.array(
    z.object({
      id: z.string(),
      check: z.enum(["before-navigation", "after-navigation", "redirect-chain"]),
      url: z.string().optional(),
      chain: z.array(z.string()).optional(),
      ssrfPolicy: policy.optional(),
      effectivePolicy: rawPolicy.optional(),
      env: z.record(z.string(), z.string()).optional(),
      verdict: z.enum(["allow", "block"]),
      kind: z.string().optional(),
    }),
  ),
});

const dir = process.env.VECTORS_DIR ?? "e2e/vectors";
const vectors = file.parse(JSON.parse(readFileSync(join(dir, "browser/guard.json"), "utf8")));
const dns = new Map(Object.entries(vectors.dns));

async function resolve(host: string): Promise<string[]> {
  if (isIP(host) !== 0) return [host];
  const found = dns.get(host);
  if (found === undefined) throw new Error(`getaddrinfo ENOTFOUND ${host}`);
  return found;
}

const reference: ReadonlySet<string> = new Set();

describe("guard", () => {
  test.each(vectors.cases.map((one) => [one.id, one] as const))("%s", async (_id, one) => {
    const answer = await explainGuard({ ...one, rawPolicy: one.effectivePolicy }, reference, resolve);
    expect({ verdict: answer.verdict, kind: answer.kind ?? undefined }).toEqual({
      verdict: one.verdict,
      kind: one.kind,
    });
  });
});

describe("guard-config", () => {
  test.each(vectors.configResolution.map((one, index) => [index, one] as const))("%s", (_index, one) => {
    expect(effectivePolicy(one.ssrfPolicy)).toEqual(one.effective);
  });
});
