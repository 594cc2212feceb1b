/** Keeps an agent from approving itself: a command that Sallyport runs may not decide, nor change what decides. */

import { AppError } from "../../shared/errors/index.ts";
import { findExecAncestor } from "../gateway/execAncestry.ts";

/** @throws AppError FORBIDDEN when this command line runs below a command of an agent */
export function refuseSelfApproval(env: Record<string, string | undefined>, what: string): void {
  if (findExecAncestor(env, process.pid) === null) return;
  throw new AppError(
    "FORBIDDEN",
    `A command that an agent runs may not ${what}. Do it in a terminal of your own, or in the panel.`,
  );
}
