/** The same limits for every web page that this process ever hosts: no navigation, no new window, no permission. */

import { app, type BrowserWindowConstructorOptions, type Session, type WebContents } from "electron";
import { panelOrigin } from "./panelScheme.ts";

/** For every window of ours; a window made without it fails the start-up test. */
export function lockedWebPreferences(preload: string): BrowserWindowConstructorOptions["webPreferences"] {
  return {
    preload,
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    webviewTag: false,
    webSecurity: true,
    allowRunningInsecureContent: false,
    navigateOnDragDrop: false,
    spellcheck: false,
    safeDialogs: true,
  };
}

/** Denies what is not named: the panel needs the clipboard for Copy, and nothing else. */
export function lockSession(session: Session): void {
  const isAllowed = (permission: string, origin: string) =>
    permission === "clipboard-sanitized-write" && origin.startsWith(panelOrigin);
  session.setPermissionRequestHandler((contents, permission, callback) => {
    callback(isAllowed(permission, contents.getURL()));
  });
  session.setPermissionCheckHandler((_contents, permission, origin) => isAllowed(permission, origin));
  session.setDevicePermissionHandler(() => false);
  // Nothing in the panel comes from the network; a request that tries is a fault or an attack.
  session.webRequest.onBeforeRequest((details, callback) => {
    const isOwn =
      details.url.startsWith(`${panelOrigin}/`) ||
      details.url.startsWith("data:image/") ||
      details.url.startsWith(`blob:${panelOrigin}/`) ||
      details.url.startsWith("devtools://");
    callback({ cancel: !isOwn });
  });
}

/** Applies to windows of today and of later versions alike, because it hangs on the app. */
export function lockAllContents(): void {
  app.on("web-contents-created", (_event, contents) => lockContents(contents));
}

function lockContents(contents: WebContents): void {
  const isOwnPage = (url: string) => url.startsWith(`${panelOrigin}/`);
  contents.on("will-navigate", (event) => {
    if (!isOwnPage(event.url)) event.preventDefault();
  });
  contents.on("will-redirect", (event) => event.preventDefault());
  contents.on("will-frame-navigate", (event) => {
    if (!isOwnPage(event.url)) event.preventDefault();
  });
  contents.on("will-attach-webview", (event) => event.preventDefault());
  contents.setWindowOpenHandler(() => ({ action: "deny" }));
}
