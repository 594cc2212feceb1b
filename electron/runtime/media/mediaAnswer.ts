/** What the tools that ask models give back: the answer, wrapped, within a budget, with its facts. */

import { clip, tokenEstimate } from "../../../shared/files/index.ts";
import type { Hardening } from "../../../shared/hardening/rules.ts";
import { stripControls, stripInvisible, wrapUntrusted } from "../../../shared/web/index.ts";
import type { ToolResult } from "../tools/defineTool.ts";

export interface MediaAnswer {
  /** Of the model, untrusted. */
  text: string;
  /** The model was cut off. */
  isCut: boolean;
  /** One line: model, what it was asked about. */
  about: string;
  notes: readonly string[];
  details: Readonly<Record<string, unknown>>;
}

/** More than models write with the tokens they are given; a service that sends more is cut. */
const maxAnswerChars = 40_000;

export function answerResult(answer: MediaAnswer, hardening: Hardening): ToolResult {
  const whole = stripControls(stripInvisible(answer.text)).trim();
  const shown = clip(whole, maxAnswerChars);
  const isShort = shown.length < whole.length;
  const notes = [
    ...answer.notes,
    ...(isShort
      ? [
          `The answer has ${whole.length} characters; the first ${shown.length} are shown. Ask for a part of it.`,
        ]
      : []),
    ...(answer.isCut ? ["The model was cut off at its limit. Ask for less, or for the rest."] : []),
  ];
  const isWrapped = hardening.has("media.wrapAnswers");
  const body = isWrapped
    ? wrapUntrusted(shown, { source: "External", withWarning: false }).text.trimStart()
    : shown;
  const facts = `${answer.about}, ${shown.length} characters, about ${tokenEstimate(body)} tokens`;
  const text = [...(isWrapped ? [facts] : []), body, ...notes.map((note) => `[${note}]`)].join("\n");
  return {
    content: [{ type: "text", text }],
    details: {
      ...answer.details,
      chars: whole.length,
      tokenEstimate: tokenEstimate(text),
      truncated: isShort || answer.isCut,
      ...(isWrapped ? { externalContent: { untrusted: true, wrapped: true } } : {}),
      ...(notes.length > 0 ? { notes } : {}),
    },
  };
}

/** Bad arguments that programs recognise by a code: a normal result, marked as an error. */
export function refusalResult(
  error: string,
  message: string,
  facts: Readonly<Record<string, unknown>>,
): ToolResult {
  return { content: [{ type: "text", text: message }], details: { error, ...facts }, isError: true };
}
