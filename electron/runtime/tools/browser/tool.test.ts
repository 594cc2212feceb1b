/** Every action of the browser tool on a real Chromium. */

import { readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allHardening } from "../../../../shared/hardening/index.ts";
import { testChromium } from "../../browser/profiles/testBrowsers.ts";
import {
  detailsOf,
  refOf,
  startTestDesk,
  startTestSite,
  type TestDesk,
  type TestSite,
  textOf,
} from "../../browser/service/testDesk.ts";

let desk: TestDesk;
let site: TestSite;

beforeAll(async () => {
  [desk, site] = await Promise.all([startTestDesk(), startTestSite()]);
}, 120_000);

afterAll(async () => {
  await desk?.dispose();
  await site?.close();
}, 60_000);

async function show(path: string, body: string): Promise<string> {
  site.pages.set(path, body);
  const result = await desk.call({ action: "navigate", url: `${site.url}${path}` });
  return String(detailsOf(result).targetId);
}

const snapshot = async (args: Record<string, unknown> = {}) =>
  textOf(await desk.call({ action: "snapshot", ...args }));

const failure = async (args: Record<string, unknown>): Promise<Error> => {
  const outcome = await desk.call(args).catch((error: unknown) => error);
  if (outcome instanceof Error) return outcome;
  throw new Error(`it did not fail: ${JSON.stringify(outcome)}`);
};

const long = { timeout: 60_000 };

describe("before a browser runs", long, () => {
  it("says so in status and lists no tabs, without starting one", async () => {
    const status = await desk.call({ action: "status" });
    expect(detailsOf(status)).toMatchObject({
      enabled: true,
      profile: "openclaw",
      running: false,
      pid: null,
      target: "host",
      chosenBrowser: null,
      detectedBrowser: "custom",
      detectedExecutablePath: testChromium,
      detectError: null,
    });
    expect(detailsOf(await desk.call({ action: "tabs" }))).toMatchObject({ ok: true, tabCount: 0 });
    expect(detailsOf(await desk.call({ action: "status" }))).toMatchObject({ running: false });
    expect((await failure({ action: "focus", targetId: "abc" })).message).toMatch(/browser not running/);
  });

  it("names the known profiles instead of taking another one", async () => {
    expect((await failure({ action: "open", profile: "work", url: site.url })).message).toMatch(
      /"work".*openclaw, user/,
    );
    const { profiles } = detailsOf(await desk.call({ action: "profiles" })) as {
      profiles: { name: string }[];
    };
    expect(profiles.map((each) => each.name)).toEqual(["openclaw", "user"]);
    expect(profiles[0]).toMatchObject({ running: false, reconcileReason: null });
  });

  it("tells of a browser program that is not there instead of failing", async () => {
    await desk.setBrowser({ executablePath: "/nowhere/chrome" });
    expect(detailsOf(await desk.call({ action: "status" }))).toMatchObject({
      detectedBrowser: null,
      detectedExecutablePath: null,
      detectError: expect.stringContaining("/nowhere/chrome"),
    });
    await desk.setBrowser({});
  });

  it.each([
    [{ target: "node" }, /No node with a browser is paired/],
    [{ node: "attic" }, /No node with a browser is paired/],
    [{ target: "host", node: "attic" }, /leave one of them away/],
    [{ target: "sandbox" }, /sandbox\.browser\.enabled/],
    [{ target: "moon" }, /sandbox, host or node/],
    [{ profile: "user", target: "sandbox" }, /person's own browser/],
  ])("refuses the route %j with its reason", async (route, message) => {
    expect((await failure({ action: "open", url: site.url, ...route })).message).toMatch(message);
  });

  it.each([
    [{ action: "open" }, /targetUrl required/],
    [{ action: "navigate" }, /targetUrl required/],
    [{ action: "act" }, /request required/],
    [{ action: "focus" }, /targetId required/],
    [{ action: "upload" }, /paths are required/],
    [{ action: "open", url: "file:///etc/passwd" }, /unsupported protocol/],
    [{ action: "open", url: "localhost:3000" }, /unsupported protocol/],
  ])("refuses %j before it starts one", async (args, message) => {
    expect((await failure(args)).message).toMatch(message);
    expect(detailsOf(await desk.call({ action: "status" }))).toMatchObject({ running: false });
  });
});

describe("opening and reading", long, () => {
  it("opens an address and reads it as dense, wrapped text with refs and size", async () => {
    site.pages.set("/hello", "<h1>Hello</h1><button>Press me</button>");
    const opened = await desk.call({ action: "open", url: `${site.url}/hello` });
    expect(textOf(opened)).toMatch(/Source: Browser\n---\nurl: .*\/hello\ntitle: \/hello/);
    expect(detailsOf(opened)).toMatchObject({
      ok: true,
      stillLoading: false,
      externalContent: { wrapped: true },
    });
    const seen = await desk.call({ action: "snapshot" });
    expect(textOf(seen)).toContain("SECURITY NOTICE");
    expect(refOf(textOf(seen), /Press me/)).toMatch(/^e\d+$/);
    expect(detailsOf(seen)).toMatchObject({ format: "dense", truncated: false });
    expect(detailsOf(seen).tokenEstimate).toBe(Math.ceil(textOf(seen).length / 4));
  });

  it("gives the other formats by name or by their options", async () => {
    await show("/formats", "<h1>Formats</h1><p>text</p><button>One</button>");
    expect(await snapshot({ snapshotFormat: "ai" })).toContain('- button "One" [ref=');
    const role = await desk.call({ action: "snapshot", interactive: true });
    expect(detailsOf(role)).toMatchObject({ format: "role" });
    expect(textOf(role)).not.toContain("Formats");
    expect(detailsOf(await desk.call({ action: "snapshot", snapshotFormat: "aria" }))).toMatchObject({
      format: "aria",
    });
    expect((await failure({ action: "snapshot", snapshotFormat: "aria", labels: true })).message).toMatch(
      /format=ai/,
    );
    expect(detailsOf(await desk.call({ action: "snapshot", mode: "efficient" }))).toMatchObject({
      format: "role",
    });
  });

  it("says at once that a selector matches nothing", async () => {
    await show("/selector", "<div id=a>inside</div><div>beyond</div>");
    expect(await snapshot({ selector: "#a" })).not.toContain("beyond");
    expect((await failure({ action: "snapshot", selector: "#nothing" })).message).toMatch(/#nothing/);
  });

  it("tells only what changed since the last look, and when nothing did", async () => {
    await show(
      "/delta",
      "<h1>Counter</h1><button onclick=\"out.textContent='clicked once'\">Count</button><p id=out>nothing yet</p>",
    );
    const ref = refOf(await snapshot(), /Count\b/);
    expect(await snapshot({ incremental: true })).toContain("nothing changed");
    const acted = textOf(await desk.call({ action: "act", kind: "click", ref }));
    expect(acted).toContain("changed:");
    expect(acted).toContain("clicked once");
    expect(acted).not.toContain("Counter");
  });

  it("never counts as seen what was too much to show with an act", async () => {
    const rows = "Array.from({ length: 200 }, (_, i) => '<p>row number ' + i + ' of many</p>').join('')";
    await show("/large", `<button onclick="out.innerHTML = ${rows}">More</button><div id=out></div>`);
    const ref = refOf(await snapshot(), /More/);
    const acted = textOf(await desk.call({ action: "act", kind: "click", ref }));
    expect(acted).toContain("changed too much to show here");
    expect(await snapshot({ incremental: true })).toContain("row number 150 of many");
    expect(await snapshot({ incremental: true })).toContain("nothing changed");
  });

  it("answers as the reference does when the rules are off", async () => {
    site.pages.set("/bare", "<button onclick=\"out.textContent='hit'\">Bare</button><p id=out></p>");
    desk.settings.hardening = new Set();
    try {
      const opened = JSON.parse(textOf(await desk.call({ action: "open", url: `${site.url}/bare` })));
      expect(opened).toMatchObject({ url: `${site.url}/bare`, type: "page" });
      const seen = await desk.call({ action: "snapshot" });
      expect(detailsOf(seen)).toMatchObject({ format: "ai" });
      const clicked = JSON.parse(
        textOf(await desk.call({ action: "act", kind: "click", ref: refOf(textOf(seen), /"Bare"/) })),
      );
      expect(clicked).toEqual({ ok: true, targetId: opened.targetId, url: `${site.url}/bare` });
    } finally {
      desk.settings.hardening = allHardening;
    }
  });

  it("goes back, forward and reloads", async () => {
    await show("/first", "<p>first</p>");
    await show("/second", "<p>second</p>");
    expect(textOf(await desk.call({ action: "navigate", history: "back" }))).toContain("/first");
    expect(textOf(await desk.call({ action: "navigate", history: "forward" }))).toContain("/second");
    expect(textOf(await desk.call({ action: "navigate", history: "reload" }))).toContain("/second");
  });

  it("says why an address cannot be loaded", async () => {
    const refused = await desk.call({ action: "navigate", url: "http://127.0.0.1:9/" });
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toMatch(/refuse this port|nothing listens/i);
  });

  it("takes pictures of the view, of an element and with refs drawn in", async () => {
    await show(
      "/picture",
      "<h1>Picture</h1><button style='width:120px'>Small</button><div style='height:3000px'></div>",
    );
    const ref = refOf(await snapshot(), /Small/);
    const view = await desk.call({ action: "screenshot" });
    const { path, width } = detailsOf(view) as { path: string; width: number };
    expect(path.startsWith(join(desk.browsers.folder, "media", "browser"))).toBe(true);
    expect((await stat(join(path, ".."))).mode & 0o777).toBe(0o700);
    expect(width).toBeLessThanOrEqual(1200);
    expect(view.content.some((part) => part.type === "image")).toBe(true);
    const element = detailsOf(await desk.call({ action: "screenshot", ref })) as { width: number };
    expect(element.width).toBeLessThan(200);
    const whole = detailsOf(await desk.call({ action: "screenshot", fullPage: true })) as { height: number };
    expect(whole.height).toBe(1200);
    expect((await failure({ action: "screenshot", fullPage: true, ref })).message).toMatch(
      /fullPage is not supported/,
    );
    const labelled = detailsOf(await desk.call({ action: "snapshot", labels: true }));
    expect(labelled).toMatchObject({ labels: true, imageType: "jpeg" });
    expect(labelled.labelsCount).toBeGreaterThan(0);
  });

  it("prints a page", async () => {
    await show("/print", "<h1>Paper</h1>");
    const printed = await desk.call({ action: "pdf" });
    const path = textOf(printed).replace("FILE:", "");
    expect((await readFile(path)).subarray(0, 5).toString()).toBe("%PDF-");
  });
});

describe("tabs", long, () => {
  it("finds them by a prefix in any case, and says when it is ambiguous or gone", async () => {
    site.pages.set("/tab", "<p>tab</p>");
    const opened = detailsOf(await desk.call({ action: "open", url: `${site.url}/tab` }));
    const id = String(opened.targetId);
    const found = await desk.call({ action: "snapshot", targetId: id.slice(0, 12).toLowerCase() });
    expect(detailsOf(found).targetId).toBe(id);
    expect((await failure({ action: "snapshot", targetId: "ZZZ" })).message).toMatch(/no tab ZZZ/);
    await desk.call({ action: "close", targetId: id });
    expect((await failure({ action: "focus", targetId: id })).message).toMatch(/no tab/);
  });

  it("lists them wrapped, with the one used last, and without pages of the browser itself", async () => {
    await show("/listed", "<p>listed</p>");
    const listed = await desk.call({ action: "tabs" });
    expect(textOf(listed)).toMatch(/last used.*\/listed/);
    expect(textOf(listed)).not.toContain("chrome://");
    expect(detailsOf(listed)).toMatchObject({ ok: true, externalContent: { wrapped: true } });
  });

  it("closes the least recently used ones over eight, never another session's, and names them", async () => {
    site.pages.set("/many", "<p>many</p>");
    const other = { sessionKey: "agent:main:other" };
    const theirs = String(
      detailsOf(await desk.call({ action: "open", url: `${site.url}/many` }, other)).targetId,
    );
    const closed: unknown[] = [];
    let newest = "";
    for (let count = 0; count < 10; count += 1) {
      const details = detailsOf(await desk.call({ action: "open", url: `${site.url}/many` }));
      closed.push(...(details.closedTabs as unknown[]));
      newest = String(details.targetId);
    }
    const open = (await desk.service.tabs("openclaw")).map((tab) => tab.targetId);
    expect(open).toHaveLength(8);
    expect(open).toContain(theirs);
    expect(open).toContain(newest);
    expect(closed.length).toBeGreaterThan(0);
    await desk.service.endSessions((key) => key === other.sessionKey);
    expect((await desk.service.tabs("openclaw")).map((tab) => tab.targetId)).not.toContain(theirs);
  });
});

describe("what a page did", long, () => {
  it("keeps console, errors and requests; warn means warning", async () => {
    site.pages.set("/data", (_request, response) => response.writeHead(500).end("broken"));
    await show(
      "/noisy",
      "<script>console.log('plain word'); console.warn('watch out'); console.error('it broke'); fetch('/data'); setTimeout(() => { throw new TypeError('late failure') })</script>",
    );
    await desk.call({ action: "act", kind: "wait", loadState: "networkidle" });
    const warned = textOf(await desk.call({ action: "console", level: "warn" }));
    expect(warned).toContain("[warning] watch out");
    expect(warned).toContain("[error] it broke");
    expect(warned).not.toContain("plain word");
    expect(textOf(await desk.call({ action: "console" }))).toContain("plain word");
    expect(textOf(await desk.call({ action: "errors", clear: true }))).toContain("TypeError: late failure");
    expect(textOf(await desk.call({ action: "errors" }))).toContain("0 page errors");
    expect(textOf(await desk.call({ action: "requests", filter: "/data" }))).toMatch(
      /GET .*\/data fetch 500/,
    );
  });

  it("dismisses dialogs and says so, and answers the one that was armed", async () => {
    await show(
      "/dialogs",
      "<button onclick=\"out.textContent = String(prompt('Your name?', 'nobody'))\">Ask</button><p id=out></p>",
    );
    const ref = refOf(await snapshot(), /Ask/);
    const unarmed = textOf(await desk.call({ action: "act", kind: "click", ref }));
    expect(unarmed).toMatch(/dialog: prompt "Your name\?" dismissed, because no answer was armed/);
    expect(unarmed).toContain("null");
    await desk.call({ action: "dialog", accept: true, promptText: " Ada " });
    const armed = textOf(await desk.call({ action: "act", kind: "click", ref }));
    expect(armed).toContain("accepted as armed");
    expect(armed).toContain("Ada");
    expect(textOf(await desk.call({ action: "act", kind: "click", ref }))).toContain("dismissed");
  });
});

describe("files", long, () => {
  it("uploads only what lies in the uploads folder, and no links", async () => {
    const { uploads } = await desk.service.fileRoots();
    await writeFile(join(uploads, "note.txt"), "hello");
    await symlink("/etc/passwd", join(uploads, "link.txt"));
    await show(
      "/upload",
      "<label>Paper <input type=file onchange=\"out.textContent = 'got ' + this.files[0].name\"></label><p id=out></p>",
    );
    const inputRef = refOf(await snapshot({ snapshotFormat: "ai" }), /button "Paper"/);
    await desk.call({ action: "upload", paths: ["note.txt"], inputRef });
    expect(await snapshot()).toContain("got note.txt");
    expect((await failure({ action: "upload", paths: ["/etc/passwd"], inputRef })).message).toMatch(
      /must stay within uploads/,
    );
    expect((await failure({ action: "upload", paths: ["link.txt"], inputRef })).message).toMatch(
      /symbolic link/,
    );
    expect((await failure({ action: "upload", paths: ["../../x"], inputRef })).message).toMatch(
      /must stay within/,
    );
    expect((await failure({ action: "upload", paths: ["gone.txt"], inputRef })).message).toMatch(
      /There is no file/,
    );
  });

  it("gives files to the chooser that a ref opens", async () => {
    const { uploads } = await desk.service.fileRoots();
    await writeFile(join(uploads, "chosen.txt"), "hello");
    await show(
      "/chooser",
      "<button onclick='field.click()'>Attach</button><input id=field type=file style='display:none' onchange=\"out.textContent = 'got ' + this.files[0].name\"><p id=out></p>",
    );
    const ref = refOf(await snapshot(), /Attach/);
    await desk.call({ action: "upload", paths: ["chosen.txt"], ref });
    expect(await snapshot()).toContain("got chosen.txt");
  });

  it("saves downloads with safe names into one folder and reports those that a click caused", async () => {
    const { downloads } = await desk.service.fileRoots();
    site.pages.set("/report", (_request, response) => {
      response.writeHead(200, { "content-disposition": 'attachment; filename="../../re:port.csv"' });
      response.end("a,b\n1,2\n");
    });
    await show("/downloads", "<a href='/report'>Get report</a>");
    const ref = refOf(await snapshot(), /Get report/);
    const clicked = textOf(await desk.call({ action: "act", kind: "click", ref }));
    const path = /saved as (\S+)/.exec(clicked)?.[1] ?? "";
    expect(path.startsWith(downloads)).toBe(true);
    expect(await readFile(path, "utf8")).toBe("a,b\n1,2\n");
    const named = await desk.call({ action: "download", ref, path: "own.csv" });
    expect(detailsOf(named)).toMatchObject({ download: { path: join(downloads, "own.csv"), sizeBytes: 8 } });
    expect((await failure({ action: "download", ref, path: "../own.csv" })).message).toMatch(
      /must stay within downloads/,
    );
    expect((await failure({ action: "download", ref, path: "own.csv" })).message).toMatch(/exists already/);
  });
});

describe("a person at the panel", long, () => {
  it("takes the browser over: agents may look but not act until it is given back", async () => {
    await show("/paused", "<button>Go</button>");
    const ref = refOf(await snapshot(), /Go/);
    desk.service.pause(undefined, true);
    expect((await failure({ action: "act", kind: "click", ref })).message).toMatch(/taken over/);
    expect(await snapshot()).toContain("Go");
    desk.service.pause(undefined, false);
    expect(textOf(await desk.call({ action: "act", kind: "click", ref }))).toContain("click: done");
  });
});

describe("the end", long, () => {
  it("stops the browser, and stopping again is no error", async () => {
    expect(detailsOf(await desk.call({ action: "stop" }))).toMatchObject({ running: false });
    expect(textOf(await desk.call({ action: "stop" }))).toContain("was not running");
    expect(detailsOf(await desk.call({ action: "tabs" }))).toMatchObject({ tabCount: 0 });
  });

  it("starts it again for the next call", async () => {
    expect(textOf(await desk.call({ action: "open", url: `${site.url}/hello` }))).toContain("/hello");
    expect(detailsOf(await desk.call({ action: "start" }))).toMatchObject({ running: true });
  });
});
