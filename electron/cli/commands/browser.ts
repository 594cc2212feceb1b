/** `sallyport browser`: the managed browsers from a terminal, over the running Gateway. */

import { Command } from "commander";
import type { CliContext } from "../context.ts";
import { guardCommands } from "./browser/guardCommands.ts";
import { pageCommands } from "./browser/pageCommands.ts";
import { profileCommands } from "./browser/profileCommands.ts";
import { tabCommands } from "./browser/tabCommands.ts";

export function browserCommand(context: CliContext): Command {
  const command = new Command("browser").description("The managed browsers: profiles, tabs, pages");
  for (const child of [
    ...profileCommands(context),
    ...tabCommands(context),
    ...pageCommands(context),
    ...guardCommands(context),
  ]) {
    command.addCommand(child);
  }
  return command;
}
