/** The config that a policy question is about: a text with positions, parsed data, or the one that counts now. */

import type { FileProblem } from "../../../shared/contract/index.ts";
import { AppError } from "../../../shared/errors/index.ts";
import type { TextPosition } from "../../../shared/json5/json5Document.ts";
import { findInclude } from "../../../shared/policy/includes.ts";
import { pathText } from "../../../shared/policy/index.ts";
import { validateConfigText } from "../config/index.ts";

export interface QuestionConfig {
  value: unknown;
  positionOf(path: readonly (string | number)[]): TextPosition | null;
  /** Why the config would be refused at load; the answers are still what the lenient engine says. */
  problems: FileProblem[];
}

/**
 * Reads a config text for questions. A text that only breaks the schema is still answered for, as OpenClaw's engine
 * would; its problems go along.
 * @param path named in the problems
 * @throws AppError INVALID_INPUT with `data.problems` when the text is no JSON5 at all, or takes parts from other files
 */
export function readQuestionText(text: string, path: string): QuestionConfig {
  const checked = validateConfigText(text, path);
  if (checked.ok) return { value: checked.config, positionOf: checked.document.positionOf, problems: [] };
  const { document, problems } = checked;
  if (document === null || findInclude(document.value) !== null) {
    const problem = problems[0];
    throw new AppError("INVALID_INPUT", problem?.message ?? "The text is not JSON5.", { data: { problems } });
  }
  return { value: document.value, positionOf: document.positionOf, problems };
}

export type Positions = Record<string, TextPosition>;

/** @returns line and column of those paths that the text holds, by dotted path */
export function positionsOf(
  config: QuestionConfig,
  paths: Iterable<readonly (string | number)[] | null>,
): Positions {
  const positions = new Map<string, TextPosition>();
  for (const path of paths) {
    const position = path === null ? null : config.positionOf(path);
    if (path !== null && position !== null) positions.set(pathText(path), position);
  }
  return Object.fromEntries(positions);
}
