/** Results of assertions as a JUnit report, which CI systems show. */

import type { FileProblem } from "../../../shared/contract/index.ts";
import { type AssertionOutcome, refutationLines } from "../../../shared/policy/debug/index.ts";

export interface CheckedFile {
  name: string;
  results: readonly AssertionOutcome[];
}

/**
 * One suite per file, one case per assertion; a refuted one is a failure, an unreadable one an error.
 * @param problems why the config would not be loaded: errors of a suite of their own, in front
 */
export function junitReport(files: readonly CheckedFile[], problems: readonly FileProblem[]): string {
  const all = files.flatMap((file) => file.results);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="sallyport policy check" ${counts(all, problems.length)}>`,
    ...configSuite(problems),
    ...files.flatMap(({ name, results }) => [
      `  <testsuite name="${escapeXml(name)}" ${counts(results)}>`,
      ...results.flatMap((result) => testCase(name, result)),
      "  </testsuite>",
    ]),
    "</testsuites>",
    "",
  ].join("\n");
}

function counts(results: readonly AssertionOutcome[], problems = 0): string {
  const count = (kind: AssertionOutcome["kind"]) => results.filter((result) => result.kind === kind).length;
  return `tests="${results.length + problems}" failures="${count("refuted")}" errors="${count("invalid") + problems}"`;
}

function configSuite(problems: readonly FileProblem[]): string[] {
  if (problems.length === 0) return [];
  return [
    `  <testsuite name="config" ${counts([], problems.length)}>`,
    ...problems.flatMap(({ path, line, configPath, message }) => [
      `    <testcase classname="config" name="${escapeXml(configPath ?? path)}" file="${escapeXml(path)}" line="${line ?? 1}">`,
      `      <error message="${escapeXml(message)}"/>`,
      "    </testcase>",
    ]),
    "  </testsuite>",
  ];
}

function testCase(file: string, result: AssertionOutcome): string[] {
  const open = `    <testcase classname="${escapeXml(file)}" name="${escapeXml(result.text)}" file="${escapeXml(file)}" line="${result.line}"`;
  if (result.kind === "proved") return [`${open}/>`];
  if (result.kind === "invalid") {
    return [`${open}>`, `      <error message="${escapeXml(result.message)}"/>`, "    </testcase>"];
  }
  const [summary, ...steps] = refutationLines(result);
  return [
    `${open}>`,
    `      <failure message="${escapeXml(summary ?? "refuted")}">${escapeXml(steps.join("\n"))}</failure>`,
    "    </testcase>",
  ];
}

/** Characters that XML 1.0 cannot hold at all are replaced. */
function escapeXml(text: string): string {
  return text
    .replace(/[^\u0009\u000a\u000d\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
