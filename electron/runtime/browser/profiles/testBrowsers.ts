/** For tests: profiles on a folder of their own, with the Chromium of this computer. */

import { randomInt } from "node:crypto";
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
  const found: number[] = [];
  for (let tries = 0; found.length < count && tries < 200; tries += 1) {
    // Below the ports that the system hands to outgoing connections: one of those may be taken at any moment.
    const port = 20_000 + randomInt(12_000);
    if (!found.includes(port) && (await isFree(port))) found.push(port);
  }
  if (found.length < count) throw new Error("There are no free ports between 20000 and 32000.");
  return found;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const listens = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => resolve(true));
  });
  if (listens) await new Promise((resolve) => server.close(resolve));
  return listens;
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
