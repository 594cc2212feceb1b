/** The tts tool: one text becomes a recording. It shortens, strips and parses nothing; that is the automatic path's work. */

import { tokenEstimate } from "../../../../shared/files/index.ts";
import { withProgress } from "../../net/slowProgress.ts";
import type { SpeechService } from "../../speech/speechService.ts";
import { defineTool, type ToolResult } from "../defineTool.ts";
import { ttsInput } from "./schema.ts";

export function createTtsTool({ service }: { service: SpeechService }) {
  return defineTool({
    name: "tts",
    title: "Speak a text",
    description:
      "Turns a text into a recording that the person plays at this call. Afterwards answer with NO_REPLY alone, so that nothing is said twice. Up to 4096 characters; split longer texts.",
    promptLine: "Speak a text as audio",
    risk: "write",
    input: ttsInput,
    async execute({ text, channel }, context): Promise<ToolResult> {
      let asked = "";
      const outcome = await withProgress(
        context.reportProgress,
        () => `Speaking with ${asked}`,
        () =>
          service.speak({
            text,
            channel,
            by: context.callerId,
            signal: context.signal,
            onAsking: (label) => {
              asked = label;
            },
          }),
      );
      if (outcome.kind === "failed") {
        const { error, attempts } = outcome;
        return {
          content: [{ type: "text", text: error }],
          details: { error, attempts, tokenEstimate: tokenEstimate(error) },
          isError: true,
        };
      }
      const { audio, audioPath, provider, voice, audioAsVoice, attempts } = outcome;
      const seconds = audio.durationMs === null ? "" : `, ${(audio.durationMs / 1000).toFixed(1)} s`;
      const shown = `Spoken by ${provider}${seconds}. Answer with NO_REPLY.`;
      return {
        content: [{ type: "text", text: shown }],
        details: {
          audioPath,
          provider,
          media: { mediaUrl: audioPath, ...(audioAsVoice ? { audioAsVoice } : {}) },
          voice,
          audio,
          sizeBytes: audio.sizeBytes,
          durationMs: audio.durationMs,
          tokenEstimate: tokenEstimate(shown),
          attempts,
        },
      };
    },
  });
}
