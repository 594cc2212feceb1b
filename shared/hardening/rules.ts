/**
 * Everything in which the product is stricter or saner than the reference, by name.
 * One evaluator reads these switches; preset `reference` has all off, preset `sallyport` all on.
 * `resources/docs/deviations.md` is generated from this table.
 */

export interface HardeningRule {
  /** `<area>.<what>`, as written in `sallyport.json5` under `hardening`. */
  id: string;
  /** One sentence: what OpenClaw 2026.3.31 does. */
  reference: string;
  /** One sentence: what Sallyport does with the rule on. */
  sallyport: string;
  /** Which spec section the weakness is described in. */
  source: string;
  /**
   * In force for every real call, whatever preset or switch: the product never opens this hole itself. Questions
   * "as OpenClaw would" still show how it is without the rule.
   */
  isAlwaysOn?: true;
}

export const hardeningPresets = ["reference", "sallyport"] as const;
export type HardeningPreset = (typeof hardeningPresets)[number];

/** The rules that are on, by id. Evaluators ask `hardening.has("policy.strictLists")`. */
export type Hardening = ReadonlySet<string>;
