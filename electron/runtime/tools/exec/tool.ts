/** The exec tool: runs a shell command once both gates have let it through. */

import type { ExecService } from "../../exec/execService.ts";
import { withProgress } from "../../net/slowProgress.ts";
import { defineTool } from "../defineTool.ts";
import { createProgressVoice } from "./progressVoice.ts";
import { execInput } from "./schema.ts";

export function createExecTool(deps: { exec: ExecService }) {
  return defineTool({
    name: "exec",
    title: "Run a command",
    description:
      "Runs a shell command on the operator's computer and returns what it printed. Commands that are not on the allowlist wait for a person. " +
      "A command that takes long is left running after yieldMs and is then reached with the process tool; pass background: true for servers. " +
      "pty: true gives it a terminal. A refused command was not executed.",
    promptLine: "Run a shell command; unknown commands wait for a person",
    risk: "execute",
    input: execInput,
    execute(input, context) {
      const voice = createProgressVoice(context);
      return withProgress(context.reportProgress, voice.text, () => deps.exec.run(input, voice.context));
    },
  });
}
