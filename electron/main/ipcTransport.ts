/** Transport over Electron's IPC: one connection per loaded page, from our own main frame and origin only. */

import { ipcMain as appIpc, type IpcMain, type IpcMainEvent, type WebContents } from "electron";
import type { Transport } from "../../shared/rpc/index.ts";
import type { Logger } from "../runtime/logging/logger.ts";
import { panelOrigin } from "./panelScheme.ts";

export const ipcChannels = { open: "sallyport:open", frame: "sallyport:frame" } as const;

/** Longer than the longest command with its environment; a page that sends more is not ours. */
const maxFrameChars = 8_388_608;

export interface IpcConnections {
  /** Pages of these contents may connect; each page load is a connection of its own. */
  accept(contents: WebContents, onConnect: (transport: Transport) => void): void;
  /** Ends what is connected; a page connects again when it is loaded again. */
  closeOpen(): void;
  dispose(): void;
}

export function createIpcConnections(logger: Logger, ipc: IpcMain = appIpc): IpcConnections {
  const accepted = new Map<number, (transport: Transport) => void>();
  const open = new Map<number, IpcTransport>();

  const isOurs = (event: IpcMainEvent): boolean => {
    const frame = event.senderFrame;
    const isMainFrame = frame !== null && frame === event.sender.mainFrame;
    const isOurOrigin = frame?.url.startsWith(`${panelOrigin}/`) === true;
    const known = accepted.has(event.sender.id);
    if (isMainFrame && isOurOrigin && known) return true;
    logger.warn("ipc.refused", { contentsId: event.sender.id, isMainFrame, isOurOrigin, known });
    return false;
  };

  const onOpen = (event: IpcMainEvent) => {
    if (!isOurs(event)) return;
    open.get(event.sender.id)?.close();
    const transport = createTransport(event.sender, () => open.delete(event.sender.id));
    open.set(event.sender.id, transport);
    accepted.get(event.sender.id)?.(transport);
  };
  const onFrame = (event: IpcMainEvent, text: unknown) => {
    if (!isOurs(event)) return;
    if (typeof text !== "string" || text.length > maxFrameChars) {
      logger.warn("ipc.malformed", { contentsId: event.sender.id });
      return;
    }
    open.get(event.sender.id)?.deliver(text);
  };
  const closeOpen = () => {
    for (const transport of [...open.values()]) transport.close();
  };
  ipc.on(ipcChannels.open, onOpen);
  ipc.on(ipcChannels.frame, onFrame);

  return {
    accept(contents, onConnect) {
      accepted.set(contents.id, onConnect);
      const close = () => open.get(contents.id)?.close();
      contents.on("render-process-gone", close);
      contents.once("destroyed", () => {
        close();
        accepted.delete(contents.id);
      });
    },
    closeOpen,
    dispose() {
      ipc.off(ipcChannels.open, onOpen);
      ipc.off(ipcChannels.frame, onFrame);
      closeOpen();
    },
  };
}

interface IpcTransport extends Transport {
  deliver(text: string): void;
}

function createTransport(contents: WebContents, onClosed: () => void): IpcTransport {
  const messageListeners = new Set<(message: unknown) => void>();
  const closeListeners = new Set<() => void>();
  let isClosed = false;
  return {
    send(frame) {
      if (isClosed || contents.isDestroyed()) return;
      contents.send(ipcChannels.frame, JSON.stringify(frame));
    },
    onMessage(listener) {
      messageListeners.add(listener);
      return () => messageListeners.delete(listener);
    },
    onClose(listener) {
      closeListeners.add(listener);
      return () => closeListeners.delete(listener);
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      onClosed();
      for (const listener of [...closeListeners]) listener();
    },
    deliver(text) {
      const message = parse(text);
      for (const listener of [...messageListeners]) listener(message);
    },
  };
}

/** What is not JSON becomes null, which no frame schema accepts: the serving end answers it as malformed. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
