/** Input of the apply_patch tool. */

import { z } from "zod";

export const applyPatchInput = z.object({
  input: z
    .string()
    .max(8 * 1024 * 1024)
    .describe(
      "The patch: *** Begin Patch, then *** Add File: P (lines with +), *** Delete File: P, or *** Update File: P (optionally *** Move to: P2) with chunks @@ of lines that begin with blank, - or +, then *** End Patch",
    ),
});
