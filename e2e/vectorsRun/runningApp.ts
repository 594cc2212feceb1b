/** A headless Sallyport on a state directory of its own, with an operator connected over its Gateway. */

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { connectGateway } from "../../electron/gateway/gatewayClient.ts";
import type { ServedContract } from "../../electron/gateway/gatewayContract.ts";
import { startHeadless } from "../../electron/headless/startHeadless.ts";
import { silentLogger } from "../../electron/runtime/logging/logger.ts";
import type { RpcClient } from "../../shared/rpc/index.ts";

export interface RunningApp {
  rpc: RpcClient<ServedContract>;
  /** `http://127.0.0.1:<port>` */
  url: string;
  token: string;
  /** Replaces openclaw.json through the app; it counts when this returns. */
  writeConfig(config: unknown): Promise<void>;
  dispose(): Promise<void>;
}

export async function startRunningApp(): Promise<RunningApp> {
  const homeDir = await mkdtemp(path.join(tmpdir(), "sallyport-vectors-"));
  const stateDir = path.join(homeDir, ".openclaw");
  await mkdir(stateDir, { mode: 0o700 });
  // The vectors are recordings of the reference, so its rules count where a question names none.
  await writeFile(path.join(stateDir, "sallyport.json5"), '{ hardening: { preset: "reference" } }');
  const app = await startHeadless({
    env: { PATH: process.env.PATH, HOME: homeDir, OPENCLAW_STATE_DIR: stateDir, SHELL: "/bin/sh" },
    homeDir,
    stateDir,
    port: 0,
    panelDir: null,
    version: "0.0.0-vectors",
    logger: silentLogger,
  });
  const { token, port } = { token: app.runtime.gatewaySettings().operatorToken, port: app.gateway.port };
  const rpc = await connectGateway({ address: app.gateway.address, port, token, version: "0.0.0-vectors" });
  return {
    rpc,
    url: app.gateway.url,
    token,
    async writeConfig(config) {
      const { hash } = await rpc.call("config.get", {});
      await rpc.call("config.set", { raw: JSON.stringify(config), baseHash: hash, ignoreWarnings: true });
    },
    async dispose() {
      rpc.close();
      await app.dispose();
      await rm(homeDir, { recursive: true, force: true });
    },
  };
}
