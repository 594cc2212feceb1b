/** Starts a managed browser: folder, port, command line, readiness, and proof that the endpoint is its own. */

import type { Browser } from "playwright-core";
import { z } from "zod";
import { AppError, messageOf } from "../../../../shared/errors/index.ts";
import type { Logger } from "../../logging/logger.ts";
import type { BrowserProfile } from "../browserTypes.ts";
import { openBrowserSocket } from "../guard/browserSocket.ts";
import { attach } from "./attach.ts";
import { type BrowserProcess, isInTree, startBrowser } from "./browserProcess.ts";
import { askEndpoint, type EndpointFacts, isPortFreed } from "./endpoint.ts";
import {
  checkFolderFree,
  checkSandboxFolderFree,
  endOrphan,
  makeProfileFolders,
  removeRecord,
  writeRecord,
} from "./ownershipRecord.ts";
import { decorateProfile } from "./preferences.ts";

/** What is started, and how; the command line is made from it once the port is known to be free. */
export interface LaunchPlan {
  executable: string;
  args: readonly string[];
  env: Record<string, string>;
  /** For the hint of a failure. */
  isSandboxedByBrowser: boolean;
}

export interface LaunchRequest {
  profile: BrowserProfile & { cdpPort: number };
  stateDir: string;
  plan(userDataDir: string): Promise<LaunchPlan>;
  /** The plan starts it inside a sandbox. */
  isWrapped: boolean;
  /** Before anything attaches. */
  beforeAttach(wsUrl: string): Promise<void>;
  readyTimeoutMs: number;
  logger: Logger;
}

export interface LaunchedBrowser {
  process: BrowserProcess;
  facts: EndpointFacts;
  browser: Browser;
}

const processList = z.object({ processInfo: z.array(z.object({ type: z.string(), id: z.number() })) });
const pollMs = 100;
const pollTimeoutMs = 1_000;
const portWaitMs = 2_000;

/**
 * @throws AppError UNAVAILABLE with `data.kind` `port_conflict` | `profile_locked` | `launch_failed`; nothing of the
 * attempt is left running then
 */
export async function launchBrowser(request: LaunchRequest): Promise<LaunchedBrowser> {
  const { profile, stateDir, logger } = request;
  const userDataDir = await makeProfileFolders(stateDir, profile.name);
  await endOrphan(stateDir, profile.name, logger);
  // A browser that a crash of ours left may still be ending: only who stays is a stranger.
  if (!(await isPortFreed(profile.cdpPort, portWaitMs))) throw await portConflict(profile);
  await (request.isWrapped
    ? checkSandboxFolderFree(stateDir, userDataDir, profile.name)
    : checkFolderFree(userDataDir, profile.name));
  await decorateProfile(userDataDir, profile, logger);
  const plan = await request.plan(userDataDir);
  const started = await startBrowser(plan.executable, plan.args, plan.env);
  try {
    await writeRecord(stateDir, profile.name, {
      browser: { pid: started.pid, startTime: started.startTime },
      userDataDir,
      cdpPort: profile.cdpPort,
    });
    const facts = await waitUntilReady(started, profile, request.readyTimeoutMs, plan);
    started.noteTree();
    await checkIsOurs(started, facts, profile);
    await request.beforeAttach(facts.wsUrl);
    const browser = await attach(facts.wsUrl, () => started.isAlive());
    return { process: started, facts, browser };
  } catch (error) {
    await started.end();
    await removeRecord(stateDir, profile.name);
    throw error;
  }
}

async function waitUntilReady(
  started: BrowserProcess,
  profile: BrowserProfile & { cdpPort: number },
  timeoutMs: number,
  plan: LaunchPlan,
): Promise<EndpointFacts> {
  const endsAtMs = performance.now() + timeoutMs;
  let exit: string | null = null;
  void started.exited.then(({ code, signal }) => {
    exit = signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`;
  });
  let last = "";
  while (exit === null && performance.now() < endsAtMs) {
    try {
      return await askEndpoint(`http://127.0.0.1:${profile.cdpPort}`, pollTimeoutMs);
    } catch (error) {
      // Not yet: the last of these goes into the message when none succeeds.
      last = messageOf(error);
    }
    await Promise.race([started.exited, new Promise((resolve) => setTimeout(resolve, pollMs))]);
  }
  const why = exit ?? `its debugging port did not answer in ${timeoutMs / 1000} s (${last})`;
  throw launchFailed(profile.name, why, started.stderrStart(), plan);
}

function launchFailed(name: string, why: string, stderr: string, plan: LaunchPlan): AppError {
  const hints: string[] = [];
  if (plan.isSandboxedByBrowser && process.platform === "linux" && /sandbox|namespace/i.test(stderr))
    hints.push(
      "Its own sandbox seems not to work here: set browser.noSandbox to true if you accept running without.",
    );
  if (/display|wayland|x server/i.test(stderr))
    hints.push("There is no display: set browser.headless to true.");
  if (why.includes("exit code 0")) hints.push("Another browser may already use the folder of this profile.");
  if (hints.length === 0)
    hints.push(`Try ${plan.executable} by hand, or name another program in browser.executablePath.`);
  const said = stderr.trim() === "" ? "" : ` It said: ${stderr.trim()}`;
  return new AppError(
    "UNAVAILABLE",
    `The browser of profile "${name}" did not start: ${why}. ${hints.join(" ")}${said}`,
    { data: { kind: "launch_failed", profile: name, executable: plan.executable } },
  );
}

/** A process that took the port in between would otherwise be driven in place of our browser. */
async function checkIsOurs(
  started: BrowserProcess,
  facts: EndpointFacts,
  profile: BrowserProfile & { cdpPort: number },
): Promise<void> {
  const announced = started.announcedSocket();
  if (announced !== null && new URL(announced).pathname === new URL(facts.wsUrl).pathname) return;
  const socket = await openBrowserSocket(facts.wsUrl);
  try {
    const { processInfo } = processList.parse(await socket.send("SystemInfo.getProcessInfo"));
    if (processInfo.some(({ type, id }) => type === "browser" && isInTree(id, started))) return;
  } catch (error) {
    // An endpoint that does not say who it is counts as a stranger.
    if (!started.isAlive()) throw error;
  } finally {
    socket.close();
  }
  throw await portConflict(profile);
}

async function portConflict(profile: BrowserProfile & { cdpPort: number }): Promise<AppError> {
  const who = await askEndpoint(`http://127.0.0.1:${profile.cdpPort}`, pollTimeoutMs).then(
    ({ browserName, version }) => `a browser (${browserName} ${version}) that Sallyport did not start`,
    // Whatever it is, it is not ours; the message is complete without its kind.
    () => "a program that Sallyport did not start",
  );
  return new AppError(
    "UNAVAILABLE",
    `Port ${profile.cdpPort} of the browser profile "${profile.name}" is already in use by ${who}. It was left alone. End it, or set browser.profiles.${profile.name}.cdpPort to a free port.`,
    { data: { kind: "port_conflict", status: 409, profile: profile.name, port: profile.cdpPort } },
  );
}
