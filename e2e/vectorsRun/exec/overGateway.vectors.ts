/** The recorded exec cases answered by the running app over its Gateway: the same as the pure evaluator, on both presets. */

import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { allHardening } from "../../../shared/hardening/index.ts";
import { type RunningApp, startRunningApp } from "../runningApp.ts";
import { evaluateCase } from "./evaluateCase.ts";
import { type ExecCase, openExecVectors } from "./fixture.ts";

const vectors = openExecVectors(process.env.VECTORS_DIR ?? "e2e/vectors");
const home = `${vectors.root}/home`;
let app: RunningApp;
beforeAll(async () => {
  app = await startRunningApp();
});
afterAll(async () => {
  await app?.dispose();
  vectors.dispose();
});

const runnable = vectors.file.cases.filter((one) => one.requires === undefined || existsSync(one.requires));

function explain({ input }: ExecCase, preset: "reference" | "sallyport") {
  const agentId = input.agentId ?? "main";
  return app.rpc.call("exec.explain", {
    command: input.command,
    cwd: input.cwd,
    env: input.env,
    home,
    agentId,
    platform: input.platform,
    preset,
    execConfig: {
      host: "gateway",
      security: input.security,
      ask: input.ask,
      safeBins: input.safeBins,
      safeBinTrustedDirs: input.trustedDirs,
      safeBinProfiles: input.safeBinProfiles,
      strictInlineEval: input.strictInlineEval,
    },
    approvalsFile: input.approvalsFile ?? {
      version: 1,
      agents: { [agentId]: { allowlist: input.allowlist } },
    },
  });
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe("exec decisions over the Gateway", () => {
  test.each(runnable.map((one) => [one.id, one] as const))("%s", async (_id, one) => {
    const answer = await explain(one, "reference");
    expect(plain(answer)).toEqual(plain(evaluateCase(one, home, new Set())));
    expect(answer.outcome, "final").toBe(one.expect.final);
    expect(answer.analysis.ok, "analysisOk").toBe(one.expect.analysisOk);
    const strict = await explain(one, "sallyport");
    expect(plain(strict)).toEqual(plain(evaluateCase(one, home, allHardening)));
  });
});
