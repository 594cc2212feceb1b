/** Input of the process tool. */

import { z } from "zod";

export const processActions = [
  "list",
  "poll",
  "log",
  "write",
  "send-keys",
  "submit",
  "paste",
  "kill",
  "clear",
  "remove",
] as const;

export const processInput = z.object({
  action: z
    .enum(processActions)
    .describe(
      "list sessions; poll new output; log pages of all kept output; write, send-keys, submit, paste input; kill; clear an ended one; remove (kill and forget)",
    ),
  sessionId: z.string().optional().describe("Session id as exec and list give it; needed by all but list"),
  data: z.string().optional().describe("write: text for stdin, sent as it is"),
  keys: z
    .array(z.string())
    .optional()
    .describe("send-keys: key names such as Enter, Up, C-c, M-x, F5; sent after literal and hex"),
  hex: z.array(z.string()).optional().describe("send-keys: bytes such as 1b or 0x1b"),
  literal: z.string().optional().describe("send-keys: text sent first, as it is"),
  text: z.string().optional().describe("paste: the text to paste"),
  bracketed: z
    .boolean()
    .optional()
    .describe("paste: mark the text as pasted for programs that understand it; default true"),
  eof: z.boolean().optional().describe("write: close stdin afterwards (Ctrl-D on a terminal)"),
  offset: z.number().optional().describe("log: first line, counted from 0"),
  limit: z.number().optional().describe("log: number of lines; without offset the last ones; default 200"),
  timeout: z
    .union([z.number(), z.string()])
    .optional()
    .describe("poll: wait up to this many milliseconds for the end, at most 120000; default 0"),
});

export type ProcessInput = z.output<typeof processInput>;
