/** The secret of operators: from the config (text or reference), the environment, or the one this product made. */

import { AppError, messageOf } from "../../../shared/errors/index.ts";
import type { ConfigStore } from "../config/index.ts";
import type { Logger } from "../logging/logger.ts";
import { resolveSecrets } from "./resolveSecrets.ts";
import { readSecretInput, refText, type SecretInput } from "./secretRef.ts";

export interface OperatorTokenDeps {
  config: ConfigStore;
  env: Readonly<Record<string, string | undefined>>;
  homeDir: string;
  /** Kept in the state directory, for when nothing else is configured. */
  ownToken: string;
  logger: Logger;
}

export interface OperatorToken {
  /**
   * The token that counts now. After a failed reload it is the last one that was good.
   * @throws AppError UNAVAILABLE while a reference was never resolved: another token never stands in for it
   */
  current(): string;
  /** Resolves a reference of the config anew. Never throws. @returns whether it gave another token */
  refresh(): Promise<boolean>;
}

interface ConfigShape {
  gateway?: { auth?: { token?: unknown } };
  secrets?: { defaults?: unknown };
}

/** @see supplement.md §3.3 */
export async function createOperatorToken(deps: OperatorTokenDeps): Promise<OperatorToken> {
  const { logger } = deps;
  const fromEnv = deps.env.OPENCLAW_GATEWAY_TOKEN?.trim() || undefined;
  let lastGood: string | null = null;
  let problem: string | null = null;
  let queue: Promise<unknown> = Promise.resolve();

  const read = (): { input: SecretInput; secrets: unknown } => {
    const config = deps.config.effective().config as ConfigShape | undefined;
    const input = readSecretInput(config?.gateway?.auth?.token, config?.secrets?.defaults);
    return { input, secrets: config?.secrets };
  };

  const load = async (): Promise<boolean> => {
    const before = lastGood;
    const { input, secrets } = read();
    if (input.kind === "ref" && fromEnv !== undefined)
      logger.warn("secrets.refIgnored", {
        path: "gateway.auth.token",
        code: "SECRETS_REF_IGNORED_INACTIVE_SURFACE",
      });
    try {
      lastGood = await tokenOf(input, secrets);
      if (problem !== null) logger.info("secrets.recovered", { path: "gateway.auth.token" });
      problem = null;
    } catch (error) {
      // The message names the reference and nothing that was read.
      const again = problem !== null;
      problem = messageOf(error);
      logger[again ? "warn" : "error"]("secrets.degraded", { path: "gateway.auth.token", reason: problem });
    }
    return input.kind === "ref" && before !== lastGood;
  };

  const tokenOf = async (input: SecretInput, secrets: unknown): Promise<string> => {
    switch (input.kind) {
      case "text":
        return input.value;
      case "absent":
        return fromEnv ?? deps.ownToken;
      case "invalid":
        throw new AppError("UNAVAILABLE", `gateway.auth.token cannot be used: ${input.problem}.`);
      case "ref": {
        if (fromEnv !== undefined) return fromEnv;
        const { env, homeDir } = deps;
        const values = await resolveSecrets({ refs: [input.ref], secrets, env, homeDir });
        const value = values.get(refText(input.ref));
        if (value === undefined) throw new AppError("INTERNAL", "A resolved secret is missing.");
        return value;
      }
    }
  };

  await load();
  return {
    current() {
      const { input } = read();
      // Text counts at once; only references need time.
      if (input.kind === "text") return input.value;
      if (input.kind === "absent") return fromEnv ?? deps.ownToken;
      if (lastGood !== null) return lastGood;
      throw new AppError(
        "UNAVAILABLE",
        `The Gateway's token is not available, so it does not start. ${problem ?? ""} Mend gateway.auth.token and start again.`,
      );
    },
    refresh() {
      const next = queue.then(load);
      queue = next;
      return next;
    },
  };
}
