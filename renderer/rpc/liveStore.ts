/** Event-fed state that every view may read by selector: one snapshot on connect, then events. */

import { createStore, type StoreApi } from "zustand/vanilla";
import type {
  ApprovalDecision,
  ApprovalRequest,
  AppStatus,
  McpClient,
  McpServer,
  ProcessInfo,
  SallyportContract,
  Survivor,
  ToolCallSnapshot,
  UiSettings,
} from "../../shared/contract/index.ts";
import type { EventPayload } from "../../shared/rpc/index.ts";
import type {
  ConnectionState,
  PanelEvent,
  PanelInput,
  PanelMethod,
  PanelOutput,
  PanelRpc,
} from "./connection.ts";

export type TryoutRun = EventPayload<SallyportContract, "tryout.changed">;

/** `null` = not read yet, or not allowed to be read by this panel. */
export interface LiveState {
  connection: ConnectionState;
  status: AppStatus | null;
  /** Oldest first. */
  pending: ApprovalRequest[] | null;
  /** Newest first, at most 20. */
  recentDecisions: ApprovalDecision[];
  processes: ProcessInfo[] | null;
  survivors: Survivor[];
  clients: McpClient[] | null;
  mcpUrl: string | null;
  /** Servers whose tools join those of the agents, in the order of the config. */
  mcpServers: McpServer[] | null;
  /** By toolCallId; the newest 500. */
  calls: ReadonlyMap<string, ToolCallSnapshot>;
  tryout: TryoutRun | null;
  settings: UiSettings;
  /** Whether this connection counts as a person who can be reached (A17). */
  attending: boolean;
}

export const defaultSettings: UiSettings = {
  theme: "system",
  language: "system",
  density: "compact",
  attention: "badge",
  singleKeys: true,
};

const maxCalls = 500;

/** @returns the store and a function that stops feeding it */
export function createLiveStore(rpc: PanelRpc): { store: StoreApi<LiveState>; stop: () => void } {
  const store = createStore<LiveState>(() => ({
    connection: rpc.state(),
    status: null,
    pending: null,
    recentDecisions: [],
    processes: null,
    survivors: [],
    clients: null,
    mcpUrl: null,
    mcpServers: null,
    calls: new Map(),
    tryout: null,
    settings: defaultSettings,
    attending: false,
  }));
  const set = store.setState;
  const offs: (() => void)[] = [];
  let round = 0;
  const eventCounts = new Map<PanelEvent, number>();

  const follow = <E extends PanelEvent>(
    event: E,
    apply: (payload: EventPayload<SallyportContract, E>) => void,
  ) => {
    offs.push(
      rpc.on(event, (payload) => {
        eventCounts.set(event, (eventCounts.get(event) ?? 0) + 1);
        apply(payload);
      }),
    );
  };
  /** An event that arrives while its snapshot is read is newer than the snapshot: then the snapshot is dropped. */
  const read = async <M extends PanelMethod>(
    method: M,
    input: PanelInput<M>,
    event: PanelEvent,
    apply: (output: PanelOutput<M>) => void,
  ) => {
    const ownRound = round;
    const before = eventCounts.get(event) ?? 0;
    try {
      const output = await rpc.call(method, input);
      if (ownRound === round && (eventCounts.get(event) ?? 0) === before) apply(output);
    } catch {
      // Not allowed for this panel, or the connection went away: the slice stays as it was, and the connection
      // state says which of the two it is.
    }
  };

  const applyApprovals = (snapshot: { pending: ApprovalRequest[]; recent: ApprovalDecision[] }) =>
    set({
      pending: [...snapshot.pending].sort((a, b) => a.createdAtMs - b.createdAtMs),
      recentDecisions: snapshot.recent,
    });
  const applyProcesses = (list: { processes: ProcessInfo[]; survivors: Survivor[] }) =>
    set({ processes: list.processes, survivors: list.survivors });
  const applyCalls = (calls: ToolCallSnapshot[]) =>
    set((state) => {
      const next = new Map(state.calls);
      for (const call of calls) {
        const known = next.get(call.toolCallId);
        if (known === undefined || known.updatedAtMs <= call.updatedAtMs) next.set(call.toolCallId, call);
      }
      for (const id of next.keys()) {
        if (next.size <= maxCalls) break;
        next.delete(id);
      }
      return { calls: next };
    });

  follow("app.statusChanged", (status) => set({ status }));
  follow("approvals.changed", applyApprovals);
  follow("processes.changed", applyProcesses);
  follow("clients.changed", ({ clients, mcpUrl }) => set({ clients, mcpUrl }));
  follow("mcpServers.changed", ({ servers }) => set({ mcpServers: servers }));
  follow("calls.changed", (call) => applyCalls([call]));
  follow("tryout.changed", (tryout) => set({ tryout }));
  follow("ui.settingsChanged", (settings) => set({ settings }));
  offs.push(rpc.onState((connection) => set({ connection })));
  const resync = () => {
    round += 1;
    void read("app.status", {}, "app.statusChanged", (status) => set({ status }));
    void read("ui.settings.get", {}, "ui.settingsChanged", (settings) => set({ settings }));
    void read("approvals.list", {}, "approvals.changed", applyApprovals);
    void read("processes.list", {}, "processes.changed", applyProcesses);
    void read("clients.list", {}, "clients.changed", ({ clients, mcpUrl }) => set({ clients, mcpUrl }));
    void read("mcpServers.list", {}, "mcpServers.changed", ({ servers }) => set({ mcpServers: servers }));
    void read("calls.list", { limit: 100 }, "calls.changed", ({ calls }) => applyCalls([...calls].reverse()));
    rpc.call("approvals.attend", {}).then(
      ({ attending }) => set({ attending }),
      // Refused for a panel that may not approve: then nobody is reached through it, which is what it shows.
      () => set({ attending: false }),
    );
  };
  offs.push(rpc.onResync(resync));
  if (rpc.state().kind === "open") resync();
  const stop = () => {
    for (const off of offs.splice(0)) off();
  };
  return { store, stop };
}
