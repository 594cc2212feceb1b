/** Says that answers come from other rules than openclaw.json, because it cannot be read. */

import path from "node:path";
import type { AppStatus } from "../../shared/contract/index.ts";
import { safeLine } from "./io.ts";

/** @returns which rules count instead and where the file is broken; undefined when it is not */
export function brokenConfigText(config: AppStatus["config"]): string | undefined {
  if (config.state !== "broken") return undefined;
  const rules =
    config.usesLastGood === true
      ? "by the last config that could be read"
      : "by no config: no tool exists until it is mended";
  const [problem] = config.problems;
  const place = `${path.basename(config.path)}:${problem?.line ?? 1}:${problem?.column ?? 1}`;
  return safeLine(`${rules}; ${place} is broken: ${(problem?.message ?? "unreadable").replace(/\.$/, "")}`);
}
