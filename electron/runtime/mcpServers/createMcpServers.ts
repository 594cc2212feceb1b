/** Foreign MCP servers: which run, which tools they bring, and what a person says about them. */

import type { McpServer, SallyportContract } from "../../../shared/contract/index.ts";
import type { Hardening } from "../../../shared/hardening/rules.ts";
import { listKnownTools } from "../../../shared/policy/index.ts";
import { normalizeToolName } from "../../../shared/policy/names.ts";
import type { EventPayload } from "../../../shared/rpc/index.ts";
import type { Approvals } from "../approvals/createApprovals.ts";
import type { Clock } from "../clock.ts";
import type { ConfigStore, SettingsStore } from "../config/index.ts";
import { createEmitter } from "../events/emitter.ts";
import type { Logger } from "../logging/logger.ts";
import type { ToolDefinition } from "../tools/defineTool.ts";
import type { ToolSource } from "../tools/registry.ts";
import { baseEnvironment } from "./baseEnvironment.ts";
import { type Connection, connectServer } from "./connection.ts";
import { type ForeignTool, readDefinitions } from "./definitions.ts";
import { readServerEntries, type ServerEntry } from "./entries.ts";
import { createForeignTool } from "./foreignTools.ts";
import { createMcpServerHandlers, type McpServerHandlers } from "./handlers.ts";
import { createLogTail, type LogTail } from "./logTail.ts";
import { resolveSpec } from "./resolveSpec.ts";
import { createServerMachine, type ServerMachine } from "./serverMachine.ts";
import { createStanding } from "./standing.ts";
import { targetOf, viewOf } from "./view.ts";

export interface McpServersDeps {
  config: ConfigStore;
  settings: SettingsStore;
  hardening(): Hardening;
  approvals: Approvals;
  clock: Clock;
  logger: Logger;
  version: string;
  /** Looked up for `${NAME}` in entries. */
  keyEnv: Readonly<Record<string, string | undefined>>;
  /** Where the few variables of a server come from. */
  hostEnv(): Promise<Readonly<Record<string, string>>>;
  homeDir: string;
  record(kind: string, by: string, data: Record<string, unknown>): void;
  publish(payload: EventPayload<SallyportContract, "mcpServers.changed">): void;
}

export interface McpServers {
  source: ToolSource;
  handlers: McpServerHandlers;
  /** Called when a tool came, went or changed. */
  onToolsChanged(listener: () => void): () => void;
  /** Starts what may be started, now and after every change of config and settings. Without it nothing ever runs. */
  start(): void;
  /** Ends every server with all that it started; bounded. May be called twice. */
  dispose(): Promise<void>;
}

/** One server as it is known now. The machine outlives changes that do not touch the entry. */
interface Kept {
  entry: ServerEntry;
  machine: ServerMachine;
  log: LogTail;
  /** A person stopped it; a restart of the app forgets that. */
  isStopped: boolean;
}

const publishAfterMs = 100;

export function createMcpServers(deps: McpServersDeps): McpServers {
  const { config, settings, clock, logger } = deps;
  const standing = createStanding({ settings, clock });
  const events = createEmitter<{ tools: undefined }>({
    onListenerError: (_event, error) => logger.error("mcpServers.listenerFailed", { error }),
  });
  const kept = new Map<string, Kept>();
  /** Servers that are being ended: nothing new may pass for finished before they are gone. */
  const ending = new Set<Promise<void>>();
  let isRunning = false;
  let isDisposed = false;
  let revision = 0;
  let cancelPublish: (() => void) | null = null;
  /** Words of persons that are being written down now. */
  let deciding = 0;
  const coreNames = new Set(listKnownTools({}, {}).map((tool) => normalizeToolName(tool.name)));

  const needsConfirmation = () => deps.hardening().has("mcp.confirmStart");
  const mayRun = ({ entry, isStopped }: Kept) =>
    isRunning &&
    !isDisposed &&
    !isStopped &&
    entry.spec.ok &&
    (!needsConfirmation() || standing.confirmation(entry) === "confirmed");

  const view = (one: Kept): McpServer =>
    viewOf({
      entry: one.entry,
      machine: one.machine,
      confirmation: standing.confirmation(one.entry),
      needsConfirmation: needsConfirmation(),
      standing,
      log: one.log.text(),
    });
  const snapshot = () => ({ servers: [...kept.values()].map(view) });

  const publishSoon = () => {
    if (isDisposed || cancelPublish !== null) return;
    cancelPublish = clock.after(publishAfterMs, () => {
      cancelPublish = null;
      deps.publish(snapshot());
    });
  };

  const tools = createToolList();
  /** What agents see may differ now. */
  const changed = () => {
    if (
      tools.update([...kept.values()].map((one) => ({ one, isReady: one.machine.connection() !== null })))
    ) {
      revision += 1;
      events.emit("tools", undefined);
    }
    publishSoon();
  };

  const forget = (one: Kept) => {
    const ended = one.machine.stop().finally(() => ending.delete(ended));
    ending.add(ended);
  };

  const keep = (entry: ServerEntry): Kept => {
    const log = createLogTail(publishSoon);
    const own: Kept = {
      entry,
      log,
      isStopped: false,
      machine: createServerMachine({
        clock,
        logger: logger.child({ mcpServer: entry.name }),
        connect: async (signal, onToolsChanged) => {
          if (!entry.spec.ok) throw new Error("An entry that cannot be read is never started.");
          log.clear();
          const plan = await resolveSpec(entry.spec.value, {
            config: () => config.effective().config,
            env: deps.keyEnv,
            homeDir: deps.homeDir,
          });
          const env = plan.kind === "stdio" ? baseEnvironment(await deps.hostEnv(), plan.env) : {};
          signal.throwIfAborted();
          return connectServer(plan.kind === "stdio" ? { ...plan, env } : plan, {
            version: deps.version,
            timeoutMs: entry.connectionTimeoutMs,
            signal,
            onStderr: log.add,
            onToolsChanged,
          });
        },
        readTools: (raw) =>
          readDefinitions(raw, {
            serverId: entry.id,
            otherServerIds: [...kept.values()].flatMap((other) => (other === own ? [] : [other.entry.id])),
            reserved: coreNames,
          }),
        onChanged: changed,
        record: (kind, data) =>
          deps.record(`mcpServer.${kind}`, "runtime", { server: entry.name, digest: entry.digest, ...data }),
      }),
    };
    return own;
  };

  /** Makes what runs agree with config and settings. */
  const reconcile = () => {
    if (isDisposed) return;
    const entries = readServerEntries(config.effective().config, config.positionOf);
    const before = new Map(kept);
    kept.clear();
    for (const entry of entries) {
      const one = before.get(entry.name);
      // Another place in the file is no other server; another id gives its tools other names.
      const isSame = one !== undefined && one.entry.digest === entry.digest && one.entry.id === entry.id;
      if (isSame) {
        before.delete(entry.name);
        one.entry = entry;
      }
      kept.set(entry.name, isSame ? one : keep(entry));
    }
    for (const gone of before.values()) forget(gone);
    for (const one of kept.values()) {
      if (mayRun(one)) {
        if (one.machine.state().kind === "stopped") one.machine.start();
      } else if (one.machine.state().kind !== "stopped") forget(one);
    }
    changed();
  };

  const toolDeps = {
    approvals: deps.approvals,
    clock,
    callsAsk: () => deps.hardening().has("mcp.callsAsk"),
    requestLifetimeMs: () => settings.settings().approvals.requestLifetimeMs,
    isAllowed: standing.isAllowed,
    isChanged: (entry: ServerEntry, tool: ForeignTool) => standing.allowance(entry, tool).isChanged,
    async allow(entry: ServerEntry, tool: ForeignTool, agentId: string, by: string) {
      await standing.allow(entry, tool, agentId, by);
      const { definitionDigest } = tool;
      deps.record("mcpServer.toolAllowed", by, {
        server: entry.name,
        tool: tool.name,
        agentId,
        definitionDigest,
      });
    },
    targetOf,
    liveTool(entry: ServerEntry, tool: ForeignTool): { connection: Connection; tool: ForeignTool } | null {
      const one = kept.get(entry.name);
      // Another entry under the same name is another server.
      if (one === undefined || one.entry.digest !== entry.digest) return null;
      const connection = one.machine.connection();
      // Policy was asked about the name; a tool that goes by another one now is not what it let through.
      const now = one.machine
        .tools()
        .find(({ name, remoteName }) => remoteName === tool.remoteName && name === tool.name);
      return connection === null || now === undefined ? null : { connection, tool: now };
    },
  };

  /** Definitions are made once per tool as listed, so that nothing changes for whoever holds them. */
  function createToolList() {
    const made = new WeakMap<ForeignTool, ToolDefinition>();
    let listed: { tool: ToolDefinition; unavailable?: { reason: string; params: Record<string, string> } }[] =
      [];
    let key = "";
    const definitionOf = (entry: ServerEntry, tool: ForeignTool) => {
      const known = made.get(tool);
      if (known !== undefined) return known;
      const definition = createForeignTool(entry, tool, toolDeps);
      made.set(tool, definition);
      return definition;
    };
    return {
      all: () => listed,
      /** @returns whether anything differs from before */
      update(servers: { one: Kept; isReady: boolean }[]): boolean {
        const next = servers.flatMap(({ one, isReady }) =>
          one.machine.tools().map((tool) => ({
            tool: definitionOf(one.entry, tool),
            ...(isReady
              ? {}
              : { unavailable: { reason: "mcp-server-down", params: { server: one.entry.name } } }),
            key: `${tool.name} ${tool.definitionDigest} ${one.entry.digest} ${isReady}`,
          })),
        );
        const nextKey = next.map((item) => item.key).join("\n");
        listed = next.map(({ key: _key, ...item }) => item);
        if (nextKey === key) return false;
        key = nextKey;
        return true;
      },
    };
  }

  const offs = [
    config.events.on("changed", () => reconcile()),
    settings.events.on("changed", () => {
      if (deciding === 0) reconcile();
    }),
  ];

  const handlers = createMcpServerHandlers({
    snapshot,
    find: (name) => kept.get(name),
    view,
    standing,
    mayRun,
    async decided(work) {
      // What a person said is on record before anything starts or ends because of it.
      deciding += 1;
      try {
        await work();
      } finally {
        deciding -= 1;
        reconcile();
      }
    },
    reconcile,
    record: deps.record,
  });
  reconcile();

  let disposing: Promise<void> | null = null;
  const disposeAll = async () => {
    isDisposed = true;
    for (const off of offs) off();
    cancelPublish?.();
    for (const one of kept.values()) forget(one);
    await Promise.all(ending);
    events.clear();
  };

  return {
    source: { revision: () => revision, tools: () => tools.all() },
    handlers,
    onToolsChanged: (listener) => events.on("tools", listener),
    start() {
      isRunning = true;
      reconcile();
    },
    dispose() {
      disposing ??= disposeAll();
      return disposing;
    },
  };
}
