/** Where a call goes: this computer's browser, a sandbox's, or a node's; never silently another one than named. */

import { getIn } from "../../../../shared/policy/configRecord.ts";
import type { BrowserProfile } from "../browserTypes.ts";
import { browserProblem } from "../problems.ts";

export interface Route {
  target?: string | undefined;
  node?: string | undefined;
}

/**
 * No sandbox bridge and no node can be there yet, so everything but the host is refused with its reason.
 * @param isSandboxed whether the calling session runs in a sandbox
 * @throws AppError that names the setting
 */
export function checkRoute(
  { target, node }: Route,
  context: { config: object; isSandboxed: boolean; profile: BrowserProfile | null },
): void {
  if (target !== undefined && target !== "sandbox" && target !== "host" && target !== "node") {
    throw browserProblem("bad_request", "target must be sandbox, host or node.");
  }
  if (node !== undefined && target !== undefined && target !== "node") {
    throw browserProblem(
      "bad_request",
      `node "${node}" goes with target "node" only; leave one of them away.`,
    );
  }
  if (
    context.profile?.kind === "existing" &&
    (target === "sandbox" || target === "node" || node !== undefined)
  ) {
    throw browserProblem(
      "bad_request",
      `Profile ${context.profile.name} is the person's own browser and is reached on the host only. Leave target away.`,
    );
  }
  if (target === "node" || node !== undefined) {
    const mode = getIn(context.config, "gateway", "nodes", "browser", "mode");
    throw browserProblem(
      "no_node",
      mode === "off"
        ? "Browsers on nodes are switched off (gateway.nodes.browser.mode is off). Leave target and node away to use this computer's."
        : "No node with a browser is paired. Leave target and node away to use this computer's browser.",
    );
  }
  if (target === "sandbox") {
    throw browserProblem(
      "no_sandbox",
      "There is no browser in a sandbox here (agents.defaults.sandbox.browser.enabled). Leave target away to use this computer's browser.",
    );
  }
  const allowsHost =
    getIn(context.config, "agents", "defaults", "sandbox", "browser", "allowHostControl") === true;
  if (context.isSandboxed && target === "host" && !allowsHost) {
    throw browserProblem(
      "no_sandbox",
      "Host browser control is disabled by sandbox policy (agents.defaults.sandbox.browser.allowHostControl).",
    );
  }
}
