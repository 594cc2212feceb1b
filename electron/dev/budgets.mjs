/** Time budgets of the test suites, in the order in which they run; a suite that takes longer fails. */

const seconds = (count) => count * 1000;

/**
 * Measured on two cores, with room for a slower machine. Together they stay under 30 minutes.
 * @type {ReadonlyMap<string, { budgetMs: number, what: string }>}
 */
export const budgets = new Map([
  ["format", { budgetMs: seconds(30), what: "formatting and lint rules" }],
  ["types", { budgetMs: seconds(80), what: "types, each layer on its own" }],
  ["layers", { budgetMs: seconds(30), what: "a deliberate breach of each layer rule is refused" }],
  ["unit", { budgetMs: seconds(790), what: "unit tests" }],
  ["vectors", { budgetMs: seconds(170), what: "recorded vectors" }],
  ["e2e", { budgetMs: seconds(640), what: "the real app and a real browser" }],
  ["package", { budgetMs: seconds(60), what: "a packaged app that starts" }],
]);
