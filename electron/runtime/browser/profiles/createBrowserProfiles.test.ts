/** Lives of real browsers: started, shared, stopped, crashed, left behind, in the way. */

import { spawn } from "node:child_process";
import { mkdir, readFile, readlink, stat, symlink } from "node:fs/promises";
import { createServer } from "node:http";
import { hostname } from "node:os";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { AppError } from "../../../../shared/errors/index.ts";
import { readBootId } from "../../exec/sessions/ownership.ts";
import { readProcess } from "../../exec/sessions/processTable.ts";
import { writeFileAtomic } from "../../storage/atomicWrite.ts";
import { makeTestFolder, waitFor } from "../../storage/testFolder.ts";
import { profileFolder, readRecord, userDataDirOf } from "./ownershipRecord.ts";
import { freePorts, startTestBrowsers, type TestBrowsers, testChromium } from "./testBrowsers.ts";

const endings: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

async function open(...args: Parameters<typeof startTestBrowsers>): Promise<TestBrowsers> {
  const made = await startTestBrowsers(...args);
  endings.push(() => made.dispose());
  return made;
}

async function problemOf(work: Promise<unknown>): Promise<AppError> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof AppError)) throw new Error(`no AppError: ${String(error)}`);
  return error;
}

function pidOf({ profiles }: TestBrowsers, name = "openclaw"): number {
  const state = profiles.state(name);
  if (state.kind !== "running" || state.pid === null) throw new Error(`${name} is ${state.kind}`);
  return state.pid;
}

const isGone = (pid: number) => {
  const row = readProcess(pid);
  return row === undefined || row.isZombie;
};

describe("a managed profile", () => {
  test("starts once for all who connect, in a private folder, and stops", async () => {
    const [port = 0] = await freePorts(1);
    const browsers = await open({ cdpPortRangeStart: port });
    const { profiles, folder } = browsers;
    const seen: string[] = [];
    profiles.onChanged((name) => seen.push(`${name} ${profiles.state(name).kind}`));
    const [first, second] = await Promise.all([
      profiles.connect("openclaw", {}),
      profiles.connect("openclaw", {}),
    ]);
    expect(first).toBe(second);
    expect(first.guardedBy).toBe("none");
    expect(profiles.find(undefined)).toMatchObject({ name: "openclaw", kind: "managed", isDefault: true });
    expect((await stat(userDataDirOf(folder, "openclaw"))).mode & 0o777).toBe(0o700);
    const page = await first.context.newPage();
    await page.goto("data:text/html,<title>here</title>");
    expect(await page.title()).toBe("here");
    const pid = pidOf(browsers);
    expect(await profiles.stop("openclaw")).toEqual({ stopped: true });
    expect(await first.closed).toBe("The browser was stopped.");
    expect(isGone(pid)).toBe(true);
    expect(await profiles.stop("openclaw")).toEqual({ stopped: false });
    expect(seen).toEqual(["starting", "running", "stopping", "stopped"].map((kind) => `openclaw ${kind}`));
  });

  test("that is killed is shown as crashed, and starts again", async () => {
    const [port = 0] = await freePorts(1);
    const browsers = await open({ cdpPortRangeStart: port });
    const { profiles } = browsers;
    const connection = await profiles.connect("openclaw", {});
    process.kill(pidOf(browsers), "SIGKILL");
    await connection.closed;
    const state = await waitFor(() => {
      const now = profiles.state("openclaw");
      return now.kind === "crashed" ? now : null;
    });
    expect(state.detail).toContain("SIGKILL");
    expect(profiles.connection("openclaw")).toBeNull();
    const again = await profiles.connect("openclaw", {});
    expect(again).not.toBe(connection);
    expect(again.browser.isConnected()).toBe(true);
    // Its connection breaks before its end is noticed: a call that comes in between starts it all the same.
    const pid = pidOf(browsers);
    process.kill(pid, "SIGKILL");
    await again.closed;
    const third = await profiles.connect("openclaw", {});
    expect(third.browser.isConnected()).toBe(true);
    expect(pidOf(browsers)).not.toBe(pid);
    // What the dead one left was removed before, and nothing of the new one.
    expect(await readRecord(browsers.folder, "openclaw")).toMatchObject({
      browser: { pid: pidOf(browsers) },
    });
  });

  test("whose attachment alone is lost is attached to again", async () => {
    const [port = 0] = await freePorts(1);
    const browsers = await open({ cdpPortRangeStart: port });
    const first = await browsers.profiles.connect("openclaw", {});
    const pid = pidOf(browsers);
    await first.browser.close();
    await first.closed;
    const second = await browsers.profiles.connect("openclaw", {});
    expect(second).not.toBe(first);
    expect(pidOf(browsers)).toBe(pid);
  });

  test("shares neither cookies nor storage with another one", async () => {
    const site = createServer((_request, response) => response.end("<title>site</title>"));
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    endings.push(() => {
      site.close();
      site.closeAllConnections();
    });
    const address = site.address();
    const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/`;
    const [a = 0, b = 0] = await freePorts(2);
    const browsers = await open({
      cdpPortRangeStart: a,
      profiles: { work: { cdpPort: b, color: "#0066CC" } },
    });
    const [one, two] = await Promise.all(
      ["openclaw", "work"].map(async (name) => (await browsers.profiles.connect(name, {})).context.newPage()),
    );
    await Promise.all([one?.goto(url), two?.goto(url)]);
    await one?.evaluate(() => {
      // biome-ignore lint/suspicious/noDocumentCookie: the page's own way is what is tested
      document.cookie = "a=1";
      localStorage.setItem("a", "1");
    });
    const kept = () => `${document.cookie} ${localStorage.getItem("a")}`;
    expect(await one?.evaluate(kept)).toBe("a=1 1");
    expect(await two?.evaluate(kept)).toBe(" null");
  });

  test("whose port changes in the config is stopped before it is used again", async () => {
    const [a = 0, b = 0] = await freePorts(2);
    const browsers = await open({ cdpPortRangeStart: a });
    const { profiles } = browsers;
    const first = await profiles.connect("openclaw", {});
    const pid = pidOf(browsers);
    await browsers.setBrowser({ cdpPortRangeStart: b });
    expect(profiles.reconcileReason("openclaw")).toBe("cdpPort changed");
    const second = await profiles.connect("openclaw", {});
    expect(await first.closed).toBe("The browser was stopped.");
    expect(isGone(pid)).toBe(true);
    expect(second.profile.cdpPort).toBe(b);
  });

  test("is stopped at once when the policy becomes strict, and comes back held", async () => {
    const [port = 0] = await freePorts(1);
    const browsers = await open({ cdpPortRangeStart: port });
    const first = await browsers.profiles.connect("openclaw", {});
    await browsers.setBrowser({
      cdpPortRangeStart: port,
      ssrfPolicy: { dangerouslyAllowPrivateNetwork: false },
    });
    expect(await first.closed).toBe("The browser was stopped.");
    const second = await browsers.profiles.connect("openclaw", {});
    expect(second.guardedBy).toBe("proxy");
  });
});

describe("what stands in the way of a start", () => {
  test("a port that another program answers on is left alone and named", async () => {
    const stranger = createServer((_request, response) => response.end("hello"));
    await new Promise<void>((resolve) => stranger.listen(0, "127.0.0.1", resolve));
    endings.push(() => stranger.close());
    const address = stranger.address();
    const port = typeof address === "object" ? (address?.port ?? 0) : 0;
    const { profiles } = await open({ cdpPortRangeStart: port });
    const problem = await problemOf(profiles.connect("openclaw", {}));
    expect(problem.data).toMatchObject({ kind: "port_conflict", status: 409, port });
    expect(problem.message).toContain("did not start");
    expect(stranger.listening).toBe(true);
    expect(profiles.state("openclaw")).toEqual({ kind: "stopped" });
  });

  test("a folder that another process uses is left alone and named", async () => {
    const [port = 0] = await freePorts(1);
    const { profiles, folder } = await open({ cdpPortRangeStart: port });
    const userDataDir = userDataDirOf(folder, "openclaw");
    await mkdir(userDataDir, { recursive: true });
    // Looks like a browser on that folder to whoever reads command lines.
    const holder = spawn(process.execPath, [
      "-e",
      "setInterval(() => {}, 1000)",
      "--",
      `--user-data-dir=${userDataDir}`,
    ]);
    endings.push(() => holder.kill("SIGKILL"));
    await symlink(`${hostname()}-${holder.pid}`, path.join(userDataDir, "SingletonLock"));
    const problem = await problemOf(profiles.connect("openclaw", {}));
    expect(problem.data).toMatchObject({ kind: "profile_locked", pid: holder.pid });
    expect(holder.exitCode).toBeNull();
  });

  test("a lock that a dead process left does not stand in the way", async () => {
    const [port = 0] = await freePorts(1);
    const { profiles, folder } = await open({ cdpPortRangeStart: port });
    const userDataDir = userDataDirOf(folder, "openclaw");
    await mkdir(userDataDir, { recursive: true });
    await symlink(`${hostname()}-999999`, path.join(userDataDir, "SingletonLock"));
    await profiles.connect("openclaw", {});
    expect(await readlink(path.join(userDataDir, "SingletonLock"))).not.toContain("-999999");
  });

  test("a program that is no browser is reported with what it said", async () => {
    const { folder, remove } = await makeTestFolder();
    endings.push(remove);
    const fake = path.join(folder, "fake-browser");
    await writeFileAtomic(fake, "#!/bin/sh\necho 'cannot open display' >&2\nexit 3\n", { mode: 0o700 });
    const [port = 0] = await freePorts(1);
    const { profiles } = await open({ cdpPortRangeStart: port, executablePath: fake });
    const problem = await problemOf(profiles.connect("openclaw", {}));
    expect(problem.data).toMatchObject({ kind: "launch_failed" });
    expect(problem.message).toMatch(/exit code 3.*browser\.headless.*It said: cannot open display/s);
  });

  test("a missing program, an unknown profile and a switched-off browser are said in words", async () => {
    const [port = 0] = await freePorts(1);
    const browsers = await open({ cdpPortRangeStart: port, executablePath: "/nowhere/chrome" });
    const { profiles } = browsers;
    expect((await problemOf(profiles.connect("openclaw", {}))).message).toContain("/nowhere/chrome");
    const unknown = await problemOf(profiles.connect("__proto__", {}));
    expect(unknown.code).toBe("NOT_FOUND");
    expect(unknown.message).toContain("openclaw, user");
    await browsers.setBrowser({ enabled: false });
    expect((await problemOf(profiles.connect("openclaw", {}))).message).toContain("browser.enabled");
  });
});

describe("browsers that a former run left", () => {
  test("are ended at the next start, and nothing else is", async () => {
    const [port = 0] = await freePorts(1);
    const { folder, remove } = await makeTestFolder();
    endings.push(remove);
    const userDataDir = userDataDirOf(folder, "openclaw");
    await mkdir(userDataDir, { recursive: true, mode: 0o700 });
    const start = (dir: string, cdpPort: number) => {
      const child = spawn(
        testChromium,
        [
          `--user-data-dir=${dir}`,
          `--remote-debugging-port=${cdpPort}`,
          "--headless=new",
          "--no-sandbox",
          "--no-first-run",
          "about:blank",
        ],
        { detached: true, stdio: "ignore" },
      );
      endings.push(
        () => child.pid !== undefined && isGone(child.pid) === false && process.kill(-child.pid, "SIGKILL"),
      );
      return child;
    };
    const orphan = start(userDataDir, port);
    const foreign = start(path.join(folder, "foreign"), (await freePorts(1))[0] ?? 0);
    await waitFor(() => readlink(path.join(userDataDir, "SingletonLock")).catch(() => null), 30_000);
    const idOf = (pid: number | undefined) => ({
      pid: pid ?? 0,
      startTime: readProcess(pid ?? 0)?.startTime ?? "",
    });
    const record = (name: string, browser: { pid: number; startTime: string }, dir: string) =>
      writeFileAtomic(
        path.join(profileFolder(folder, name), "sallyport-browser.json"),
        JSON.stringify({
          browser,
          bootId: readBootId(),
          userDataDir: dir,
          cdpPort: port,
          owner: { pid: 999_999, startTime: "1" },
        }),
      );
    await record("openclaw", idOf(orphan.pid), userDataDir);
    // A record whose process does not run on the folder it names: the number was given to somebody else.
    await record("other", idOf(foreign.pid), userDataDirOf(folder, "other"));
    const { profiles } = await open({ cdpPortRangeStart: port }, { folder });
    expect(isGone(orphan.pid ?? 0)).toBe(true);
    expect(isGone(foreign.pid ?? 0)).toBe(false);
    expect((await profiles.connect("openclaw", {})).browser.isConnected()).toBe(true);
  });
});

describe("a remote profile", () => {
  test("is attached to, never started or stopped", async () => {
    const [port = 0, ownPort = 0] = await freePorts(2);
    const host = await open({ cdpPortRangeStart: port });
    await host.profiles.connect("openclaw", {});
    const browsers = await open({
      cdpPortRangeStart: ownPort,
      profiles: { grid: { cdpUrl: `http://user:word@127.0.0.1:${port}/?token=t`, color: "00AA00" } },
    });
    const { profiles } = browsers;
    expect(profiles.find("grid")).toMatchObject({ kind: "remote", attachOnly: true, color: "#00AA00" });
    expect(profiles.find("grid").cdpUrl).not.toMatch(/word|=t$/);
    const connection = await profiles.connect("grid", {});
    expect(profiles.state("grid")).toMatchObject({ kind: "running", pid: null });
    expect(await profiles.stop("grid")).toEqual({ stopped: false });
    await connection.closed;
    expect(isGone(pidOf(host))).toBe(false);
    await host.profiles.stop("openclaw");
    const problem = await problemOf(profiles.connect("grid", {}));
    expect(problem.message).toContain("does not answer");
    expect(profiles.state("grid")).toMatchObject({ kind: "unreachable" });
  });
});

describe("the person's own browser", () => {
  test("is found by the port it wrote down, and never started", async () => {
    const [port = 0, ownPort = 0] = await freePorts(2);
    const host = await open({ cdpPortRangeStart: port });
    const running = await host.profiles.connect("openclaw", {});
    const { folder, remove } = await makeTestFolder();
    endings.push(remove);
    const { profiles } = await open({
      cdpPortRangeStart: ownPort,
      profiles: { user: { driver: "existing-session", userDataDir: folder, color: "00AA00" } },
    });
    const problem = await problemOf(profiles.connect("user", {}));
    expect(problem.message).toContain("never starts this browser itself");
    const answer = await fetch(`http://127.0.0.1:${port}/json/version`);
    const { webSocketDebuggerUrl } = (await answer.json()) as { webSocketDebuggerUrl: string };
    await writeFileAtomic(
      path.join(folder, "DevToolsActivePort"),
      `${port}\n${new URL(webSocketDebuggerUrl).pathname}`,
    );
    const connection = await profiles.connect("user", {});
    expect(connection.browser.version()).toBe(running.browser.version());
    expect(profiles.find(undefined).name).toBe("openclaw");
  });
});

describe("profiles in the config", () => {
  test("are created, deleted and reset with comments kept and data in the trash", async () => {
    const { folder, remove } = await makeTestFolder();
    endings.push(remove);
    const configPath = path.join(folder, "openclaw.json");
    const [port = 0] = await freePorts(1);
    const browsers = await open({ cdpPortRangeStart: port }, { folder });
    const { profiles } = browsers;
    const text = `{\n  // my browser\n  browser: { executablePath: ${JSON.stringify(testChromium)}, headless: true, cdpPortRangeStart: ${port} },\n}\n`;
    await writeFileAtomic(configPath, text);
    await browsers.config.reload();
    await Promise.all([
      profiles.create({ name: "work" }),
      profiles.create({ name: "home", color: "nonsense" }),
    ]);
    const ports = [profiles.find("work"), profiles.find("home")].map((one) => one.cdpPort);
    expect(new Set([...ports, port]).size).toBe(3);
    expect(profiles.find("work").color).toBe("#0066CC");
    expect(await readFile(configPath, "utf8")).toContain("// my browser");
    for (const [name, status] of [
      ["work", 409],
      ["Bad_Name", 400],
      ["-x", 400],
    ] as const)
      expect((await problemOf(profiles.create({ name }))).data).toMatchObject({ status });

    await profiles.connect("work", {});
    const before = pidOf(browsers, "work");
    const reset = await profiles.reset("work");
    expect(isGone(before)).toBe(true);
    expect(reset.movedTo).toContain(path.join(folder, ".local", "share", "Trash", "files"));
    expect(await stat(path.join(reset.movedTo ?? "", "Default")).then((found) => found.isDirectory())).toBe(
      true,
    );
    await expect(stat(reset.from)).rejects.toThrow("ENOENT");

    const deleted = await profiles.remove("work");
    expect(deleted.movedTo).not.toBeNull();
    expect((await problemOf(profiles.connect("work", {}))).code).toBe("NOT_FOUND");
    expect(await readFile(configPath, "utf8")).toContain("// my browser");
    expect(await profiles.remove("home")).toEqual({ movedTo: null });
    expect((await problemOf(profiles.remove("openclaw"))).data).toMatchObject({ status: 400 });
    expect((await problemOf(profiles.remove("user"))).code).toBe("NOT_FOUND");
    expect((await problemOf(profiles.reset("user"))).data).toMatchObject({ status: 400 });
  });
});
