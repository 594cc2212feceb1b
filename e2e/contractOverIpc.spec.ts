/** The contract's suite over Electron's own IPC: the same cases as over memory and WebSocket. */

import type { Page } from "@playwright/test";
import { contractCases } from "../electron/gateway/testing/contractCases.ts";
import { contract } from "../shared/contract/index.ts";
import { createClient, type Transport } from "../shared/rpc/index.ts";
import { test } from "./fixtures/test.ts";

interface BridgedWindow {
  sallyport: {
    transport: { send(frame: unknown): void; onMessage(listener: (frame: unknown) => void): () => void };
  };
  contractFrame(frame: unknown): Promise<void>;
}

/** A second user of the page's bridge; its ids have a prefix, because the panel goes on using the same connection. */
async function bridgeOf(page: Page): Promise<Transport> {
  const listeners = new Set<(message: unknown) => void>();
  await page.exposeFunction("contractFrame", (frame: unknown) => {
    for (const listener of [...listeners]) listener(frame);
  });
  await page.evaluate(() => {
    const scope = globalThis as unknown as BridgedWindow;
    scope.sallyport.transport.onMessage((frame) => void scope.contractFrame(frame));
  });
  return {
    send: (frame) => {
      // A page that is gone has closed the connection already.
      page
        .evaluate((sent) => (globalThis as unknown as BridgedWindow).sallyport.transport.send(sent), frame)
        .catch(() => {});
    },
    onMessage: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onClose: () => () => {},
    close: () => listeners.clear(),
  };
}

test("the contract over IPC answers like memory and WebSocket", async ({ newPlace, launch }) => {
  const desktop = await launch(await newPlace());
  const transport = await bridgeOf(desktop.panel);
  const rpc = createClient(contract, transport, "case-");
  for (const { title, run } of contractCases) {
    await test.step(title, () => run({ rpc, transport }));
  }
});
