/** Status and profiles as the model reads them: facts of ours, no page text. */

import { browserConfigOf } from "../../../../shared/browser/configSchema.ts";
import type { BrowserProfileView } from "../../../../shared/contract/index.ts";
import { messageOf } from "../../../../shared/errors/index.ts";
import { withinTime } from "../../browser/actions/withinTime.ts";
import type { ToolResult } from "../defineTool.ts";
import { answer } from "./answers.ts";
import type { BrowserToolDeps } from "./tool.ts";

type StatusDeps = Pick<BrowserToolDeps, "service" | "config" | "profiles" | "sandboxes">;

/** Looking for installed browsers asks the desktop; a status does not wait for a slow one. */
const detectLimitMs = 2500;

export async function statusAnswer(deps: StatusDeps, profile: string, before?: string): Promise<ToolResult> {
  const view = deps.service.profileView(profile);
  const config = browserConfigOf(deps.config());
  const { state } = view;
  const isRunning = state.kind === "running";
  const detected = await detect(deps, view);
  const details = {
    target: deps.sandboxes.has(view.name) ? "sandbox" : "host",
    enabled: config.enabled !== false,
    profile: view.name,
    driver: view.kind === "existing" ? "existing-session" : "openclaw",
    transport: "cdp",
    running: isRunning,
    cdpReady: isRunning,
    pid: isRunning ? state.pid : null,
    cdpPort: view.cdpPort,
    cdpUrl: view.cdpUrl,
    chosenBrowser: isRunning ? (detected.detectedBrowser ?? state.browserName) : null,
    ...detected,
    userDataDir: view.userDataDir,
    noSandbox: config.noSandbox === true,
    executablePath: config.executablePath ?? null,
    version: isRunning ? state.version : null,
    state: state.kind,
    tabCount: view.tabCount,
    guardedBy: view.guardedBy,
    paused: view.isPaused,
    color: view.color,
    attachOnly: view.attachOnly,
    headless: config.headless ?? null,
    evaluateEnabled: config.evaluateEnabled !== false,
  };
  const head = [...(before === undefined ? [] : [before]), stateLine(view)].join(" ");
  return answer({ head, details });
}

/** @param names of the profiles that the caller may reach */
export function profilesAnswer(deps: StatusDeps, names: readonly string[]): ToolResult {
  const views = deps.service.profileViews().filter(({ name }) => names.includes(name));
  return answer({
    head: ["profiles:", ...views.map((view) => `- ${stateLine(view)}`)].join("\n"),
    details: {
      profiles: views.map((view) => ({
        name: view.name,
        transport: "cdp",
        cdpPort: view.cdpPort,
        cdpUrl: view.cdpUrl,
        color: view.color,
        driver: view.kind === "existing" ? "existing-session" : "openclaw",
        running: view.state.kind === "running",
        tabCount: view.tabCount,
        isDefault: view.isDefault,
        isRemote: view.kind === "remote",
        reconcileReason: sourceOf(deps, view.name).reconcileReason(view.name),
      })),
    },
  });
}

function sourceOf({ profiles, sandboxes }: StatusDeps, name: string) {
  return sandboxes.has(name) ? sandboxes.profiles : profiles;
}

interface Detected {
  detectedBrowser: string | null;
  detectedExecutablePath: string | null;
  detectError: string | null;
}

/** Only for browsers that are started here: of others no program is known. */
async function detect(deps: StatusDeps, view: BrowserProfileView): Promise<Detected> {
  const none = { detectedBrowser: null, detectedExecutablePath: null, detectError: null };
  if (view.kind !== "managed" || view.attachOnly) return none;
  try {
    const found = await withinTime(deps.profiles.chosenBrowser(), {
      timeoutMs: detectLimitMs,
      onTimeout: () => new Error(`Installed browsers were not found out within ${detectLimitMs / 1000} s.`),
    });
    if (found === null) return none;
    return { ...none, detectedBrowser: found.brand, detectedExecutablePath: found.executable };
  } catch (error) {
    // A program that is named and not there: the status says so, and goes on.
    return { ...none, detectError: messageOf(error) };
  }
}

function stateLine(view: BrowserProfileView): string {
  const { state, name, kind } = view;
  const facts = [
    kind === "existing" ? "the person's own browser" : kind === "remote" ? "on another computer" : "isolated",
    ...(view.isDefault ? ["default"] : []),
    ...(view.isPaused ? ["taken over by a person"] : []),
    ...(view.guardedBy !== null && view.guardedBy !== "none" ? ["addresses restricted"] : []),
  ];
  const now =
    state.kind === "running"
      ? `running ${state.browserName} ${state.version}, ${view.tabCount} tabs`
      : state.kind === "crashed" || state.kind === "unreachable"
        ? `${state.kind}: ${state.detail}`
        : state.kind;
  return `${name} (${facts.join(", ")}): ${now}`;
}
