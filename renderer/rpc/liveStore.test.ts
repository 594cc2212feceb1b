// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from "vitest";
import { contract } from "../../shared/contract/index.ts";
import { createMemoryPair, type Scope, serve, type Transport } from "../../shared/rpc/index.ts";
import { fixtureHandlers, testRequest, testStatus } from "../testing/fixtures.ts";
import { createPanelRpc, type PanelRpc } from "./connection.ts";
import { createLiveStore } from "./liveStore.ts";

const all: (() => void)[] = [];
afterEach(() => {
  for (const end of all.splice(0)) end();
});

/** A panel on a server that can be taken down; `sends` counts connections. */
function start(handlers: Parameters<typeof fixtureHandlers>[0] = {}) {
  let end: Transport | null = null;
  let send: (event: string, payload: unknown, seq: number) => void = () => {};
  let connections = 0;
  const rpc: PanelRpc = createPanelRpc(async () => {
    const [clientSide, serverSide] = createMemoryPair();
    connections += 1;
    end = clientSide;
    send = (event, payload, seq) => serverSide.send({ type: "event", event, payload, seq });
    const stop = serve({
      contract,
      handlers: fixtureHandlers(handlers),
      transport: serverSide,
      principal: {
        kind: "panel",
        id: "panel:test",
        scopes: new Set<Scope>(["operator.admin"]),
        approvalSurface: true,
      },
      connectionId: "test",
    });
    all.push(stop);
    return clientSide;
  });
  const live = createLiveStore(rpc);
  all.push(live.stop, rpc.dispose);
  const until = (isSo: () => boolean) =>
    new Promise<void>((resolve) => {
      if (isSo()) return resolve();
      const off = live.store.subscribe(() => {
        if (!isSo()) return;
        off();
        resolve();
      });
    });
  return {
    rpc,
    store: live.store,
    until,
    send: (event: string, payload: unknown, seq: number) => send(event, payload, seq),
    drop: () => end?.close(),
    connections: () => connections,
  };
}

describe("the live store", () => {
  it("reads a snapshot on connect and counts as a person who can be reached", async () => {
    const panel = start({ "approvals.list": () => ({ pending: [testRequest("ls")], recent: [] }) });
    await panel.until(() => panel.store.getState().pending?.length === 1);
    await panel.until(() => panel.store.getState().attending);
  });

  it("sorts waiting requests oldest first", async () => {
    const older = testRequest("older", { createdAtMs: 1 });
    const newer = testRequest("newer", { createdAtMs: 2 });
    const panel = start({ "approvals.list": () => ({ pending: [newer, older], recent: [] }) });
    await panel.until(() => panel.store.getState().pending !== null);
    expect(panel.store.getState().pending?.map((request) => request.command)).toEqual(["older", "newer"]);
  });

  it("keeps the old content while the connection is lost, and reads again after it came back", async () => {
    let entries = 1;
    const panel = start({ "app.status": () => testStatus({ ledger: { entries, verifiedAtMs: null } }) });
    await panel.until(() => panel.store.getState().status?.ledger.entries === 1);
    entries = 2;
    panel.drop();
    await panel.until(() => panel.store.getState().connection.kind === "lost");
    expect(panel.store.getState().status?.ledger.entries).toBe(1);
    await expect(panel.rpc.call("mode.restore", {})).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await panel.until(() => panel.store.getState().status?.ledger.entries === 2);
    expect(panel.connections()).toBe(2);
  });

  it("reads snapshots again after a gap in events", async () => {
    let entries = 1;
    const panel = start({ "app.status": () => testStatus({ ledger: { entries, verifiedAtMs: null } }) });
    await panel.until(() => panel.store.getState().status !== null);
    entries = 5;
    panel.send("clients.changed", { clients: [], mcpUrl: null }, 1);
    panel.send("clients.changed", { clients: [], mcpUrl: null }, 3);
    await panel.until(() => panel.store.getState().status?.ledger.entries === 5);
  });

  it("lets an event win over a snapshot that was asked for before it", async () => {
    const answers: (() => void)[] = [];
    const panel = start({
      "approvals.list": () =>
        new Promise((resolve) => {
          answers.push(() => resolve({ pending: [testRequest("old")], recent: [] }));
        }),
    });
    await panel.until(() => panel.store.getState().status !== null);
    panel.send("approvals.changed", { pending: [testRequest("new")], recent: [] }, 1);
    await panel.until(() => panel.store.getState().pending !== null);
    for (const answer of answers) answer();
    await panel.rpc.call("health", {});
    expect(panel.store.getState().pending?.map((request) => request.command)).toEqual(["new"]);
  });
});
