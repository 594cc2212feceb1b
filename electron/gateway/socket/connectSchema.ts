/** The closed schema of `connect`, the first request of every operator connection. */

import { z } from "zod";

const clientIds = [
  "webchat-ui",
  "openclaw-control-ui",
  "openclaw-tui",
  "webchat",
  "cli",
  "gateway-client",
  "openclaw-macos",
  "openclaw-ios",
  "openclaw-android",
  "node-host",
  "test",
  "fingerprint",
  "openclaw-probe",
] as const;

const clientModes = ["webchat", "cli", "ui", "backend", "node", "probe", "test"] as const;

const shortText = z.string().max(256);
const secretText = z.string().max(4096);

export const connectParams = z.strictObject({
  minProtocol: z.number().int().min(1),
  maxProtocol: z.number().int().min(1),
  client: z.strictObject({
    id: z.enum(clientIds),
    version: shortText.min(1),
    platform: shortText.min(1),
    mode: z.enum(clientModes),
    displayName: shortText.optional(),
    deviceFamily: shortText.optional(),
    modelIdentifier: shortText.optional(),
    instanceId: shortText.optional(),
  }),
  role: shortText.optional(),
  scopes: z.array(shortText).max(64).optional(),
  caps: z.array(shortText).max(256).optional(),
  commands: z.array(shortText).max(1024).optional(),
  permissions: z.record(z.string().max(256), z.boolean()).optional(),
  pathEnv: z.string().max(32_768).optional(),
  device: z
    .strictObject({
      id: shortText.min(1),
      publicKey: shortText.min(1),
      signature: shortText.min(1),
      signedAt: z.number().int().min(0),
      nonce: shortText,
    })
    .optional(),
  auth: z
    .strictObject({
      token: secretText.optional(),
      password: secretText.optional(),
      deviceToken: secretText.optional(),
      bootstrapToken: secretText.optional(),
    })
    .optional(),
  locale: shortText.optional(),
  userAgent: z.string().max(1024).optional(),
});
export type ConnectParams = z.infer<typeof connectParams>;
export type ConnectDevice = NonNullable<ConnectParams["device"]>;

/** Longest first frame, and how long it may take. */
export const handshakeLimits = { maxFrameBytes: 65_536, timeoutMs: 10_000, maxUnauthenticated: 32 } as const;
