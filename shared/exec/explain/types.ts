/** Shape of an explained word: what it is, what it means, and whether it deserves a second look. */

import { z } from "zod";

export const wordRole = z.enum([
  "program",
  "wrapper",
  "subcommand",
  "flag",
  "flagValue",
  "argument",
  "operator",
  "assignment",
]);
export type WordRole = z.infer<typeof wordRole>;

export const explainedWord = z.object({
  /** Where it stands in the command, UTF-16 offsets, end exclusive. */
  start: z.number().int(),
  end: z.number().int(),
  text: z.string(),
  role: wordRole,
  /** Keys of the sentences about it, in this order: `git`, `git push`, `git push --force`; empty when nothing is known. */
  codes: z.array(z.string()),
  /** It deletes, overwrites, runs other code, sends data away or widens rights. */
  isDanger: z.boolean(),
});
export type ExplainedWord = z.infer<typeof explainedWord>;
