/** Which server a tool or a section of tools belongs to, as far as the panel has been told. */

import { useMemo } from "react";
import type { McpServer } from "../../../shared/contract/index.ts";
import { useLive } from "../../rpc/hooks.ts";

/** @returns the server that brings the tool; null for tools of Sallyport and of plugins */
export function useServerOfTool(tool: string): McpServer | null {
  const servers = useLive((state) => state.mcpServers);
  return servers?.find(({ tools }) => tools.some(({ name }) => name === tool)) ?? null;
}

/** @returns the sections (`plugin:<id>`) that are those of servers, with the id of the server */
export function useServerSections(): ReadonlyMap<string, string> {
  const servers = useLive((state) => state.mcpServers);
  return useMemo(() => new Map((servers ?? []).map(({ id }) => [`plugin:${id}`, id])), [servers]);
}
