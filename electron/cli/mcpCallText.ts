/** A call of an MCP tool for a terminal: which tool of which server, and with what, on one line. */

import { clip } from "../../shared/files/text.ts";
import { safeLine } from "./io.ts";

/** Longer arguments are cut in lists; where somebody decides, all is shown. */
const maxListedChars = 160;
const argumentsLabel = "\narguments:\n";

/** @param text as an `mcpCall` request has it: the tool, facts with their names, the arguments as JSON */
export function mcpCallSummary(text: string): string {
  const at = text.indexOf(argumentsLabel);
  const facts = (at === -1 ? text : text.slice(0, at)).split("\n");
  const server = facts.find((line) => line.startsWith("server: "))?.slice("server: ".length);
  const of = server === undefined ? "" : ` of server ${safeLine(server)}`;
  const args = at === -1 ? "" : oneLine(text.slice(at + argumentsLabel.length));
  const cut = clip(args, maxListedChars);
  const rest = args.length - cut.length;
  const shown = safeLine(cut) + (rest === 0 ? "" : ` … ${rest} more characters`);
  return `${safeLine(facts[0] ?? "")}${of}${shown === "" ? "" : `  ${shown}`}`;
}

/** JSON has line breaks only between its parts: those within texts are written as escapes. */
function oneLine(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json));
  } catch {
    // Characters that were marked for people to see are no JSON any more.
    return json.replace(/\n[ \t]*/g, " ");
  }
}
