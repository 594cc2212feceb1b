/** Renders panel components against a real contract server in memory, for tests. */

import { configure, type RenderResult, render } from "@testing-library/react";
import type { ReactNode } from "react";
import { contract, type SallyportContract } from "../../shared/contract/index.ts";
import {
  createMemoryPair,
  type EventName,
  type EventPayload,
  type Handlers,
  type Principal,
  type Scope,
  serve,
  type Transport,
} from "../../shared/rpc/index.ts";
import { Providers } from "../app/Providers.tsx";
import { createPanelRpc, type PanelRpc } from "../rpc/connection.ts";
import { fixtureHandlers } from "./fixtures.ts";

// Tests wait for states, not for time; a busy machine may need longer than the second that is the default.
configure({ asyncUtilTimeout: 8000 });

export type TestHandlers = Partial<Handlers<SallyportContract>>;

export interface TestPanel extends RenderResult {
  rpc: PanelRpc;
  /** Sends an event to the panel, as the runtime would. */
  emit<E extends EventName<SallyportContract>>(event: E, payload: EventPayload<SallyportContract, E>): void;
  /** Breaks the connection; the panel opens another by itself. */
  disconnect(): void;
  /** While closed, connections fail. */
  setOpen(isOpen: boolean): void;
}

const principal: Principal = {
  kind: "panel",
  id: "panel:test",
  scopes: new Set<Scope>(["operator.admin"]),
  approvalSurface: true,
};

/** @param handlers replace the fixture's answers; unmount and dispose happen in the test's cleanup */
export function renderPanel(ui: ReactNode, handlers: TestHandlers = {}): TestPanel {
  const listeners = new Set<
    <E extends EventName<SallyportContract>>(event: E, payload: EventPayload<SallyportContract, E>) => void
  >();
  let current: Transport | null = null;
  let isOpen = true;
  const open = (): Promise<Transport> => {
    if (!isOpen) return Promise.reject(new Error("closed by the test"));
    const [clientSide, serverSide] = createMemoryPair();
    current = clientSide;
    serve({
      contract,
      handlers: fixtureHandlers(handlers),
      transport: serverSide,
      principal,
      connectionId: "test",
      events: {
        onAny: (listener) => {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
      },
    });
    return Promise.resolve(clientSide);
  };
  const rpc = createPanelRpc(open);
  const rendered = render(<Providers rpc={rpc}>{ui}</Providers>);
  return {
    ...rendered,
    rpc,
    emit: (event, payload) => {
      for (const listener of [...listeners]) listener(event, payload);
    },
    disconnect: () => current?.close(),
    setOpen: (next) => {
      isOpen = next;
    },
  };
}
