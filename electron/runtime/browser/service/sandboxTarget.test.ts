/** The tool on a real Chromium inside bubblewrap: for sandboxed sessions, apart from this computer's browsers. */

import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  detailsOf,
  refOf,
  startTestDesk,
  startTestSite,
  type TestDesk,
  type TestSite,
  textOf,
} from "./testDesk.ts";

let desk: TestDesk;
let site: TestSite;
const long = { timeout: 120_000 };

const agents = (browser: object, network = "host", scope = "agent") => ({
  agents: {
    defaults: { sandbox: { mode: "all", scope, backend: "bubblewrap", docker: { network }, browser } },
    list: [{ id: "main", default: true }, { id: "other" }],
  },
});
const own = "openclaw (sandbox main)";
const running = (name: string) => desk.service.profileView(name).state;
const failure = async (args: Record<string, unknown>, over = {}) => {
  const outcome = await desk.call(args, over).catch((error: unknown) => error);
  if (outcome instanceof Error) return outcome.message;
  throw new Error(`it did not fail: ${JSON.stringify(outcome)}`);
};

beforeAll(async () => {
  [desk, site] = await Promise.all([startTestDesk(), startTestSite()]);
  await desk.setBrowser({}, agents({ enabled: true }));
  site.pages.set("/in", "<h1>Inside</h1><button onclick=\"this.textContent='Pressed'\">Press</button>");
}, 120_000);

afterAll(async () => {
  await desk?.dispose();
  await site?.close();
}, 60_000);

it("opens, reads and acts in the sandbox's browser, and this computer's does not start", long, async () => {
  const opened = await desk.call({ action: "open", url: `${site.url}/in` });
  expect(textOf(opened)).toContain("/in");
  const ref = refOf(textOf(await desk.call({ action: "snapshot", snapshotFormat: "ai" })), /"Press"/);
  expect(textOf(await desk.call({ action: "act", kind: "click", ref }))).toContain("Pressed");
  expect(running("openclaw").kind).toBe("stopped");
  const state = running(own);
  if (state.kind !== "running" || state.pid === null) throw new Error("it does not run");
  const words = (await readFile(`/proc/${state.pid}/cmdline`, "utf8")).split("\0");
  expect(words[0]).toMatch(/bwrap$/);
  expect(words).toContain("--unshare-pid");
});

it("status, profiles and tabs are the sandbox's; the panel and the film have it too", long, async () => {
  expect(detailsOf(await desk.call({ action: "status" }))).toMatchObject({
    profile: own,
    target: "sandbox",
    running: true,
  });
  const { profiles } = detailsOf(await desk.call({ action: "profiles" })) as { profiles: { name: string }[] };
  expect(profiles.map(({ name }) => name)).toEqual([own]);
  expect(detailsOf(await desk.call({ action: "tabs", profile: own }))).toMatchObject({ tabCount: 2 });
  expect(desk.service.profileViews().map(({ name }) => name)).toEqual(["openclaw", "user", own]);
  expect((await desk.service.tabs()).every(({ profile }) => profile === own)).toBe(true);
  expect(desk.service.film.list({ profile: own, limit: 10 }).map(({ action }) => action)).toEqual([
    "open",
    "click",
  ]);
});

it("files go in and out, and nothing else of this computer is seen", long, async () => {
  const { uploads } = await desk.service.fileRoots();
  await writeFile(join(uploads, "note.txt"), "hello");
  await writeFile(join(desk.browsers.folder, "private.txt"), "private");
  site.pages.set("/report", (_request, response) => {
    response.writeHead(200, { "content-disposition": "attachment; filename=report.txt" });
    response.end("out");
  });
  site.pages.set(
    "/files",
    "<label>Paper <input type=file onchange=\"this.files[0].text().then((t) => { out.textContent = 'got ' + t })\"></label><a href='/report'>Report</a><p id=out></p>",
  );
  await desk.call({ action: "navigate", url: `${site.url}/files` });
  const text = textOf(await desk.call({ action: "snapshot", snapshotFormat: "ai" }));
  await desk.call({ action: "upload", paths: ["note.txt"], inputRef: refOf(text, /button "Paper"/) });
  await desk.call({ action: "act", kind: "wait", text: "got hello" });
  const saved = detailsOf(await desk.call({ action: "download", ref: refOf(text, /"Report"/) }));
  expect(await readFile((saved.download as { path: string }).path, "utf8")).toBe("out");
  const { page } = await desk.service.tab({ profile: own });
  const other = await page.context().newPage();
  await expect(other.goto(`file://${desk.browsers.folder}/private.txt`)).rejects.toThrow(
    /ERR_(?:FILE_NOT_FOUND|ACCESS_DENIED)/,
  );
  await other.close();
});

it("neither this computer's browsers nor another sandbox's can be reached", long, async () => {
  for (const args of [{ target: "host" }, { profile: "user" }, { target: "host", profile: own }]) {
    expect(await failure({ action: "status", ...args })).toMatch(/allowHostControl/);
  }
  expect(await failure({ action: "tabs", profile: own }, { agentId: "other" })).toMatch(/does not exist/);
  expect(detailsOf(await desk.call({ action: "status" }, { agentId: "other" }))).toMatchObject({
    profile: "openclaw (sandbox other)",
    running: false,
  });
});

it("ends at once when the sandbox may not have it any more", long, async () => {
  const connection = desk.sandboxes.profiles.connection(own);
  const pid = (running(own) as { pid: number }).pid;
  await desk.setBrowser({}, agents({ enabled: false }));
  await connection?.closed;
  await expect.poll(() => existsSync(`/proc/${pid}`), { timeout: 30_000 }).toBe(false);
  expect(await failure({ action: "open", url: `${site.url}/in` })).toMatch(/allowHostControl/);
  expect(await failure({ action: "open", url: `${site.url}/in`, target: "sandbox" })).toMatch(
    /sandbox\.browser\.enabled/,
  );
  await expect.poll(() => desk.service.profileViews().map(({ name }) => name)).not.toContain(own);
});

it("each sandbox has one of its own: by agent, by session, or one for all", long, async () => {
  const nameIn = async (scope: string, over = {}) => {
    await desk.setBrowser({}, agents({ enabled: true }, "host", scope));
    return detailsOf(await desk.call({ action: "status" }, over)).profile;
  };
  const other = { sessionKey: "agent:main:other" };
  expect(await nameIn("agent", other)).toBe(own);
  expect(await nameIn("shared")).toBe("openclaw (sandbox)");
  expect(await nameIn("shared", { agentId: "other" })).toBe("openclaw (sandbox)");
  const ofSession = await nameIn("session");
  expect(ofSession).toMatch(/^openclaw \(sandbox main [0-9a-f]{7}\)$/);
  expect(await nameIn("session", other)).not.toBe(ofSession);
  await desk.sandboxes.endSessions((key) => key === other.sessionKey);
  expect(desk.service.profileViews().map(({ name }) => name)).toEqual(["openclaw", "user", ofSession]);
});

it(
  "says what to change when the sandbox has no network; starts again, stops, and starts again",
  long,
  async () => {
    await desk.setBrowser({}, agents({ enabled: true }, "none"));
    expect(await failure({ action: "open", url: `${site.url}/in` })).toMatch(/docker\.network/);
    await desk.setBrowser({}, agents({ enabled: true }));
    await desk.call({ action: "start" });
    expect(detailsOf(await desk.call({ action: "stop" }))).toMatchObject({ profile: own, running: false });
    expect(textOf(await desk.call({ action: "open", url: `${site.url}/in` }))).toContain("/in");
    // Its mark of the folder names a process of the inside, and stays behind when it is killed.
    const killed = desk.sandboxes.profiles.connection(own);
    process.kill((running(own) as { pid: number }).pid, "SIGKILL");
    await killed?.closed;
    expect(textOf(await desk.call({ action: "open", url: `${site.url}/in` }))).toContain("/in");
    const { pid } = running(own) as { pid: number };
    await desk.sandboxes.dispose();
    expect(existsSync(`/proc/${pid}`)).toBe(false);
  },
);
