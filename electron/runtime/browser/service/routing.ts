/** Where a call goes: this computer's browser, a sandbox's, or a node's; never silently another one than named. */

import type { Hardening } from "../../../../shared/hardening/rules.ts";
import { getIn } from "../../../../shared/policy/configRecord.ts";
import type { BrowserProfile } from "../browserTypes.ts";
import { browserProblem } from "../problems.ts";
import type { SandboxBrowserSettings } from "../profiles/sandboxBrowsers.ts";

export interface Route {
  target?: string | undefined;
  node?: string | undefined;
}

export interface RouteContext {
  config: object;
  hardening: Hardening;
  /** Whether the calling session runs in a sandbox. */
  isSandboxed: boolean;
  /** What the config says about the browser of its sandbox. */
  sandbox: SandboxBrowserSettings;
  /** Of this computer, as the call named it; null when the call is about all. */
  profile: BrowserProfile | null;
}

/**
 * No node can be paired yet, so a node is refused with the reason.
 * @returns where the call goes
 * @throws AppError that names the setting
 * @see browser.md 5
 */
export function routeCall({ target, node }: Route, context: RouteContext): "host" | "sandbox" {
  const { profile, isSandboxed, sandbox } = context;
  if (target !== undefined && target !== "sandbox" && target !== "host" && target !== "node") {
    throw browserProblem("bad_request", "target must be sandbox, host or node.");
  }
  if (node !== undefined && target !== undefined && target !== "node") {
    throw browserProblem(
      "bad_request",
      `node "${node}" goes with target "node" only; leave one of them away.`,
    );
  }
  if (profile?.kind === "existing" && (target === "sandbox" || target === "node" || node !== undefined)) {
    throw browserProblem(
      "bad_request",
      `Profile ${profile.name} is the person's own browser and is reached on the host only. Leave target away.`,
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
  const hasSandbox = isSandboxed && sandbox.isEnabled;
  if (target === "sandbox") {
    if (hasSandbox) return "sandbox";
    throw browserProblem(
      "no_sandbox",
      isSandboxed
        ? "The sandbox of this session has no browser: agents.defaults.sandbox.browser.enabled (or the agent's own sandbox.browser.enabled) is not true."
        : "This session does not run in a sandbox, so there is no browser in one (agents.defaults.sandbox.browser.enabled is for sandboxed sessions). Leave target away to use this computer's browser.",
    );
  }
  if (target === undefined && hasSandbox && profile?.kind !== "existing") return "sandbox";
  const isAsked = target === "host" || context.hardening.has("browser.sandboxedHost");
  if (isSandboxed && !sandbox.allowsHost && isAsked) {
    throw browserProblem(
      "no_sandbox",
      `Host browser control is disabled by sandbox policy: this session runs in a sandbox. ${
        sandbox.isEnabled
          ? "Leave target away to use the sandbox's browser, or set"
          : "Give the sandbox a browser (agents.defaults.sandbox.browser.enabled), or set"
      } agents.defaults.sandbox.browser.allowHostControl to true.`,
    );
  }
  return "host";
}
