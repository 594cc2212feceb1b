/** Commands of skills that a node lets through under `autoAllowSkills` (spec/exec.md 10); nowhere else do they count. */

import { baseName } from "./paths.ts";
import { isBareName } from "./patterns.ts";
import { isTrustedDirectory } from "./safeBins.ts";
import type { CommandPipeline, CommandSegment } from "./types.ts";

/** A program that an installed skill brings along. */
export interface SkillBin {
  name: string;
  /** Where the name led when the skill was looked at; links followed. */
  realPath: string;
}

/** A bare name counts, and only while it still leads to the file that the skill brought. */
export function isSkillCommand(segment: CommandSegment, bins: readonly SkillBin[]): boolean {
  const [name = ""] = segment.effectiveArgv;
  const { realPath } = segment.execution;
  if (segment.blockedWrapper !== null || segment.wrappers.length > 0 || segment.hasHeredoc) return false;
  if (!isBareName(name) || realPath === null) return false;
  return bins.some((bin) => bin.name === name && bin.realPath === realPath);
}

const marker = "\\n---CMD---\\n";

/**
 * `cat …/skills/<id>/SKILL.md && printf '\n---CMD---\n' && <command of the skill>`: reading the manual first is no
 * reason to ask when everything that follows is trusted.
 * @param isTrusted whether a segment behind the prelude is satisfied in its own right
 * @param bins programs of skills
 * @returns indices of the two segments that pass as prelude; null when this is none
 */
export function findSkillPrelude(
  pipelines: readonly CommandPipeline[],
  bins: readonly SkillBin[],
  isTrusted: (segment: CommandSegment) => boolean,
): [number, number] | null {
  const [reading, marking, ...rest] = pipelines;
  const read = reading === undefined ? null : onlySegment(reading, "cat");
  const mark = marking === undefined ? null : onlySegment(marking, "printf");
  if (read === null || mark === null || rest.length === 0) return null;
  if (pipelines.slice(0, -1).some((pipeline) => pipeline.operatorAfter !== "&&")) return null;
  if (mark.argv.length !== 2 || mark.argv[1] !== marker) return null;
  const [, manual = ""] = read.argv;
  const id = /(?:^|\/)skills\/([A-Za-z0-9._-]+)\/SKILL\.md$/.exec(manual)?.[1];
  if (read.argv.length !== 2 || id === undefined || manual.split("/").includes("..") || id === ".")
    return null;
  const later = rest.flatMap((pipeline) => pipeline.segments);
  if (!later.every(isTrusted)) return null;
  const isOfSkill = (segment: CommandSegment) =>
    isSkillCommand(segment, bins) || baseName(segment.effectiveArgv[0] ?? "").endsWith("-wrapper");
  return later.some(isOfSkill) ? [read.index, mark.index] : null;
}

/** The system's own program, plainly started, with words that mean what they say. */
function onlySegment(pipeline: CommandPipeline, name: string): CommandSegment | null {
  const [segment, ...others] = pipeline.segments;
  if (segment === undefined || others.length > 0 || segment.argv[0] !== name) return null;
  const { resolvedPath } = segment.execution;
  const isPlain = segment.words.every((word) => word.expansions.length === 0) && !segment.hasHeredoc;
  return isPlain && resolvedPath !== null && isTrustedDirectory(resolvedPath, {}) ? segment : null;
}
