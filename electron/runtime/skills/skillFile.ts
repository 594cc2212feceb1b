/** Reads the front matter of a SKILL.md: the few keys that say which tools the skill needs. Hostile text, never run. */

export interface SkillFile {
  /** Absent: the skill goes by its folder. */
  name?: string;
  /** Tool that `/<skill>` calls, with `command-dispatch: tool`. */
  commandTool?: string;
  /** Names as written, without what stands in brackets behind them. */
  allowedTools: string[];
}

const maxLines = 500;
const maxTools = 64;
const maxNameChars = 64;

/**
 * Understands what front matter of skills consists of: `key: value`, quoted or not, and lists in brackets or with
 * dashes. Anything nested is passed over; a key that occurs twice counts as written last.
 * @returns null when the text does not begin with front matter
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
  const dispatch = scalar(values.get("command-dispatch"))?.toLowerCase();
  const commandTool = dispatch === "tool" ? scalar(values.get("command-tool")) : undefined;
  return {
    ...(name === undefined ? {} : { name }),
    ...(commandTool === undefined ? {} : { commandTool }),
    allowedTools: toolNames(values.get("allowed-tools")),
  };
}

function scalar(lines: readonly string[] | undefined): string | undefined {
  const text = unquoted((lines?.[0] ?? "").trim())
    .trim()
    .slice(0, maxNameChars);
  return text === "" ? undefined : text;
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
    .map((name) => name.slice(0, maxNameChars))
    .filter((name) => name !== "");
  return [...new Set(names)].slice(0, maxTools);
}
