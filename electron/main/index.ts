/** The desktop app: wires the runtime to windows, tray, notifications and the Gateway. */

import { spawnSync } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";
import { app, type BrowserWindow, dialog, session } from "electron";
import { contract } from "../../shared/contract/index.ts";
import { messageOf } from "../../shared/errors/index.ts";
import { type Principal, serve } from "../../shared/rpc/index.ts";
import { mainTextFor } from "../../shared/text/mainText.ts";
import { checkoutCommand } from "../runtime/checkoutCommand.ts";
import { systemClock } from "../runtime/clock.ts";
import { createLogger } from "../runtime/logging/logger.ts";
import { operatorScopes, type Runtime } from "../runtime/runtimeTypes.ts";
import {
  acquireInstanceLock,
  ensureStateDir,
  resolveHome,
  resolveStateDir,
  statePaths,
} from "../runtime/storage/index.ts";
import { appPaths } from "./appPaths.ts";
import { createAttention } from "./attention.ts";
import { commandLineOf } from "./commandLine.ts";
import { embeddedBrowserOf, embeddedBrowserSwitch, runEmbeddedBrowser } from "./embeddedBrowser.ts";
import { createIpcConnections } from "./ipcTransport.ts";
import { createLiveRuntime } from "./liveRuntime.ts";
import { lockAllContents, lockSession } from "./lockdown.ts";
import { setAppMenu } from "./menu.ts";
import { registerPanelScheme, servePanel } from "./panelScheme.ts";
import { watchScreenLock } from "./screenLock.ts";
import { systemVault } from "./secretVault.ts";
import { createTray } from "./tray.ts";
import { createWindows, type WindowRole } from "./windows.ts";

const homeDir = resolveHome(process.env, homedir());
const stateDir = resolveStateDir(process.env, homedir());
/** How long an orderly end may take before the process goes anyway. */
const shutDownTimeoutMs = 10_000;
const logger = createLogger((line) => process.stderr.write(`${line}\n`), "warn");

const commandLine = commandLineOf(process.argv, app.isPackaged);

if (process.argv.includes(embeddedBrowserSwitch)) void runEmbeddedBrowser();
else if (commandLine === null) openApp();
else void runCommandLine(commandLine);

function openApp(): void {
  registerPanelScheme();
  lockAllContents();
  // Own user data per state directory: two directories are two apps, one directory is one.
  app.setPath("userData", join(stateDir, "desktop"));
  if (app.requestSingleInstanceLock()) {
    void start();
    return;
  }
  process.stdout.write(
    "Sallyport already runs on this state directory. Its window was brought to the front.\n",
  );
  app.exit(0);
}

/** Same code as the command line of a checkout; this process opens no window, needs no display and takes no lock. */
async function runCommandLine(args: string[]): Promise<void> {
  if (needsHeadlessPlatform()) return runAgainHeadless();
  app.disableHardwareAcceleration();
  app.dock?.hide();
  const { runCli } = await import("../cli/runCli.ts");
  const { processIo } = await import("../cli/io.ts");
  const code = await runCli(args, {
    io: processIo(homedir()),
    version: app.getVersion(),
    panelDir: appPaths.renderer,
    // The same executable again, as the background program: Node alone is not in a package.
    startCommand: { file: process.execPath, args: [...ownSwitches(), "gateway", "run", "--json"] },
    ...(app.isPackaged ? { ownCommand: packagedCommand() } : {}),
  });
  app.exit(code);
}

/** Chromium looks for a display before our code could tell it that none is needed. */
function needsHeadlessPlatform(): boolean {
  const { DISPLAY: x11, WAYLAND_DISPLAY: wayland } = process.env;
  return process.platform === "linux" && !x11 && !wayland && !app.commandLine.hasSwitch("ozone-platform");
}

/** Blocks on purpose: giving way to Chromium would end the process for want of a display. */
function runAgainHeadless(): void {
  const args = ["--ozone-platform=headless", ...process.argv.slice(1)];
  const { status } = spawnSync(process.execPath, args, { stdio: "inherit" });
  app.exit(status ?? 1);
}

async function start(): Promise<void> {
  try {
    await ensureStateDir(stateDir);
    await app.whenReady();
    await run();
  } catch (error) {
    fail("Sallyport cannot start", error);
  }
}

/** Nothing works without a runtime: it is said, and the program ends. */
function fail(title: string, error: unknown): void {
  logger.error("app.startFailed", { error });
  process.stderr.write(`sallyport: ${messageOf(error)}\n`);
  dialog.showErrorBox(title, messageOf(error));
  app.exit(1);
}

async function run(): Promise<void> {
  const paths = statePaths(stateDir, homeDir);
  const lock = acquireInstanceLock(paths.instanceLock, { shell: "electron" });
  if (!lock.ok) throw new Error(lock.message);

  const version = app.getVersion();
  // What hangs on the runtime is wired below, when the windows are there.
  let letGo = () => {};
  let takeUp = (_runtime: Runtime) => {};
  const live = await createLiveRuntime({
    deps: {
      stateDir,
      homeDir,
      baseEnv: stringsOnly(process.env),
      version,
      shell: "electron",
      commandLine: app.isPackaged ? packagedCommand() : checkoutCommand(),
      logger,
      clock: systemClock,
      screenLock: watchScreenLock(),
      secretVault: systemVault(),
      embeddedBrowser: embeddedBrowserOf(app),
    },
    gatewayFile: paths.gatewayFile,
    onClosing: () => letGo(),
    onReopened: (runtime) => takeUp(runtime),
    onLost: (error) => fail("Sallyport cannot start again", error),
  });

  setAppMenu(app.isPackaged);
  lockSession(session.defaultSession);
  servePanel(session.defaultSession.protocol, appPaths.renderer);
  const ipc = createIpcConnections(logger);
  const call = desktopCalls(live.runtime);
  let settings = await call.settings();
  let waiting = new Set<string>();
  const text = () => mainTextFor(settings.language === "system" ? app.getLocale() : settings.language);

  const windows = createWindows({
    logger,
    statePath: join(stateDir, "desktop", "window.json"),
    iconPath: join(appPaths.icons, "icon.png"),
    theme: () => settings.theme,
    onCreated: (window, role) => connectWindow(window, role),
    onApprovalClosed: (shownId) => {
      if (waiting.has(shownId)) call.deny(shownId);
    },
  });
  let connectionCount = 0;
  const connectWindow = (window: BrowserWindow, role: WindowRole) => {
    ipc.accept(window.webContents, (transport) => {
      connectionCount += 1;
      const runtime = live.runtime();
      const connectionId = `${role}-${connectionCount}`;
      transport.onClose(() => runtime.presence.leave(connectionId));
      serve({
        contract,
        handlers: runtime.handlers,
        transport,
        principal: panelPrincipal(role),
        events: runtime.events,
        connectionId,
        onInternalError: (failure) => logger.error("rpc.internalError", { ...failure }),
      });
    });
  };

  const attention = createAttention({
    windows,
    logger,
    level: () => settings.attention,
    text,
    deny: (id) => call.deny(id),
  });
  const tray = createTray({
    iconsDir: appPaths.icons,
    text: text(),
    onOpen: () => windows.showPanel(),
    onOpenApprovals: () => windows.showPanel("/approvals"),
    onQuit: () => app.quit(),
  });
  const onEvent: Parameters<Runtime["events"]["onAny"]>[0] = (event, payload) => {
    if (event === "approvals.changed") {
      const { pending } = payload as { pending: Parameters<typeof attention.arrived>[0][] };
      showWaiting(pending);
      tray.update(pending.length, call.isBroad());
    }
    if (event === "app.statusChanged") tray.update(waiting.size, call.isBroad());
    if (event === "ui.settingsChanged") {
      settings = payload as typeof settings;
      tray.setText(text());
    }
  };
  const showWaiting = (pending: readonly Parameters<typeof attention.arrived>[0][]) => {
    for (const request of pending) if (!waiting.has(request.id)) attention.arrived(request);
    const now = new Set(pending.map((request) => request.id));
    for (const id of waiting) if (!now.has(id)) attention.left(id);
    waiting = now;
    if (pending.length === 0) windows.hideApproval();
    attention.setBadge(pending.length);
  };
  let stopListening = () => {};
  const listenTo = (runtime: Runtime) => {
    // With a tray item a person can be reached even while no window is open (A17).
    runtime.presence.attend("tray");
    stopListening = runtime.events.onAny(onEvent);
  };
  listenTo(live.runtime());
  letGo = () => {
    // Closing cancels what waits: windows, tray and notifications need not hear of each.
    stopListening();
    showWaiting([]);
    ipc.closeOpen();
  };
  takeUp = (runtime) => {
    listenTo(runtime);
    windows.reload();
  };

  app.on("second-instance", () => windows.showPanel());
  app.on("activate", () => windows.showPanel());
  // Windows hide instead of closing; the app lives in the tray until it is quit.
  app.on("window-all-closed", () => {});
  let isQuitting = false;
  app.on("before-quit", (event) => {
    windows.allowClosing();
    if (isQuitting) return;
    isQuitting = true;
    event.preventDefault();
    const forced = setTimeout(() => app.exit(1), shutDownTimeoutMs);
    void shutDown()
      .catch((error: unknown) => logger.error("app.shutDownFailed", { error }))
      .finally(() => {
        clearTimeout(forced);
        app.quit();
      });
  });
  const shutDown = async () => {
    letGo();
    letGo = () => {};
    attention.dispose();
    tray.dispose();
    ipc.dispose();
    await windows.saveState();
    await live.dispose().finally(() => lock.release());
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => app.quit());

  windows.showPanel();
}

/** Only our panel and the prompt window may decide; both are the approval surface. */
function panelPrincipal(role: WindowRole): Principal {
  return { kind: "panel", id: `panel:${role}`, scopes: operatorScopes, approvalSurface: true };
}

/** What the shell itself asks of the runtime, through the same handlers as everyone. */
function desktopCalls(runtime: () => Runtime) {
  const context = (id: string) => ({
    principal: { kind: "panel" as const, id, scopes: operatorScopes, approvalSurface: true },
    signal: new AbortController().signal,
    connectionId: id,
  });
  return {
    settings: async () => runtime().handlers["ui.settings.get"]({}, context("desktop")),
    isBroad: () => {
      const status = runtime().handlers["app.status"]({}, context("desktop"));
      return status instanceof Promise ? false : status.mode.broad.kind !== "none";
    },
    deny: (id: string) => {
      const input = { id, decision: "deny" as const };
      // A request that was decided meanwhile needs no denial any more.
      void Promise.resolve()
        .then(() => runtime().handlers["approvals.resolve"](input, context("panel:notification")))
        .catch((error: unknown) => logger.warn("approval.denyFailed", { id, error }));
    },
  };
}

/** A mounted AppImage is gone when the app ends; its file stays. */
function packagedCommand() {
  return { file: process.env.APPIMAGE ?? process.execPath, args: ownSwitches() };
}

/** A checkout names its folder before the command; as root Chromium's switch has to be passed on. */
function ownSwitches(): string[] {
  const switches = process.argv.slice(1).filter((arg) => arg === "--no-sandbox");
  return app.isPackaged ? switches : [...switches, app.getAppPath()];
}

function stringsOnly(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
