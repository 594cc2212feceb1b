/** Where the gateway tool is stricter or saner than the reference (gateway-sessions-nodes.md 8), each as a switch. */

import type { HardeningRule } from "../hardening/rules.ts";

export const gatewayHardening: readonly HardeningRule[] = [
  {
    id: "gateway.protectedConfig",
    reference:
      "config.apply and config.patch of the gateway tool change everything but tools.exec.ask and tools.exec.security: tool policy, safe bins, elevated, the Gateway's own auth.",
    sallyport:
      "They change settings that are known to be harmless and nothing else, and only to values of the known form; every other path is refused by name.",
    source: "gateway-sessions-nodes.md 8",
  },
  {
    id: "gateway.configAsks",
    reference: "A change of the config by the gateway tool is written without asking.",
    sallyport:
      "It waits for a person, who sees the difference without secrets; it is written only while the file is still the one that was shown.",
    source: "gateway-sessions-nodes.md 8",
  },
  {
    id: "gateway.restartAsks",
    reference: "The gateway tool restarts the gateway without asking; running commands end.",
    sallyport: "A restart by an agent waits for a person, who sees what would end.",
    source: "gateway-sessions-nodes.md 8",
  },
];
