/** Time budgets of the test suites, in the order in which they run; a suite that takes longer fails. */

const seconds = (count) => count * 1000;

/**
 * Measured on two cores, with room for a slower machine. A quiet run takes about half of it; together they stay under 45 minutes.
 * @type {ReadonlyMap<string, { budgetMs: number, what: string }>}
 */
export const budgets = new Map([
  ["format", { budgetMs: seconds(30), what: "formatting and lint rules" }],
  ["types", { budgetMs: seconds(100), what: "types, each layer on its own" }],
  ["layers", { budgetMs: seconds(30), what: "a deliberate breach of each layer rule is refused" }],
  ["unit", { budgetMs: seconds(1000), what: "unit tests" }],
  ["vectors", { budgetMs: seconds(240), what: "recorded vectors" }],
  ["e2e", { budgetMs: seconds(1140), what: "the real app and a real browser" }],
  ["package", { budgetMs: seconds(90), what: "a packaged app that starts" }],
]);
