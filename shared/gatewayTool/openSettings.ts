/** What an agent may ask to change in openclaw.json: settings that are known to be harmless, with the form of each. */

import { z } from "zod";
import type { DocumentPath } from "../json5/json5Document.ts";

export interface OpenSetting {
  /** Keys from the root; `[]` stands for any item of a list. */
  path: readonly string[];
  schema: z.ZodType;
}

/** Stands in `OpenSetting.path` for any index. */
export const anyItem = "[]";

const flag = z.boolean();
const text = (maxChars: number) => z.string().max(maxChars);
const ms = (max: number) => z.number().int().min(0).max(max);
const colour = z.string().regex(/^#?[0-9a-f]{3,8}$/i);

/** One line per setting: what it does is told to the model by `config.schema.lookup`. */
const table: [path: string, schema: z.ZodType, help: string][] = [
  ["ui.seamColor", colour, "Accent colour, as hexadecimal RGB"],
  ["ui.assistant.name", text(50), "How the assistant is called where it is shown"],
  ["messages.messagePrefix", text(200), "Put in front of incoming messages"],
  ["messages.responsePrefix", text(200), "Put in front of replies"],
  ["messages.ackReaction", text(32), "Emoji that confirms that a message was seen; empty: none"],
  [
    "messages.ackReactionScope",
    z.enum(["group-mentions", "group-all", "direct", "all", "off", "none"]),
    "Which messages get the emoji",
  ],
  ["messages.removeAckAfterReply", flag, "Take the emoji away after the reply"],
  ["messages.inbound.debounceMs", ms(60_000), "Wait this long for more messages before answering"],
  [
    "messages.queue.mode",
    z.enum(["steer", "followup", "collect", "steer-backlog", "steer+backlog", "queue", "interrupt"]),
    "What happens with messages that come during a turn",
  ],
  ["messages.queue.debounceMs", ms(60_000), "Wait this long before queued messages are taken"],
  ["messages.queue.cap", z.number().int().min(1).max(1000), "How many messages are queued"],
  ["messages.queue.drop", z.enum(["old", "new", "summarize"]), "What is dropped when the queue is full"],
  [
    "messages.groupChat.historyLimit",
    z.number().int().min(0).max(1000),
    "Messages of a group kept as context",
  ],
  ["messages.tts.auto", z.enum(["off", "always", "inbound", "tagged"]), "When replies are read aloud"],
  ["messages.tts.mode", z.enum(["final", "all"]), "Which replies of a turn are read aloud"],
  [
    "messages.tts.maxTextLength",
    z.number().int().min(1).max(4096),
    "Longest text that is spoken, in characters",
  ],
  ["session.typingMode", z.enum(["never", "instant", "thinking", "message"]), "When typing is shown"],
  ["session.typingIntervalSeconds", z.number().int().min(1).max(600), "How often typing is shown again"],
  ["talk.interruptOnSpeech", flag, "Stop speaking when the person speaks"],
  ["talk.silenceTimeoutMs", ms(60_000), "Silence after which a spoken sentence counts as ended"],
  ["memory.citations", z.enum(["auto", "on", "off"]), "Whether found notes name their place"],
  ["logging.consoleStyle", z.enum(["pretty", "compact", "json"]), "Form of log lines in a terminal"],
  [
    "cli.banner.taglineMode",
    z.enum(["random", "default", "off"]),
    "Line under the banner of the command line",
  ],
  ["browser.color", colour, "Colour of the managed browser, as hexadecimal RGB"],
  ["browser.snapshotDefaults.mode", z.enum(["efficient"]), "How a page is read when a call does not say"],
  ["agents.defaults.userTimezone", text(64), "Time zone of the person, such as Europe/Vienna"],
  ["agents.defaults.timeFormat", z.enum(["auto", "12", "24"]), "How times of day are written"],
  ["agents.defaults.envelopeTimezone", text(64), "Time zone in the heads of messages"],
  ["agents.defaults.envelopeTimestamp", z.enum(["on", "off"]), "Time in the heads of messages"],
  ["agents.defaults.envelopeElapsed", z.enum(["on", "off"]), "Elapsed time in the heads of messages"],
  [
    "agents.defaults.thinkingDefault",
    z.enum(["off", "minimal", "low", "medium", "high", "xhigh", "adaptive"]),
    "How much a model thinks when nobody says",
  ],
  ["agents.defaults.verboseDefault", z.enum(["off", "on", "full"]), "How much of a turn is told"],
  ["agents.defaults.imageMaxDimensionPx", z.number().int().min(64).max(4096), "Longest side of pictures"],
  ["agents.defaults.typingMode", z.enum(["never", "instant", "thinking", "message"]), "When typing is shown"],
  ["agents.defaults.typingIntervalSeconds", z.number().int().min(1).max(600), "How often it is shown again"],
  [
    "agents.defaults.humanDelay.mode",
    z.enum(["off", "natural", "custom"]),
    "Pauses between parts of a reply",
  ],
  ["agents.defaults.humanDelay.minMs", ms(60_000), "Shortest pause"],
  ["agents.defaults.humanDelay.maxMs", ms(60_000), "Longest pause"],
  [
    "agents.defaults.memorySearch.query.maxResults",
    z.number().int().min(1).max(100),
    "How many notes a search gives",
  ],
  ["agents.defaults.memorySearch.query.minScore", z.number().min(0).max(1), "How well a note must fit"],
  ["agents.list.[].name", text(80), "Name of the agent for people; its id stays"],
  ["agents.list.[].identity.name", text(50), "How the agent calls itself"],
  ["agents.list.[].identity.theme", text(200), "What the agent is like"],
  ["agents.list.[].identity.emoji", text(32), "Emoji of the agent"],
];

/**
 * Appearance, wording, pace and reading sizes. Not here, on purpose: anything that names a program, a path, an address,
 * a model or a person, that opens or closes a gate, that hides something from a person, or whose effect is not known.
 */
export const openSettings: readonly OpenSetting[] = table.map(([path, schema, help]) => ({
  path: path.split("."),
  schema: schema.describe(help),
}));

/** @returns the setting at exactly this path, or undefined */
export function openSettingAt(path: DocumentPath): OpenSetting | undefined {
  return openSettings.find(
    (setting) => startsWith(setting.path, path) && setting.path.length === path.length,
  );
}

/** Whether some setting that may be changed lies below this path. */
export function isAboveOpenSetting(path: DocumentPath): boolean {
  return openSettings.some((setting) => path.length < setting.path.length && startsWith(setting.path, path));
}

function startsWith(pattern: readonly string[], path: DocumentPath): boolean {
  return path.every((part, index) =>
    typeof part === "number" ? pattern[index] === anyItem : pattern[index] === part && part !== anyItem,
  );
}
