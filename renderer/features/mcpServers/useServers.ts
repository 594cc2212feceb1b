/** The servers as the runtime tells of them, and why they cannot be told. */

import type { McpServer } from "../../../shared/contract/index.ts";
import { useLive, useQueryRpc } from "../../rpc/hooks.ts";

/** @returns `servers` is null until they were read; `error` says why they were not */
export function useServers(): { servers: McpServer[] | null; error: Error | null; retry: () => void } {
  const live = useLive((state) => state.mcpServers);
  // The live state keeps silent about a read that failed: here somebody looks at it.
  const asked = useQueryRpc("mcpServers.list", {}, { enabled: live === null });
  return {
    servers: live ?? asked.data?.servers ?? null,
    error: live === null ? asked.error : null,
    retry: () => void asked.refetch(),
  };
}

/** @returns whether a person's word is what the server waits for */
export function waitsForWord({ state }: McpServer): boolean {
  return state.kind === "unconfirmed";
}
