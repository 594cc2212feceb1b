/** The bridge of the panel: frames in, frames out, nothing else. */

import { contextBridge, ipcRenderer } from "electron";

const channels = { open: "sallyport:open", frame: "sallyport:frame" };

const messageListeners = new Set<(frame: unknown) => void>();

ipcRenderer.on(channels.frame, (_event, text: unknown) => {
  if (typeof text !== "string") return;
  const frame: unknown = JSON.parse(text);
  for (const listener of [...messageListeners]) listener(frame);
});

contextBridge.exposeInMainWorld("sallyport", {
  transport: {
    send: (frame: unknown) => ipcRenderer.send(channels.frame, JSON.stringify(frame)),
    onMessage(listener: (frame: unknown) => void) {
      messageListeners.add(listener);
      return () => messageListeners.delete(listener);
    },
    /** The page ends before its connection does: there is nothing to hear here, and the shape stays that of a Transport. */
    onClose: () => () => {},
  },
});

ipcRenderer.send(channels.open);
