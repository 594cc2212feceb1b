/** Commands on tabs: list, open, focus, close, navigate. */

import type { Command } from "commander";
import { type CliContext, print } from "../../context.ts";
import { type Common, choice, type OnTab, onGateway, tabLine, withProfile, withTab } from "./common.ts";

export function tabCommands(context: CliContext): Command[] {
  return [
    withProfile("tabs", "List the open tabs; absent --profile: of all running browsers").action(
      ({ profile, json }: Common) =>
        onGateway(context, null, async (rpc) => {
          const found = await rpc.call("browser.tabs", profile === undefined ? {} : { profile });
          print(context, json, found, found.tabs.length === 0 ? ["No open tabs."] : found.tabs.map(tabLine));
        }),
    ),
    withProfile("open", "Open an address in a new tab")
      .argument("<url>", "full address")
      .action((url: string, { profile, json }: Common) =>
        onGateway(context, null, async (rpc) => {
          const tab = await rpc.call("browser.open", {
            ...choice(profile === undefined ? {} : { profile }),
            url,
          });
          print(context, json, tab, [tabLine(tab)]);
        }),
      ),
    withProfile("focus", "Bring a tab to the front")
      .argument("<tab>", "tab id or its beginning")
      .action((targetId: string, { profile, json }: Common) =>
        onGateway(context, null, async (rpc) => {
          const tab = await rpc.call("browser.focus", {
            ...choice(profile === undefined ? {} : { profile }),
            targetId,
          });
          print(context, json, tab, [tabLine(tab)]);
        }),
      ),
    withProfile("close", "Close a tab")
      .argument("<tab>", "tab id or its beginning")
      .action((targetId: string, { profile, json }: Common) =>
        onGateway(context, null, async (rpc) => {
          const done = await rpc.call("browser.close", {
            ...choice(profile === undefined ? {} : { profile }),
            targetId,
          });
          print(context, json, done, ["Closed."]);
        }),
      ),
    withTab("navigate", "Go to an address, or back, forward, reload")
      .argument("<where>", "full address, or back | forward | reload")
      .action((where: string, options: OnTab) =>
        onGateway(context, null, async (rpc) => {
          const to =
            where === "back" || where === "forward" || where === "reload"
              ? { history: where }
              : { url: where };
          const tab = await rpc.call("browser.navigate", { ...choice(options), ...(to as { url: string }) });
          print(context, options.json, tab, [tabLine(tab)]);
        }),
      ),
  ];
}
