/** Status and profiles as the model reads them: facts of ours, no page text. */

import { browserConfigOf } from "../../../../shared/browser/configSchema.ts";
import type { BrowserProfileView } from "../../../../shared/contract/browser.ts";
import type { BrowserService } from "../../browser/service/browserService.ts";
import type { ToolResult } from "../defineTool.ts";
import { answer } from "./answers.ts";

export function statusAnswer(
  deps: { service: BrowserService; config(): object },
  profile: string,
  before?: string,
): ToolResult {
  const view = deps.service.profileView(profile);
  const config = browserConfigOf(deps.config());
  const { state } = view;
  const isRunning = state.kind === "running";
  const details = {
    enabled: config.enabled !== false,
    profile: view.name,
    driver: view.kind === "existing" ? "existing-session" : "openclaw",
    transport: "cdp",
    running: isRunning,
    cdpReady: isRunning,
    pid: isRunning ? state.pid : null,
    cdpPort: view.cdpPort,
    cdpUrl: view.cdpUrl,
    chosenBrowser: isRunning ? state.browserName : null,
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

export function profilesAnswer(service: BrowserService): ToolResult {
  const views = service.profileViews();
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
      })),
    },
  });
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
