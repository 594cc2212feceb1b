/** By whose rules a config is read: as enforced here, or as OpenClaw 2026.3.31 would, with OpenClaw's tools. */

export const semanticsIds = ["here", "openclaw"] as const;
export type Semantics = (typeof semanticsIds)[number];

/** @returns the preset to ask for; undefined = what the settings say, which is what counts for real calls */
export function presetOf(semantics: Semantics): "reference" | undefined {
  return semantics === "openclaw" ? "reference" : undefined;
}

export function otherSemantics(semantics: Semantics): Semantics {
  return semantics === "here" ? "openclaw" : "here";
}
