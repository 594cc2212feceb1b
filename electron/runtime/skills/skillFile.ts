/** Reads the front matter of a SKILL.md: the few keys that say what the skill does for tools. Hostile text, never run. */

export interface SkillFile {
  /** Absent: the skill goes by its folder. */
  name?: string;
  /** One line, cut. */
  description?: string;
  /** Whether a person may call it as `/<skill>`. */
  isUserInvocable: boolean;
  /** Whether a model is told of it. */
  isForModel: boolean;
  /** What `/<skill>` does: hand its text to a model, or call a tool; `null` when the tool is not named. */
  dispatch: { kind: "text" } | { kind: "tool"; tool: string | null };
  /** Names as written, without what stands in brackets behind them. */
  allowedTools: string[];
}

const maxLines = 500;
const maxTools = 64;
const maxNameChars = 64;
const maxDescriptionChars = 300;

/**
 * Understands what front matter of skills consists of: `key: value`, quoted or not, and lists in brackets or with
 * dashes. Anything nested is passed over; a key that occurs twice counts as written last.
 * @returns null when the text does not begin with front matter
 * @see gateway-sessions-nodes.md §22
 */
export function parseSkillFile(text: string): SkillFile | null {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/, maxLines + 1);
  if (lines[0]?.trimEnd() !== "---") return null;
  const end = lines.findIndex((line, index) => index > 0 && /^(?:---|\.\.\.)\s*$/.test(line));
  if (end === -1) return null;
  const values = new Map<string, string[]>();
  for (let index = 1; index < end; index += 1) {
    const found = /^([A-Za-z][\w-]{0,63})[ \t]*:(?:[ \t]+(.*))?$/.exec(lines[index] ?? "");
    if (found === null) continue;
    const own: string[] = [];
    while (index + 1 < end && /^(?:[ \t]|-[ \t]|\]|$)/.test(lines[index + 1] ?? "")) {
      index += 1;
      own.push(lines[index] ?? "");
    }
    values.set((found[1] ?? "").toLowerCase().replaceAll("_", "-"), [found[2] ?? "", ...own]);
  }
  const name = scalar(values.get("name"));
  const description = paragraph(values.get("description"));
  const isTool = scalar(values.get("command-dispatch"))?.toLowerCase() === "tool";
  // `command-arg-mode` has one mode, raw; another word means raw too, so it is not looked at.
  const tool = scalar(values.get("command-tool")) ?? null;
  return {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    isUserInvocable: flag(values.get("user-invocable"), true),
    isForModel: !flag(values.get("disable-model-invocation"), false),
    dispatch: isTool ? { kind: "tool", tool } : { kind: "text" },
    allowedTools: toolNames(values.get("allowed-tools")),
  };
}

/**
 * @param raw untrusted
 * @returns a name that can be shown: what controls a terminal, reorders text or is not seen becomes a mark that is, and
 * what is cut off too, so that such a name is not that of another
 */
export function shownName(raw: string): string {
  return cut(raw.replace(unseen, "\uFFFD").trim(), maxNameChars);
}

function cut(text: string, maxChars: number): string {
  const characters = [...text];
  if (characters.length <= maxChars) return text;
  return `${characters
    .slice(0, maxChars - 1)
    .join("")
    .trimEnd()}…`;
}

const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;

function scalar(lines: readonly string[] | undefined): string | undefined {
  const text = shownName(unquoted((lines?.[0] ?? "").trim()));
  return text === "" ? undefined : text;
}

/** Also a text over several lines, folded or not. */
function paragraph(lines: readonly string[] | undefined): string | undefined {
  if (lines === undefined) return undefined;
  const [first = "", ...more] = lines;
  const isBlock = /^[>|][-+\d]*\s*$/.test(first.trim());
  const whole = isBlock
    ? more.join(" ")
    : unquoted([first.trim(), ...more.map((line) => line.trim())].join(" "));
  const text = whole.replace(unseen, " ").replace(/\s+/g, " ").trim();
  return text === "" ? undefined : cut(text, maxDescriptionChars);
}

/** A word that is neither yes nor no leaves the default. */
function flag(lines: readonly string[] | undefined, fallback: boolean): boolean {
  const word = scalar(lines)?.toLowerCase() ?? "";
  if (/^(?:true|yes|on|1)$/.test(word)) return true;
  return /^(?:false|no|off|0)$/.test(word) ? false : fallback;
}

function unquoted(text: string): string {
  const quoted = /^"([^"]*)"|^'([^']*)'/.exec(text);
  if (quoted !== null) return quoted[1] ?? quoted[2] ?? "";
  // A comment needs a blank in front of it.
  return text.replace(/(?:^|[ \t])#.*$/, "");
}

/** `["message", "exec"]`, lines with dashes, `exec, read`, or `Bash(git add:*) Read`. */
function toolNames(lines: readonly string[] | undefined): string[] {
  if (lines === undefined) return [];
  const text = lines
    .map((line) => line.trim().replace(/^-[ \t]+/, ""))
    .filter((line) => !line.startsWith("#"))
    .join("\n")
    .slice(0, 8192);
  const names = text
    .replace(/\([^()]*\)/g, "")
    .split(/[\s,[\]"']+/)
    .map(shownName)
    .filter((name) => name !== "");
  return [...new Set(names)].slice(0, maxTools);
}
