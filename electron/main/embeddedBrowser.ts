/** The app's own Chromium as a managed browser, for computers without one: empty windows, driven from outside. */

import { type App, app, BrowserWindow, type WebContents } from "electron";

/** Starts the app as such a browser; `--user-data-dir` and `--remote-debugging-port` go with it. */
export const embeddedBrowserSwitch = "--embedded-browser";
/** Its windows are there, but not shown: in place of a mode without windows, which Electron does not have. */
const hiddenSwitch = "--hidden-windows";

/** @returns how the app's own executable is started as a browser; a checkout needs its folder named */
export function embeddedBrowserOf(own: App) {
  return {
    executable: process.execPath,
    args: [...(own.isPackaged ? [] : [own.getAppPath()]), embeddedBrowserSwitch],
  };
}

/** No page of it gets more than a page of any browser. */
const webPreferences = {
  sandbox: true,
  contextIsolation: true,
  nodeIntegration: false,
  webviewTag: false,
  navigateOnDragDrop: false,
} as const;

/** Runs until its last window is closed. Nothing of the product is loaded. */
export async function runEmbeddedBrowser(): Promise<void> {
  const show = !process.argv.includes(hiddenSwitch);
  app.on("web-contents-created", (_event, contents) => hold(contents, show));
  app.on("window-all-closed", () => app.quit());
  // SIGTERM is how a managed browser is stopped.
  process.once("SIGTERM", () => app.quit());
  await app.whenReady();
  const window = new BrowserWindow({ width: 1280, height: 800, show, webPreferences });
  window.removeMenu();
  await window.loadURL("about:blank");
}

function hold(contents: WebContents, show: boolean): void {
  contents.setWindowOpenHandler(() => ({
    action: "allow",
    overrideBrowserWindowOptions: { show, webPreferences },
  }));
  contents.on("will-attach-webview", (event) => event.preventDefault());
  // Camera, location, notifications and the like: nobody is there who could be asked.
  contents.session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  contents.session.setPermissionCheckHandler(() => false);
}
