/** The windows of the app: the panel, and the approval prompt as a window of its own. */

import { BrowserWindow, nativeTheme } from "electron";
import type { UiSettings } from "../../shared/contract/index.ts";
import type { Logger } from "../runtime/logging/logger.ts";
import { appPaths } from "./appPaths.ts";
import { lockedWebPreferences } from "./lockdown.ts";
import { panelOrigin } from "./panelScheme.ts";
import { keepWindowState, readWindowState } from "./windowState.ts";

export type WindowRole = "panel" | "approval";

export interface Windows {
  /** Shows the panel, at an address of its own when given (`/approvals`). */
  showPanel(address?: string): void;
  /** Shows the prompt without taking the focus from whatever has it (A4). */
  showApproval(): void;
  hideApproval(): void;
  /** Whether a panel window is visible now. */
  isPanelVisible(): boolean;
  roleOf(window: BrowserWindow): WindowRole | undefined;
  /** Lets windows really close instead of going to the tray. */
  allowClosing(): void;
}

export interface WindowsDeps {
  logger: Logger;
  statePath: string;
  iconPath: string;
  theme(): UiSettings["theme"];
  onCreated(window: BrowserWindow, role: WindowRole): void;
  /** The person closed the prompt window: that denies the request it showed (A2). */
  onApprovalClosed(): void;
}

const paper = { dark: "#171C1A", light: "#F6F4ED" };
/** A renderer that dies again and again is not reloaded for ever. */
const maxReloads = 5;
const reloadWindowMs = 60_000;

export function createWindows(deps: WindowsDeps): Windows {
  const { logger } = deps;
  const roles = new Map<BrowserWindow, WindowRole>();
  let panel: BrowserWindow | null = null;
  let approval: BrowserWindow | null = null;
  let mayClose = false;

  const create = (role: WindowRole, address: string): BrowserWindow => {
    const state = role === "panel" ? readWindowState(deps.statePath) : null;
    const window = new BrowserWindow({
      width: state?.width ?? (role === "panel" ? 1280 : 980),
      height: state?.height ?? (role === "panel" ? 800 : 720),
      ...(state === null ? {} : { x: state.x, y: state.y }),
      minWidth: 480,
      minHeight: 400,
      show: false,
      title: role === "panel" ? "Sallyport" : "Sallyport approval",
      icon: deps.iconPath,
      autoHideMenuBar: true,
      alwaysOnTop: role === "approval",
      backgroundColor: isDark(deps.theme()) ? paper.dark : paper.light,
      webPreferences: lockedWebPreferences(appPaths.preload),
    });
    roles.set(window, role);
    window.once("closed", () => roles.delete(window));
    if (state?.isMaximized === true) window.maximize();
    recoverFromCrashes(window, logger);
    deps.onCreated(window, role);
    void window.loadURL(`${panelOrigin}/index.html#${address}`).catch((error: unknown) => {
      logger.error("window.loadFailed", { role, error });
    });
    return window;
  };

  const goTo = (window: BrowserWindow, address: string) => {
    // The address is one of our own words; JSON keeps it a string whatever it holds.
    void window.webContents
      .executeJavaScript(`location.hash = ${JSON.stringify(address)}; undefined`)
      .catch((error: unknown) => logger.warn("window.navigateFailed", { error }));
  };

  return {
    showPanel(address) {
      if (panel === null) {
        const window = create("panel", address ?? "/");
        panel = window;
        keepWindowState(window, deps.statePath, logger);
        window.once("ready-to-show", () => window.show());
        window.on("close", (event) => {
          if (mayClose) return;
          // Closing the panel goes to the tray: what waits keeps waiting, what runs keeps running.
          event.preventDefault();
          window.hide();
        });
        window.once("closed", () => {
          panel = null;
        });
        return;
      }
      if (address !== undefined) goTo(panel, address);
      if (panel.isMinimized()) panel.restore();
      panel.show();
      panel.focus();
    },
    showApproval() {
      if (approval === null) {
        const window = create("approval", "/approval-window");
        approval = window;
        window.once("ready-to-show", () => window.showInactive());
        window.on("close", (event) => {
          if (mayClose) return;
          event.preventDefault();
          window.hide();
          deps.onApprovalClosed();
        });
        window.once("closed", () => {
          approval = null;
        });
        return;
      }
      if (!approval.isVisible()) approval.showInactive();
    },
    hideApproval: () => approval?.hide(),
    isPanelVisible: () => panel?.isVisible() === true && !panel.isMinimized(),
    roleOf: (window) => roles.get(window),
    allowClosing() {
      mayClose = true;
    },
  };
}

function isDark(theme: UiSettings["theme"]): boolean {
  return theme === "dark" || (theme === "system" && nativeTheme.shouldUseDarkColors);
}

/** A panel that dies comes back and shows again what waits (A20). */
function recoverFromCrashes(window: BrowserWindow, logger: Logger): void {
  let crashes: number[] = [];
  window.webContents.on("render-process-gone", (_event, details) => {
    logger.warn("window.rendererGone", { reason: details.reason });
    if (details.reason === "clean-exit" || window.isDestroyed()) return;
    const now = Date.now();
    crashes = [...crashes.filter((at) => now - at < reloadWindowMs), now];
    if (crashes.length <= maxReloads) window.webContents.reload();
    else logger.error("window.rendererKeepsDying", { crashes: crashes.length });
  });
  window.on("unresponsive", () => logger.warn("window.unresponsive"));
}
