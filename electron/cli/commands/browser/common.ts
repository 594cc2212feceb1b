/** What the browser commands share: options, the way to the running app, and lines for profiles and tabs. */

import { Command, InvalidArgumentError } from "commander";
import type { BrowserProfileView, BrowserTab } from "../../../../shared/contract/index.ts";
import { openRunning, type Running } from "../../access.ts";
import type { CliContext } from "../../context.ts";
import { safeLine } from "../../io.ts";
import { refuseSelfApproval } from "../../selfApproval.ts";

export type Rpc = Running["rpc"];

export interface Common {
  profile?: string;
  json?: boolean;
}
export interface OnTab extends Common {
  tab?: string;
}

/** Runs one command on the running app. What changes profiles or limits is refused to commands that an agent runs. */
export async function onGateway(
  context: CliContext,
  changes: string | null,
  run: (rpc: Rpc) => Promise<void>,
) {
  if (changes !== null) refuseSelfApproval(context.io.env, changes);
  const { rpc, close } = await openRunning(context.io, context.version);
  try {
    await run(rpc);
  } finally {
    close();
  }
}

export function make(name: string, about: string): Command {
  return new Command(name).description(about).option("--json", "print JSON");
}

export function withProfile(name: string, about: string): Command {
  return make(name, about).option("--profile <name>", "browser profile; absent: the default one");
}

export function withTab(name: string, about: string): Command {
  return withProfile(name, about).option("--tab <id>", "tab id or its beginning; absent: the one used last");
}

export const choice = ({ profile, tab }: OnTab) => ({
  ...(profile === undefined ? {} : { profile }),
  ...(tab === undefined ? {} : { targetId: tab }),
});

export function profileLine(view: BrowserProfileView): string {
  const { state } = view;
  const now =
    state.kind === "running"
      ? `running ${state.browserName} ${state.version}, ${view.tabCount} tabs`
      : state.kind === "crashed" || state.kind === "unreachable"
        ? `${state.kind}: ${state.detail}`
        : state.kind;
  const marks = [view.kind, ...(view.isDefault ? ["default"] : []), ...(view.isPaused ? ["taken over"] : [])];
  const port = view.cdpPort === null ? "" : `  port ${view.cdpPort}`;
  return safeLine(`${view.name}  (${marks.join(", ")})  ${view.color}${port}  ${now}`);
}

export function tabLine(tab: BrowserTab): string {
  const mark = tab.isLastUsed ? "*" : " ";
  return safeLine(
    `${mark} ${tab.targetId}  ${tab.profile}  ${tab.url}  ${tab.title}${tab.state === "crashed" ? "  (crashed)" : ""}`,
  );
}

export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw new InvalidArgumentError("Give a whole number.");
  return value;
}
