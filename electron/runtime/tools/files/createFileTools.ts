/** The four file tools on one desk. */

import { createApplyPatchTool } from "../apply_patch/tool.ts";
import { createEditTool } from "../edit/tool.ts";
import { createReadTool } from "../read/tool.ts";
import { createWriteTool } from "../write/tool.ts";
import { createFileDesk, type FileToolDeps } from "./fileDesk.ts";

/** Call it once per runtime: the queue of the desk keeps two changes of one file apart. */
export function createFileTools(deps: FileToolDeps) {
  const desk = createFileDesk(deps);
  return [
    createReadTool({ desk }),
    createEditTool({ desk }),
    createWriteTool({ desk }),
    createApplyPatchTool({ desk }),
  ] as const;
}
