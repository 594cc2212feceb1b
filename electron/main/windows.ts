/** The windows of the app: the panel, and the approval prompt as a window of its own. */

import { BrowserWindow, nativeTheme } from "electron";
import type { UiSettings } from "../../shared/contract/index.ts";
import type { Logger } from "../runtime/logging/logger.ts";
import { appPaths } from "./appPaths.ts";
import { recoverFromCrashes } from "./crashRecovery.ts";
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
  /** Whether the person works in the panel right now: only then it needs no other sign of a request. */
  isPanelInUse(): boolean;
  /** Loads every page again, each at the address where it is. */
  reload(): void;
  /** Lets windows really close instead of going to the tray. */
  allowClosing(): void;
  /** Writes what is kept between starts; resolves when it is on the disk. */
  saveState(): Promise<void>;
}

export interface WindowsDeps {
  logger: Logger;
  statePath: string;
  iconPath: string;
  theme(): UiSettings["theme"];
  onCreated(window: BrowserWindow, role: WindowRole): void;
  /** The person closed the prompt window: that denies the request it showed (A2). */
  onApprovalClosed(shownId: string): void;
}

const paper = { dark: "#171C1A", light: "#F6F4ED" };

export function createWindows(deps: WindowsDeps): Windows {
  const { logger } = deps;
  let panel: BrowserWindow | null = null;
  let approval: BrowserWindow | null = null;
  let approvalWanted = false;
  let mayClose = false;
  let saveState = async () => {};

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
    if (state?.isMaximized === true) window.once("show", () => window.maximize());
    recoverFromCrashes(window, logger);
    deps.onCreated(window, role);
    void window.loadURL(`${panelOrigin}/index.html#${address}`).catch((error: unknown) => {
      logger.error("window.loadFailed", { role, error });
    });
    return window;
  };

  const createPanel = (address: string): BrowserWindow => {
    const window = create("panel", address);
    saveState = keepWindowState(window, deps.statePath, logger);
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
    return window;
  };

  const createApproval = (): BrowserWindow => {
    const window = create("approval", "/approval-window");
    window.once("ready-to-show", () => {
      // The request may have left while the page was loading.
      if (approvalWanted) window.showInactive();
    });
    window.on("close", (event) => {
      if (mayClose) return;
      event.preventDefault();
      approvalWanted = false;
      window.hide();
      readShownId(window)
        .then((id) => {
          if (id !== null) deps.onApprovalClosed(id);
        })
        // A page that cannot answer has shown nothing for sure: losing it denies nothing (A2).
        .catch((error: unknown) => logger.warn("window.shownRequestUnknown", { error }));
    });
    window.once("closed", () => {
      approval = null;
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
        panel = createPanel(address ?? "/");
        return;
      }
      if (address !== undefined) goTo(panel, address);
      if (panel.isMinimized()) panel.restore();
      panel.show();
      panel.focus();
    },
    showApproval() {
      approvalWanted = true;
      if (approval === null) approval = createApproval();
      else if (!approval.isVisible() && !approval.webContents.isLoading()) approval.showInactive();
    },
    hideApproval() {
      approvalWanted = false;
      approval?.hide();
    },
    isPanelInUse: () => panel?.isVisible() === true && !panel.isMinimized() && panel.isFocused(),
    reload() {
      for (const window of [panel, approval]) window?.webContents.reload();
    },
    allowClosing() {
      mayClose = true;
    },
    saveState: () => saveState(),
  };
}

/** Which request the prompt window shows at this moment, as its page says; null when it shows none. */
async function readShownId(window: BrowserWindow): Promise<string | null> {
  if (window.webContents.isCrashed()) return null;
  const answer: unknown = await window.webContents.executeJavaScript(
    `document.querySelector("[data-approval-id]")?.getAttribute("data-approval-id") ?? null`,
  );
  return typeof answer === "string" ? answer : null;
}

function isDark(theme: UiSettings["theme"]): boolean {
  return theme === "dark" || (theme === "system" && nativeTheme.shouldUseDarkColors);
}
