/** The host for paired machines; as long as none is paired it says so and runs nothing. */

import { AppError } from "../../../../shared/errors/index.ts";
import type { ExecHost, HostAvailability } from "./execHost.ts";

const noNode: HostAvailability & { ok: false } = {
  ok: false,
  code: "noNodePaired",
  message: "exec host=node: no node is paired. Pair a node first, or use host=gateway.",
};

export function createNodeHost(): ExecHost {
  const refuse = async (): Promise<never> => {
    throw new AppError("UNAVAILABLE", noNode.message);
  };
  return {
    kind: "node",
    isAvailable: async () => noNode,
    place: refuse,
    shellLabel: () => "sh",
    prepare: refuse,
  };
}
