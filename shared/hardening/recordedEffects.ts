/** What each rule changes in the recorded commands. Written by `npm run docs`; do not change it by hand. */

export const recordedEffects: ReadonlyMap<string, string> = new Map([
  ["exec.strictGrammar", "allow → ask: 3"],
  ["exec.realPathMatch", "allow → ask: 11"],
  ["exec.versionedInterpreters", "allow → ask: 1"],
  ["exec.strictInlineEval", "allow → ask: 5"],
  ["exec.inlineEvalForms", "allow → ask: 5"],
  ["exec.keepWrappers", "allow → ask: 13"],
  ["exec.assignmentWords", "allow → ask: 1"],
  ["exec.safeBinInterpreters", "allow → ask: 1"],
  ["exec.safeBinPaths", "allow → ask: 1"],
  ["exec.invisibleText", "allow → ask: 1"],
  ["exec.fileAskOff", "allow → ask: 1"],
  ["exec.unreadableApprovals", "ask → deny: 1"],
]);
