/** Types of policy questions and answers, inferred from the wire schemas. */

import type { z } from "zod";
import type * as schema from "./schema.ts";

/** Segments from the config root; numbers are positions in lists. */
export type ConfigPath = readonly (string | number)[];

/** The situation a list of tools is decided for. All fields but `surface` may be unknown. */
export type PolicyContext = z.input<typeof schema.policyContextSchema>;
export type PolicySurface = z.infer<typeof schema.policySurfaceSchema>;
export type ToolOwner = z.infer<typeof schema.toolOwnerSchema>;
/** A tool that registered itself or is known to be missing. Treated as immutable once handed to the engine. */
export type RegisteredTool = z.infer<typeof schema.registeredToolSchema>;
export type Reason = z.infer<typeof schema.reasonSchema>;
/**
 * One change of the config as JSON: `set` creates or replaces (parents are created), `insert` puts a list element
 * before the given position (length appends), `remove` deletes a key or a list element.
 */
export type ConfigEdit = z.infer<typeof schema.configEditSchema>;
export type PolicyStageResult = z.infer<typeof schema.policyStageResultSchema>;
export type PolicyWarning = z.infer<typeof schema.policyWarningSchema>;
/** A fact about config and context that holds on every preset; `enforced` tells what this evaluation made of it. */
export type PolicyFinding = z.infer<typeof schema.policyFindingSchema>;
/** The list of tools and how it came about, without reasons per tool. */
export type PolicyResult = z.infer<typeof schema.policyResultSchema>;
export type PolicyRule = z.infer<typeof schema.policyRuleSchema>;
export type PolicyCell = z.infer<typeof schema.policyCellSchema>;
export type PolicyColumn = z.infer<typeof schema.policyColumnSchema>;
export type PolicyVerdict = z.infer<typeof schema.policyVerdictSchema>;
export type PolicyRow = z.infer<typeof schema.policyRowSchema>;
/** The whole matrix: every tool at every column, with the rules that decided. */
export type PolicyTrace = z.infer<typeof schema.policyTraceSchema>;
