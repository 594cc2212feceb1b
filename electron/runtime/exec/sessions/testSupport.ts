/** Shared by the tests of this folder: a registry with real processes, and waiting for states. */

import { readFileSync } from "node:fs";
import { systemClock } from "../../clock.ts";
import { silentLogger } from "../../logging/logger.ts";
import { createExecSessions } from "./createExecSessions.ts";
import type { ExecSessions, ExecSessionsDeps, StartRequest } from "./execSessions.ts";
import { createNodePtyHost } from "./ptyHost.ts";

export const testScope = "agent:main:test";

/** An environment that does not depend on the developer's. */
export const testEnv: Record<string, string> = {
  PATH: process.env.PATH ?? "/usr/bin:/bin",
  HOME: process.env.HOME ?? "/",
  LANG: "C.UTF-8",
};

export function createTestSessions(deps: Partial<ExecSessionsDeps> = {}): ExecSessions {
  return createExecSessions({
    clock: systemClock,
    logger: silentLogger,
    ptyHost: createNodePtyHost(),
    ...deps,
  });
}

/** A request that runs `text` in sh. */
export function shellRequest(text: string, extra: Partial<StartRequest> = {}): StartRequest {
  return {
    plan: { kind: "shell", file: "/bin/sh", args: ["-c", text] },
    command: text,
    cwd: process.cwd(),
    env: testEnv,
    scopeKey: testScope,
    agentId: "main",
    sessionKey: testScope,
    ...extra,
  };
}

/** Polls a condition; the error names what was waited for. */
export async function until(what: string, condition: () => boolean, limitMs = 10_000): Promise<void> {
  const startedAtMs = performance.now();
  while (!condition()) {
    if (performance.now() - startedAtMs > limitMs) throw new Error(`Waited in vain for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** True while a process exists and is no zombie. */
export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
  } catch {
    // No such process.
    return false;
  }
}
