/**
 * Keeps a terminal from answering questions of the program. The runtime answers them once for a PTY; an answer from
 * every window, or again on every replay of old output, would be typed into the program as if a person had.
 */

import type { IDisposable, Terminal } from "@xterm/xterm";

export function silenceReplies(terminal: Terminal): IDisposable[] {
  const swallow = () => true;
  const swallowQuery = (data: string) => data.includes("?");
  return [
    terminal.parser.registerCsiHandler({ final: "c" }, swallow),
    terminal.parser.registerCsiHandler({ prefix: ">", final: "c" }, swallow),
    terminal.parser.registerCsiHandler({ prefix: "=", final: "c" }, swallow),
    terminal.parser.registerCsiHandler({ prefix: ">", final: "q" }, swallow),
    terminal.parser.registerCsiHandler({ final: "n" }, swallow),
    terminal.parser.registerCsiHandler({ prefix: "?", final: "n" }, swallow),
    terminal.parser.registerCsiHandler({ intermediates: "$", final: "p" }, swallow),
    terminal.parser.registerCsiHandler({ prefix: "?", intermediates: "$", final: "p" }, swallow),
    terminal.parser.registerCsiHandler({ final: "t" }, swallow),
    terminal.parser.registerDcsHandler({ intermediates: "$", final: "q" }, swallow),
    ...[4, 10, 11, 12].map((code) => terminal.parser.registerOscHandler(code, swallowQuery)),
  ];
}
