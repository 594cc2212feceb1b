/** All hardening rules of the product, joined from their areas. */

import { browserHardening } from "../browser/hardening.ts";
import { execHardening } from "../exec/hardening.ts";
import { filesHardening } from "../files/hardening.ts";
import { gatewayHardening } from "../gatewayTool/hardening.ts";
import { mcpHardening } from "../mcp/hardening.ts";
import { mediaHardening } from "../media/hardening.ts";
import { memoryHardening } from "../memory/hardening.ts";
import { policyHardening } from "../policy/hardening.ts";
import { speechHardening } from "../speech/hardening.ts";
import { webHardening } from "../web/hardening.ts";
import type { Hardening, HardeningRule } from "./rules.ts";

export * from "./rules.ts";

export const hardeningRules: readonly HardeningRule[] = [
  ...policyHardening,
  ...execHardening,
  ...filesHardening,
  ...gatewayHardening,
  ...webHardening,
  ...browserHardening,
  ...memoryHardening,
  ...speechHardening,
  ...mediaHardening,
  ...mcpHardening,
];

/** Preset `sallyport`. */
export const allHardening: Hardening = new Set(hardeningRules.map((rule) => rule.id));
