/** Small readings of config and environment that the runtime's wiring needs. */

import type { AppStatus } from "../../shared/contract/index.ts";
import { AppError } from "../../shared/errors/index.ts";
import { getIn } from "../../shared/policy/configRecord.ts";

export const defaultGatewayPort = 18_789;

/** @throws AppError INVALID_INPUT when the environment names something that is no port */
export function portOf(env: Record<string, string>, config: unknown): number {
  const fromEnv = env.OPENCLAW_GATEWAY_PORT?.trim();
  if (fromEnv !== undefined && fromEnv !== "") {
    const port = Number(fromEnv);
    if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
    throw new AppError(
      "INVALID_INPUT",
      `OPENCLAW_GATEWAY_PORT is ${fromEnv}, which is no port. Use a number from 1 to 65535.`,
    );
  }
  const port = getIn(config, "gateway", "port");
  return typeof port === "number" ? port : defaultGatewayPort;
}

/** How long ended processes are kept, when the config says so. */
export function cleanupLimit(config: unknown): { cleanupMs?: number } {
  const cleanupMs = getIn(config, "tools", "exec", "cleanupMs");
  return typeof cleanupMs === "number" ? { cleanupMs } : {};
}

/** @returns null while nothing listens */
export function mcpUrlOf(gateway: AppStatus["gateway"]): string | null {
  return gateway.kind === "listening" ? `http://${gateway.address}:${gateway.port}/mcp` : null;
}
