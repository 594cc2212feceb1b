/** The shape of `browser` in openclaw.json, strict as in the release: a misspelt key of a guard would guard nothing. */

import { z } from "zod";

const hostList = z.array(z.string());

export const ssrfPolicySchema = z.strictObject({
  allowPrivateNetwork: z.boolean().optional(),
  dangerouslyAllowPrivateNetwork: z.boolean().optional(),
  allowedHostnames: hostList.optional(),
  hostnameAllowlist: hostList.optional(),
});

const port = z.number().int().min(1).max(65_535);

const profileSchema = z
  .strictObject({
    cdpPort: port.optional(),
    cdpUrl: z.string().optional(),
    driver: z.enum(["openclaw", "clawd", "existing-session"]).optional(),
    attachOnly: z.boolean().optional(),
    userDataDir: z.string().optional(),
    color: z.string().regex(/^#?[0-9a-fA-F]{6}$/, 'A colour is six hex digits, such as "#0066CC".'),
  })
  .superRefine((profile, context) => {
    const isExisting = profile.driver === "existing-session";
    if (!isExisting && profile.cdpPort === undefined && profile.cdpUrl === undefined)
      context.addIssue({ code: "custom", message: "A browser profile needs cdpPort or cdpUrl." });
    if (!isExisting && profile.userDataDir !== undefined)
      context.addIssue({
        code: "custom",
        path: ["userDataDir"],
        message: 'userDataDir is only for profiles with driver "existing-session".',
      });
  });

export const browserConfigSchema = z.strictObject({
  enabled: z.boolean().optional(),
  evaluateEnabled: z.boolean().optional(),
  cdpUrl: z.string().optional(),
  remoteCdpTimeoutMs: z.number().int().min(0).optional(),
  remoteCdpHandshakeTimeoutMs: z.number().int().min(0).optional(),
  color: z.string().optional(),
  executablePath: z.string().optional(),
  headless: z.boolean().optional(),
  noSandbox: z.boolean().optional(),
  attachOnly: z.boolean().optional(),
  cdpPortRangeStart: z
    .number()
    .int()
    .min(1)
    .max(65_535 - 99)
    .optional(),
  defaultProfile: z.string().optional(),
  snapshotDefaults: z.strictObject({ mode: z.literal("efficient").optional() }).optional(),
  ssrfPolicy: ssrfPolicySchema.optional(),
  profiles: z
    .record(z.string().regex(/^[a-z0-9-]+$/, "Names of browser profiles are a-z, 0-9 and -."), profileSchema)
    .optional(),
  extraArgs: z.array(z.string()).optional(),
});

export type SsrfPolicyConfig = z.infer<typeof ssrfPolicySchema>;
export type BrowserConfig = z.infer<typeof browserConfigSchema>;
export type BrowserProfileConfig = z.infer<typeof profileSchema>;

/**
 * Reads `browser` from a config that has passed the config schema.
 * @returns an empty config when there is none
 */
export function browserConfigOf(config: object): BrowserConfig {
  const checked = browserConfigSchema.safeParse(Reflect.get(config, "browser") ?? {});
  // What cannot be understood must not count as "nothing is forbidden".
  return checked.success ? checked.data : { enabled: false };
}
