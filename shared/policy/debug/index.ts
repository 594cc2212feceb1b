/** The pure parts of the policy debugger. */

export * from "./assertions.ts";
export * from "./compareTraces.ts";
export * from "./configEdits.ts";
export * from "./contextClasses.ts";
export * from "./everyFinding.ts";
export { collectFindings, type SkillTools } from "./findings.ts";
export * from "./schema.ts";
export * from "./steps.ts";
export * from "./texts.ts";
export * from "./toolSupply.ts";
export * from "./whyTool.ts";
