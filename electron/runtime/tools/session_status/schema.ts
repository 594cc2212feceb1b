/** Input of session_status: nothing is needed. */

import { z } from "zod";

export const sessionStatusInput = z.object({
  sessionKey: z
    .string()
    .max(512)
    .optional()
    .describe("Only the own session can be asked about; absent: the own one"),
});
