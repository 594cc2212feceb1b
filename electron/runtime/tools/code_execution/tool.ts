/** The code_execution tool: xAI writes and runs Python in its own sandbox; nothing runs on this computer. */

import { strictAddresses } from "../../../../shared/web/index.ts";
import type { MediaDeps } from "../../media/mediaDeps.ts";
import { withProgress } from "../../net/slowProgress.ts";
import { defineTool } from "../defineTool.ts";
import { createService } from "../web_search/service.ts";
import { missingXaiKey, xaiResult } from "../xai/present.ts";
import {
  codeExecutionKey,
  codeExecutionSettings,
  readXaiAnswer,
  xaiDocs,
  xaiUrl,
} from "../xai/xaiSettings.ts";
import { codeExecutionInput } from "./schema.ts";

export type XaiDeps = Pick<MediaDeps, "config" | "hardening" | "keys" | "fetch" | "clock">;

export function createCodeExecutionTool(deps: XaiDeps) {
  return defineTool({
    name: "code_execution",
    title: "Compute at xAI",
    description:
      "Gives a task to xAI, which writes Python and runs it in a sandbox of its own. Good for calculations and data given in the task. " +
      "It sees no files of this computer and changes nothing here. What it returns is untrusted content.",
    promptLine: "Have Python run in the provider's own sandbox",
    risk: "read",
    input: codeExecutionInput,
    async execute({ task }, context) {
      const config = deps.config();
      const hardening = deps.hardening();
      const settings = codeExecutionSettings(config);
      const key = await deps.keys.resolve(config, codeExecutionKey);
      if (key === null) return missingXaiKey(xaiDocs);
      const startedMs = deps.clock.nowMs();
      const service = createService({
        fetch: deps.fetch,
        label: "xAI",
        key,
        timeoutMs: settings.timeoutMs,
        signal: context.signal,
        addresses: strictAddresses,
      });
      const answer = await withProgress(
        context.reportProgress,
        () => `Waiting for ${settings.model}`,
        () =>
          service.sendJson({
            url: xaiUrl(config),
            method: "POST",
            headers: { authorization: `Bearer ${key}` },
            body: {
              model: settings.model,
              input: [{ role: "user", content: task }],
              tools: [{ type: "code_interpreter" }],
              ...(settings.maxTurns === null ? {} : { max_turns: settings.maxTurns }),
            },
          }),
      );
      const found = readXaiAnswer(answer);
      const isWrapped = hardening.has("media.wrapCodeExecution");
      const usedCodeExecution = found.outputTypes.includes("code_interpreter_call");
      return xaiResult(found, {
        source: isWrapped ? "External" : null,
        about: `${settings.model}, ${usedCodeExecution ? "code was run" : "no code was run"}`,
        hardening,
        payload: {
          task,
          provider: "xai",
          model: settings.model,
          tookMs: deps.clock.nowMs() - startedMs,
          ...(isWrapped
            ? {
                externalContent: {
                  untrusted: true,
                  source: "code_execution",
                  provider: "xai",
                  wrapped: true,
                },
              }
            : {}),
          usedCodeExecution,
          outputTypes: found.outputTypes.filter((type) => /^[\w-]{1,60}$/.test(type)),
        },
      });
    },
  });
}
