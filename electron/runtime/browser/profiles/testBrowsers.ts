/** For tests: profiles on a folder of their own, with the Chromium of this computer. */

import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import path from "node:path";
import { allHardening } from "../../../../shared/hardening/index.ts";
import { systemClock } from "../../clock.ts";
import { type ConfigStore, createConfigStore } from "../../config/index.ts";
import { silentLogger } from "../../logging/logger.ts";
import { writeFileAtomic } from "../../storage/atomicWrite.ts";
import { makeTestFolder } from "../../storage/testFolder.ts";
import { type BrowserGuard, type BrowserGuardDeps, createBrowserGuard } from "../guard/createGuardDesk.ts";
import {
  type BrowserProfilesDeps,
  createBrowserProfiles,
  type ManagedBrowserProfiles,
} from "./createBrowserProfiles.ts";

export const testChromium = process.env.SALLYPORT_CHROMIUM ?? "/usr/bin/chromium";

export interface TestBrowsers {
  folder: string;
  config: ConfigStore;
  guard: BrowserGuard;
  profiles: ManagedBrowserProfiles;
  /** Merged over what the tests need: this Chromium, without a window. */
  setBrowser(browser: Record<string, unknown>, rest?: Record<string, unknown>): Promise<void>;
  dispose(): Promise<void>;
}

/** Ports that nobody used a moment ago, all different. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

export function testBrowserConfig(browser: Record<string, unknown>): Record<string, unknown> {
  return { executablePath: testChromium, headless: true, ...browser };
}

export async function startTestBrowsers(
  browser: Record<string, unknown>,
  over: Partial<BrowserProfilesDeps> & Pick<BrowserGuardDeps, "resolve" | "dial"> & { folder?: string } = {},
): Promise<TestBrowsers> {
  const made = over.folder === undefined ? await makeTestFolder() : null;
  const folder = over.folder ?? made?.folder ?? "";
  const configPath = path.join(folder, "openclaw.json");
  const write = (next: Record<string, unknown>, rest: Record<string, unknown> = {}) =>
    writeFileAtomic(
      configPath,
      `${JSON.stringify({ browser: testBrowserConfig(next), ...rest }, null, 2)}\n`,
    );
  await write(browser);
  const config = await createConfigStore({ path: configPath, logger: silentLogger, clock: systemClock });
  const env = over.env ?? { PATH: process.env.PATH ?? "", HOME: folder };
  const common = { config, env, clock: systemClock, logger: silentLogger };
  const guard = createBrowserGuard({
    ...common,
    hardening: () => allHardening,
    ...(over.resolve === undefined ? {} : { resolve: over.resolve }),
    ...(over.dial === undefined ? {} : { dial: over.dial }),
  });
  const profiles = await createBrowserProfiles({
    ...common,
    stateDir: folder,
    homeDir: folder,
    gatewayPort: () => 18_789,
    guard,
    readyTimeoutMs: 60_000,
    ...over,
  });
  return {
    folder,
    config,
    guard,
    profiles,
    async setBrowser(next, rest) {
      await write(next, rest);
      await config.reload();
    },
    async dispose() {
      await profiles.dispose();
      guard.dispose();
      await config.dispose();
      await made?.remove();
    },
  };
}
