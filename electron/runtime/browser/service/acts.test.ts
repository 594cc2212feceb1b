/** Every kind of act on a real Chromium, with its good case and its failures. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
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

const body = `
<h1>Bench</h1>
<button id=plain onclick="out.textContent='clicked ' + event.button + (event.shiftKey ? ' shift' : '')" ondblclick="out.textContent='double'" oncontextmenu="out.textContent='menu';return false">Plain</button>
<button disabled>Switched off</button>
<button id=hidden style="display:none">Hidden one</button>
<div style="position:relative;width:200px;height:40px"><button>Beneath</button><div id=cover style="position:absolute;inset:0;background:#ccc">cover</div></div>
<label>Name <input id=name></label>
<label>Secret <input type=password id=secret></label>
<label>Read only <input readonly value=fixed></label>
<label>Number <input type=number></label>
<label>Agree <input type=checkbox id=agree></label>
<label><input type=radio name=r id=r1> First day</label>
<label><input type=radio name=r id=r2> Second day</label>
<label>Colour <select id=colour><option value=r>Red</option><option value=g>Green</option></select></label>
<label>Notes <textarea id=notes></textarea></label>
<p id=para tabindex=0>Just text</p>
<div id=from draggable=true role=button aria-label="Piece" ondragstart="event.dataTransfer.setData('text','piece')" style="width:60px;height:30px;background:#9cf">Piece</div>
<div id=to role=button aria-label="Place" ondragover="event.preventDefault()" ondrop="event.preventDefault();out.textContent='dropped ' + event.dataTransfer.getData('text')" style="width:60px;height:30px;background:#fc9">Place</div>
<button onmouseover="out.textContent='hovered'">Hover me</button>
<form onsubmit="out.textContent='sent ' + q.value;return false"><label>Search <input id=q></label></form>
<a href="/next">Next page</a>
<a href="/other" target=_blank>Other window</a>
<button onclick="this.remove()">Vanish</button>
<button onclick="window.close()">Close window</button>
<p id=out></p>
<div style="height:2500px"></div>
<button>Far below</button>`;

let text = "";
const ref = (line: RegExp) => refOf(text, line);
const act = (request: Record<string, unknown>, over: Record<string, unknown> = {}) =>
  desk.call({ action: "act", request, ...over });
const said = async (request: Record<string, unknown>) => textOf(await act(request));

async function problem(request: Record<string, unknown>): Promise<{ problem: unknown; text: string }> {
  try {
    const result = await act(request);
    if (result.isError !== true) throw new Error(`it did not fail: ${textOf(result)}`);
    return { problem: detailsOf(result).problem, text: textOf(result) };
  } catch (error) {
    const data = (error as { data?: { kind?: unknown } }).data;
    if (data === undefined) throw error;
    return { problem: data.kind, text: (error as Error).message };
  }
}

async function fresh(): Promise<void> {
  await desk.call({ action: "navigate", url: `${site.url}/bench` });
  text = textOf(await desk.call({ action: "snapshot", snapshotFormat: "ai" }));
}

beforeAll(async () => {
  [desk, site] = await Promise.all([startTestDesk(), startTestSite()]);
  site.pages.set("/bench", body);
  site.pages.set("/next", "<h1>The next page</h1>");
  site.pages.set("/other", "<h1>Other</h1>");
  await fresh();
}, 120_000);

afterAll(async () => {
  await desk?.dispose();
  await site?.close();
}, 60_000);

const long = { timeout: 60_000 };

describe("each kind", long, () => {
  it("click: left, with a modifier, right, double, with a delay, by selector", async () => {
    expect(await said({ kind: "click", ref: ref(/"Plain"/) })).toContain("clicked 0");
    expect(await said({ kind: "click", ref: `@${ref(/"Plain"/)}`, modifiers: ["Shift"] })).toContain(
      "clicked 0 shift",
    );
    expect(await said({ kind: "click", ref: ref(/"Plain"/), button: "right" })).toContain("menu");
    expect(await said({ kind: "click", ref: ref(/"Plain"/), doubleClick: true })).toContain("double");
    expect(await said({ kind: "click", selector: "#plain", delayMs: 20 })).toContain("clicked 0");
  });

  it("type: replaces, appends slowly, submits, takes an empty text", async () => {
    await said({ kind: "type", ref: ref(/"Name"/), text: "Ada" });
    await said({ kind: "type", ref: ref(/"Name"/), text: "!", slowly: true });
    expect(await said({ kind: "evaluate", fn: "document.getElementById('name').value" })).toContain('"Ada!"');
    await said({ kind: "type", ref: ref(/"Name"/), text: "" });
    expect(await said({ kind: "evaluate", fn: "() => document.getElementById('name').value" })).toContain(
      'result: ""',
    );
    expect(await said({ kind: "type", ref: ref(/"Search"/), text: "tides", submit: true })).toContain(
      "sent tides",
    );
  });

  it("press, hover, scrollIntoView, resize", async () => {
    await said({ kind: "click", ref: ref(/"Notes"/) });
    await said({ kind: "press", key: "a" });
    await said({ kind: "press", key: "Space" });
    await said({ kind: "press", key: "b" });
    expect(await said({ kind: "evaluate", fn: "document.getElementById('notes').value" })).toContain('"a b"');
    expect(await said({ kind: "hover", ref: ref(/"Hover me"/) })).toContain("hovered");
    await said({ kind: "scrollIntoView", ref: ref(/"Far below"/) });
    expect(await said({ kind: "evaluate", fn: "window.scrollY > 500" })).toContain("true");
    await said({ kind: "resize", width: 640, height: 480 });
    expect(await said({ kind: "evaluate", fn: "[innerWidth, innerHeight]" })).toContain("[640,480]");
    await said({ kind: "resize", width: 1280, height: 800 });
  });

  it("drag, select by value and by text", async () => {
    expect(await said({ kind: "drag", startRef: ref(/"Piece"/), endRef: ref(/"Place"/) })).toContain(
      "dropped piece",
    );
    await said({ kind: "select", ref: ref(/combobox "Colour"/), values: ["Green"] });
    expect(await said({ kind: "evaluate", fn: "document.getElementById('colour').value" })).toContain('"g"');
    await said({ kind: "select", selector: "#colour", values: ["r"] });
    expect(await said({ kind: "evaluate", fn: "document.getElementById('colour').value" })).toContain('"r"');
  });

  it("fill: texts, a box, a radio button, a list, all in one act", async () => {
    const done = await said({
      kind: "fill",
      fields: [
        { ref: ref(/"Name"/), value: "Grace" },
        { ref: ref(/"Agree"/), type: "checkbox", value: true },
        { ref: ref(/"Second day"/), type: "radio", value: "1" },
        { ref: ref(/combobox "Colour"/), value: "Green" },
        { value: "lost" },
      ],
    });
    expect(done).toContain("1 without a ref were left out");
    const state = "[name.value, agree.checked, r2.checked, colour.value].join()";
    const fn = `(() => { const name = document.getElementById('name'); return ${state} })()`;
    expect(await said({ kind: "evaluate", fn })).toContain("Grace,true,true,g");
  });

  it("fill: says which fields were filled before the one that failed", async () => {
    const failed = await problem({
      kind: "fill",
      fields: [
        { ref: ref(/"Name"/), value: "Ida" },
        { ref: ref(/"Just text"|paragraph/), value: "no" },
        { ref: ref(/"Notes"/), value: "never" },
      ],
    });
    expect(failed.text).toMatch(/takes no text.*Filled before it: textbox "Name".*1 not tried/s);
  });

  it("wait: time, text, its end, selector, address, load state, condition as expression and as function", async () => {
    await said({
      kind: "evaluate",
      fn: "() => { setTimeout(() => { out.textContent = 'ready now' }, 150) }",
    });
    expect(await said({ kind: "wait", text: "ready now" })).toContain('Waited for text "ready now"');
    await said({ kind: "evaluate", fn: "() => { setTimeout(() => { out.textContent = '' }, 150) }" });
    await said({ kind: "wait", textGone: "ready now" });
    await said({ kind: "wait", timeMs: 10, selector: "#plain", url: "**/bench", loadState: "load" });
    await said({
      kind: "evaluate",
      fn: "() => { window.ok = false; setTimeout(() => { window.ok = true }, 150) }",
    });
    await said({ kind: "wait", fn: "() => window.ok" });
    await said({ kind: "wait", fn: "window.ok === true" });
    const failed = await problem({ kind: "wait", fn: "() => window.never", timeoutMs: 500 });
    expect(failed).toMatchObject({
      problem: "slow_page",
      text: expect.stringContaining("did not become true within 500 ms"),
    });
    expect(await problem({ kind: "wait", text: "nowhere", timeoutMs: 500 })).toMatchObject({
      problem: "slow_page",
    });
  });

  it("evaluate: expression, function, promise, on an element; failures are the script's own", async () => {
    expect(await said({ kind: "evaluate", fn: "1 + 1" })).toContain("result: 2");
    expect(await said({ kind: "evaluate", fn: "async () => ({ a: [1] })" })).toContain('{"a":[1]}');
    expect(await said({ kind: "evaluate", fn: "(el) => el.id", ref: ref(/"Plain"/) })).toContain('"plain"');
    expect(await said({ kind: "evaluate", fn: "undefined" })).toContain("result: undefined");
    expect(await problem({ kind: "evaluate", fn: "() => { throw new Error('mine') }" })).toMatchObject({
      problem: "evaluate_failed",
      text: expect.stringContaining("mine"),
    });
    expect(
      await problem({ kind: "evaluate", fn: "() => new Promise(() => {})", timeoutMs: 1500 }),
    ).toMatchObject({
      problem: "busy_page",
    });
  });

  it("batch: in order, stops at the first failure or goes on, and gives back values", async () => {
    const stopped = await act({
      kind: "batch",
      actions: [
        { kind: "type", ref: ref(/"Name"/), text: "Lin" },
        { kind: "click", ref: "e9999" },
        { kind: "evaluate", fn: "1" },
      ],
    });
    expect(detailsOf(stopped).results).toEqual([{ ok: true }, { ok: false }]);
    expect(textOf(stopped)).toContain("1 of 3 steps done, 1 failed, 1 not tried");
    const gone = await act({
      kind: "batch",
      stopOnError: false,
      actions: [
        { kind: "click", ref: "e9999" },
        { kind: "evaluate", fn: "6 * 7" },
      ],
    });
    expect(textOf(gone)).toContain("→ 42");
  });

  it("takes the flat form as well, and request wins over it", async () => {
    expect(textOf(await desk.call({ action: "act", kind: "click", ref: ref(/"Plain"/) }))).toContain(
      "clicked 0",
    );
    const both = await desk.call({
      action: "act",
      kind: "click",
      ref: "e9999",
      request: { kind: "hover", ref: ref(/"Hover me"/) },
    });
    expect(textOf(both)).toContain("hover: done");
  });
});

describe("what an act answers", long, () => {
  it("the address and title behind a click that navigates, and the new page when it is small", async () => {
    await fresh();
    const gone = textOf(await act({ kind: "click", ref: ref(/"Next page"/) }));
    expect(gone).toMatch(/url: .*\/next\n/);
    expect(gone).toContain("title: /next");
    expect(gone).toContain("The next page");
  });

  it("refs of the page before are stale at once, unknown ones unknown", async () => {
    const startedMs = performance.now();
    expect(await problem({ kind: "click", ref: ref(/"Plain"/) })).toMatchObject({ problem: "stale_ref" });
    expect(await problem({ kind: "click", ref: "e99999" })).toMatchObject({ problem: "unknown_ref" });
    expect(performance.now() - startedMs).toBeLessThan(15_000);
    await fresh();
  });

  it("new tabs that a click opened", async () => {
    const popped = await act({ kind: "click", ref: ref(/"Other window"/) });
    const target = /popup: new tab ([0-9A-F]{32})/.exec(textOf(popped))?.[1];
    expect(target).toBeDefined();
    await desk.call({ action: "close", targetId: target });
    await fresh();
  });

  it("wraps everything of the page, names of elements too", async () => {
    const clicked = textOf(await act({ kind: "click", ref: ref(/"Plain"/) }));
    const [before] = clicked.split("<<<EXTERNAL_UNTRUSTED_CONTENT");
    expect(before).not.toContain("Plain");
    const failed = await problem({ kind: "click", ref: ref(/"Switched off"/), timeoutMs: 3000 });
    expect(failed.text).toMatch(/^failed: disabled\n<<<EXTERNAL/);
  });
});

describe("each failure has its own name", long, () => {
  it.each([
    ["a disabled button", { kind: "click", ref: /"Switched off"/ }, "disabled", /is disabled/],
    ["a covered one", { kind: "click", ref: /"Beneath"/ }, "covered", /covered by <div id="cover"/],
    [
      "a missing option",
      { kind: "select", ref: /combobox "Colour"/, values: ["Blue"] },
      "no_option",
      /It has: "Red", "Green"/,
    ],
    [
      "a list that is none",
      { kind: "select", ref: /"Name"/, values: ["x"] },
      "wrong_element",
      /no drop-down list/,
    ],
    ["text into a paragraph", { kind: "type", ref: /paragraph/, text: "x" }, "not_fillable", /takes no text/],
    ["text into a read-only box", { kind: "type", ref: /"Read only"/, text: "x" }, "read_only", /read-only/],
    [
      "words into a number",
      { kind: "type", ref: /"Number"/, text: "x" },
      "not_fillable",
      /takes a number only/,
    ],
    ["text into a check box", { kind: "type", ref: /"Agree"/, text: "x" }, "not_fillable", /type "checkbox"/],
    ["a hidden one", { kind: "click", selector: "#hidden" }, "not_visible", /is not visible/],
    ["several matches", { kind: "click", selector: "button" }, "ambiguous_selector", /matched \d+ elements/],
    ["no match", { kind: "click", selector: "#nothing" }, "nothing_matches", /matches the selector/],
    ["a broken selector", { kind: "click", selector: "##" }, "bad_request", /no valid CSS selector/],
    ["an unknown key", { kind: "press", key: "Frobnicate" }, "bad_request", /There is no key Frobnicate/],
  ])("%s", async (_name, request, kind, message) => {
    const { ref: line, ...rest } = request as Record<string, unknown> & { ref?: RegExp };
    const found = await problem({
      ...rest,
      timeoutMs: 3000,
      ...(line === undefined ? {} : { ref: ref(line) }),
    });
    expect(found.problem).toBe(kind);
    expect(found.text).toMatch(message);
  });

  it("an element that left the page", async () => {
    await act({ kind: "click", ref: ref(/"Vanish"/) });
    expect(["detached", "stale_ref"]).toContain(
      (await problem({ kind: "click", ref: ref(/"Vanish"/) })).problem,
    );
  });

  it("scripts that are switched off", async () => {
    await desk.setBrowser({ evaluateEnabled: false });
    expect(await problem({ kind: "evaluate", fn: "1" })).toMatchObject({ problem: "evaluate_disabled" });
    expect(await problem({ kind: "wait", fn: "true" })).toMatchObject({ problem: "evaluate_disabled" });
    await desk.setBrowser({});
  });

  it("is ended by the caller's cancel", async () => {
    await fresh();
    const controller = new AbortController();
    const waiting = desk.call(
      { action: "act", kind: "wait", text: "never comes" },
      { signal: controller.signal },
    );
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: "CANCELLED" });
  });
});

describe("see before click", long, () => {
  const operator = {
    kind: "panel" as const,
    id: "panel:test",
    scopes: new Set(["operator.approvals" as const]),
    approvalSurface: true,
  };
  const byHand = {
    kind: "person" as const,
    label: "test",
    callerId: "panel:test",
    agentId: null,
    sessionKey: null,
    toolCallId: null,
    signal: undefined,
  };
  const waiting = async () => {
    for (;;) {
      const [request] = desk.approvals.pending();
      if (request !== undefined) return request;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };

  it("shows element, origin, the form and where it goes with secrets masked; deny means not done", async () => {
    site.pages.set(
      "/pay",
      `<form action="https://bank.example/pay" onsubmit="out.textContent='sent';return false"><label>Card <input name=card value="4000"></label><label>PIN <input type=password value="9876"></label><button>Pay now</button></form><p id=out></p>`,
    );
    await desk.call({ action: "navigate", url: `${site.url}/pay` });
    const pay = refOf(textOf(await desk.call({ action: "snapshot", snapshotFormat: "ai" })), /Pay now/);
    desk.settings.asks = true;
    try {
      const asked = desk.call({ action: "act", kind: "click", ref: pay });
      const request = await waiting();
      expect(request.kind).toBe("browserAct");
      expect(request.command).toContain(`page: ${site.url}`);
      expect(request.command).toContain("form goes to: https://bank.example");
      expect(request.command).toContain("Card: 4000");
      expect(request.command).toContain("PIN: (secret, 4 characters)");
      expect(request.command).not.toContain("9876");
      expect(request.command).toMatch(/picture: .*\.jpg/);
      await desk.approvals.resolve({ id: request.id, decision: "deny" }, operator);
      const denied = await asked;
      expect(denied.refusal).toMatchObject({ kind: "denied" });
      expect(textOf(denied)).toContain("Nothing was done");
      expect(textOf(await desk.call({ action: "snapshot" }))).not.toContain("sent");

      await desk.service.act(
        {},
        { kind: "evaluate", fn: "document.querySelector('[name=card]').focus()" },
        byHand,
        {
          observe: "none",
        },
      );
      const pressed = desk.call({ action: "act", kind: "press", key: "Enter" });
      const enter = await waiting();
      expect(enter.command).toContain("browser: press Enter in the focused input");
      expect(enter.command).toContain("form goes to: https://bank.example");
      await desk.approvals.resolve({ id: enter.id, decision: "deny" }, operator);
      expect((await pressed).refusal).toMatchObject({ kind: "denied" });

      const again = desk.call({ action: "act", kind: "click", ref: pay });
      const second = await waiting();
      await desk.approvals.resolve(
        { id: second.id, decision: "allow-once", digest: second.digest },
        operator,
      );
      expect(textOf(await again)).toContain("sent");
    } finally {
      desk.settings.asks = false;
    }
  });

  it("leaves the page its size while the film takes its pictures", async () => {
    await fresh();
    const size = async () => detailsOf(await desk.call({ action: "screenshot" })).width;
    const { page } = await desk.service.tab({});
    // The window is as wide as the browser was left; pictures for models are not.
    const width = Number(await page.evaluate("innerWidth"));
    const whole = Math.min(width, 1200);
    for (let round = 0; round < 6; round += 1) {
      await said({ kind: "press", key: "Shift" });
      expect(await size()).toBe(whole);
    }
    expect(await page.evaluate("innerWidth")).toBe(width);
  });

  it("keeps a password that a form sends in its address out of film, requests and console", async () => {
    const word = "Grün & gut/7";
    site.pages.set("/sent", "<h1>Sent</h1><script>console.log('at ' + location.href)</script>");
    site.pages.set(
      "/sign-in",
      "<form action='/sent'><label>User <input name=user></label><label>Key <input type=password name=w></label><input name=login_pwd value=plain-word><button>Go</button></form>",
    );
    await desk.call({ action: "navigate", url: `${site.url}/sign-in?access_token=abc123&page=4` });
    text = textOf(await desk.call({ action: "snapshot", snapshotFormat: "ai" }));
    await act({
      kind: "fill",
      fields: [
        { ref: ref(/"User"/), type: "text", value: "mira" },
        { ref: ref(/"Key"/), type: "text", value: word },
      ],
    });
    await act({ kind: "click", ref: ref(/button "Go"/) });
    const tab = await desk.service.tab({});
    await expect.poll(() => tab.records.list("console").length).toBeGreaterThan(0);
    // It was really sent: only what is kept of it is masked.
    expect(new URL(tab.page.url()).searchParams.get("w")).toBe(word);
    const kept = JSON.stringify([
      desk.service.film.list({ limit: 5 }),
      tab.records.list("requests").slice(-6),
      tab.records.list("console").slice(-1),
    ]);
    expect(kept).toContain("/sent?user=mira&w=••••&login_pwd=••••");
    expect(kept).toContain("access_token=••••&page=4");
    for (const secret of [word, encodeURIComponent(word), "Gr%C3%BCn", "plain-word", "abc123"])
      expect(kept).not.toContain(secret);
    await fresh();
  });

  it("films what was done, without secrets, and takes pictures behind the action", async () => {
    await fresh();
    await act({ kind: "type", ref: ref(/"Secret"/), text: "hunter2" });
    const entries = desk.service.film.list({ limit: 500 });
    const last = entries.at(-1);
    expect(last).toMatchObject({
      action: "type",
      who: { kind: "agent", sessionKey: "agent:main:test" },
      target: { name: "Secret" },
      detail: "(secret, 7 characters)",
      result: { kind: "done" },
    });
    expect(JSON.stringify(entries)).not.toContain("hunter2");
    const read = await said({ kind: "evaluate", fn: "(console.error(secret.value), [secret.value])" });
    expect(read).toContain('["••••"]');
    expect(read).not.toContain("hunter2");
    const kept = await desk.service.tab({});
    expect(JSON.stringify(kept.records.list("console"))).toContain("••••");
    expect(JSON.stringify(kept.records.list("console"))).not.toContain("hunter2");
    await expect
      .poll(() => desk.service.film.pictures([last?.id ?? ""])[0]?.afterBase64 ?? null, { timeout: 45_000 })
      .not.toBeNull();
  });
});
