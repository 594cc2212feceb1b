/** What components use of the connection: the client, cached requests, live state. */

import {
  type QueryClient,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
} from "@tanstack/react-query";
import { createContext, useContext, useEffect } from "react";
import { useStore } from "zustand";
import type { StoreApi } from "zustand/vanilla";
import type { SallyportContract } from "../../shared/contract/index.ts";
import type { EventPayload } from "../../shared/rpc/index.ts";
import type { PanelEvent, PanelInput, PanelMethod, PanelOutput, PanelRpc } from "./connection.ts";
import type { LiveState } from "./liveStore.ts";

export interface PanelConnection {
  rpc: PanelRpc;
  store: StoreApi<LiveState>;
}

export const PanelContext = createContext<PanelConnection | null>(null);

function usePanel(): PanelConnection {
  const panel = useContext(PanelContext);
  if (panel === null) throw new Error("This component needs the Providers of renderer/app.");
  return panel;
}

/** @returns the typed client, for calls that a person starts and for events. */
export function useRpc(): PanelRpc {
  return usePanel().rpc;
}

/** Reads live state; the selector must return the same reference for the same state. */
export function useLive<T>(selector: (state: LiveState) => T): T {
  return useStore(usePanel().store, selector);
}

/** Subscribes for as long as the component lives. `listener` should be stable or cheap to resubscribe. */
export function useRpcEvent<E extends PanelEvent>(
  event: E,
  listener: (payload: EventPayload<SallyportContract, E>) => void,
): void {
  const rpc = useRpc();
  useEffect(() => rpc.on(event, listener), [rpc, event, listener]);
}

export interface QueryRpcOptions {
  enabled?: boolean;
  /** Keep showing the former answer while the next one for another input is on its way. */
  keepPrevious?: boolean;
  staleTimeMs?: number;
  /** Another version of what the same input asks for is asked for again. */
  version?: string;
}

/**
 * A cached request. It is read again after a reconnect or a gap, and when openclaw.json changes for the methods
 * whose answer depends on it. Old data stays in `data` while that happens.
 */
export function useQueryRpc<M extends PanelMethod>(
  method: M,
  input: PanelInput<M>,
  options: QueryRpcOptions = {},
): UseQueryResult<PanelOutput<M>, Error> {
  const rpc = useRpc();
  return useQuery<PanelOutput<M>, Error>({
    queryKey: options.version === undefined ? [method, input] : [method, input, options.version],
    queryFn: ({ signal }) => rpc.call(method, input, { signal }),
    ...(options.enabled === undefined ? {} : { enabled: options.enabled }),
    ...(options.keepPrevious === true ? { placeholderData: (previous) => previous } : {}),
    ...(options.staleTimeMs === undefined ? {} : { staleTime: options.staleTimeMs }),
  });
}

/** An act of a person: never retried, never queued while the connection is lost. */
export function useMutationRpc<M extends PanelMethod>(
  method: M,
): UseMutationResult<PanelOutput<M>, Error, PanelInput<M>> {
  const rpc = useRpc();
  return useMutation<PanelOutput<M>, Error, PanelInput<M>>({
    mutationFn: (input) => rpc.call(method, input),
    retry: false,
    networkMode: "always",
    // What a person typed, a key for example, is not kept when nobody looks at the outcome any more.
    gcTime: 0,
  });
}

const configDependent = ["policy.", "tools.", "skills.", "config.", "exec.explain", "exec.approvals."];

const approvalsDependent = ["exec.explain", "exec.approvals."];

/** What is asked of the tools that there are. */
const toolDependent = ["policy.", "tools.", "skills."];

/**
 * Keeps the cache true, also for views that are not on screen now: everything after a resync, what depends on the
 * config or the approvals file after a change of it, grants, and what depends on the tools when those of MCP servers
 * come or go.
 */
export function followInvalidation(rpc: PanelRpc, queryClient: QueryClient): () => void {
  const invalidate = (prefixes: readonly string[]) =>
    void queryClient.invalidateQueries({
      predicate: ({ queryKey }) => {
        const [method] = queryKey;
        return typeof method === "string" && prefixes.some((prefix) => method.startsWith(prefix));
      },
    });
  let toolsOfServers: string | null = null;
  const offs = [
    rpc.onResync(() => void queryClient.invalidateQueries()),
    rpc.on("config.changed", () => invalidate(configDependent)),
    rpc.on("exec.approvals.changed", () => invalidate(approvalsDependent)),
    rpc.on("grants.changed", () => invalidate(["grants."])),
    rpc.on("mcpServers.changed", ({ servers }) => {
      // A log that grows changes no tool.
      const now = JSON.stringify(
        servers.map(({ state, tools }) => [
          state.kind === "ready",
          tools.map(({ name, description, inputSchema }) => [name, description, inputSchema]),
        ]),
      );
      if (now !== toolsOfServers) invalidate(toolDependent);
      toolsOfServers = now;
    }),
  ];
  return () => {
    for (const off of offs) off();
  };
}
