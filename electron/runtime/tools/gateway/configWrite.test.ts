import { writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { detailsOf, startDesk, type TestDesk, textIn } from "./testDesk.ts";

let desk: TestDesk;
afterEach(() => desk?.dispose());

const secret = "tok-0123456789abcdef";
const config = `{
  // who may come in
  gateway: { auth: { token: "${secret}" } },
  tools: {
    deny: ["browser"], // not needed here
  },
  /* how it looks */
  ui: {
    seamColor: "#112233", // the blue one
  },
}
`;
const reference = '{ hardening: { preset: "reference" } }';

const patch = (raw: unknown, over: Record<string, unknown> = {}) => ({
  action: "config.patch",
  raw: typeof raw === "string" ? raw : JSON.stringify(raw),
  ...over,
});
const pending = async () => (await desk.panel.rpc.call("approvals.list", {})).pending;

describe("config.patch of a harmless setting", () => {
  it("waits for a person who sees the difference without secrets, then is written with comments kept", async () => {
    desk = await startDesk({ config });
    const change = { ui: { seamColor: "#abcdef" }, messages: { queue: { mode: "collect" } } };
    const outcome = desk.call(patch(change, { note: "looks better" }));
    const request = await desk.waiting();
    expect(request).toMatchObject({
      kind: "configWrite",
      agentId: "main",
      callerId: "mcp:test",
      askedBecause: [
        { code: "configWrite", params: { paths: ["ui.seamColor", "messages.queue.mode"], count: 2 } },
      ],
      always: { kind: "withheld", reason: { code: "always.configWrite" } },
      rule: { sources: [{ configPath: 'hardening.rules["gateway.configAsks"]' }] },
    });
    const lines = request.command.split("\n");
    expect(lines[0]).toBe(`gateway: patch ${path.join(desk.dir, "openclaw.json")}`);
    expect(lines[1]).toMatch(/^before: sha256 [0-9a-f]{64} \(/);
    expect(lines[2]).toMatch(/^after: sha256 [0-9a-f]{64} \(/);
    expect(lines).toContain('-    seamColor: "#112233", // the blue one');
    expect(lines).toContain('+    seamColor: "#abcdef", // the blue one');
    expect(request.command).not.toContain(secret);
    expect(await desk.configText()).toBe(config);

    await desk.decide("allow-once", request);
    expect(detailsOf(await outcome)).toMatchObject({
      ok: true,
      result: {
        ok: true,
        changed: ["ui.seamColor", "messages.queue.mode"],
        config: { ui: { seamColor: "#abcdef" }, gateway: { auth: { token: "__OPENCLAW_REDACTED__" } } },
        restart: null,
        sentinel: null,
      },
    });
    const written = await desk.configText();
    expect(written).toContain('seamColor: "#abcdef", // the blue one');
    expect(written).toContain("// who may come in");
    expect(written).toContain('deny: ["browser"], // not needed here');
    expect(written).toContain(secret);
    const [entry, ...others] = await desk.ledger("config.written");
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      by: "mcp:test",
      tool: "gateway",
      action: "config.patch",
      approvalId: request.id,
      paths: ["ui.seamColor", "messages.queue.mode"],
    });
    expect(entry?.before).not.toBe(entry?.after);
  });

  it("leaves the file as it is when the person says no, and hands on the note", async () => {
    desk = await startDesk({ config });
    const outcome = desk.call(patch({ ui: { seamColor: null } }));
    await desk.decide("deny", await desk.waiting(), "I like it");
    expect(await outcome).toMatchObject({
      kind: "refused",
      details: { status: "denied", executed: false, note: "I like it" },
    });
    expect(textIn(await outcome)).toMatch(
      /A person denied this change .*\n?.*Note from the person: I like it/s,
    );
    expect(await desk.configText()).toBe(config);
    expect(await desk.ledger("config.written")).toEqual([]);
  });

  it("is refused as stale when the file changed while the person looked", async () => {
    desk = await startDesk({ config });
    const outcome = desk.call(patch({ ui: { seamColor: "#abcdef" } }));
    const request = await desk.waiting();
    const other = config.replace('"browser"', '"browser", "exec"');
    await writeFile(path.join(desk.dir, "openclaw.json"), other);
    await desk.decide("allow-once", request);
    expect(await outcome).toMatchObject({
      kind: "result",
      isError: true,
      details: { code: "INVALID_INPUT" },
    });
    expect(textIn(await outcome)).toMatch(/changed meanwhile/);
    expect(await desk.configText()).toBe(other);
  });

  it("is refused at once for an old hash, and when nobody can be asked", async () => {
    desk = await startDesk({ config });
    expect(textIn(await desk.call(patch({ ui: {} }, { baseHash: "0".repeat(64) })))).toMatch(
      /changed meanwhile/,
    );
    desk.panel.close();
    desk.runtime.presence.leave("panel-test");
    const outcome = await desk.call(patch({ ui: { seamColor: "#fff" } }));
    expect(textIn(outcome)).toMatch(/nobody can be asked now/);
    expect(await desk.configText()).toBe(config);
  });

  it("asks nobody when nothing would change", async () => {
    desk = await startDesk({ config });
    const same = patch({ ui: { seamColor: "#112233" }, messages: null });
    expect(detailsOf(await desk.call(same))).toMatchObject({ result: { changed: [] } });
    expect(await desk.ledger("config.written")).toEqual([]);
  });

  it("makes the file when there is none", async () => {
    desk = await startDesk();
    const outcome = desk.call(patch("{ ui: { seamColor: '#fff' } }"));
    const request = await desk.waiting();
    expect(request.command).toContain("before: no file");
    await desk.decide("allow-once", request);
    detailsOf(await outcome);
    expect(await desk.configText()).toBe('{\n  "ui": {\n    "seamColor": "#fff"\n  }\n}\n');
  });

  it("is not written when policy takes the tool away while it waits", async () => {
    desk = await startDesk({ config });
    const outcome = desk.call(patch({ ui: { seamColor: "#abcdef" } }));
    const request = await desk.waiting();
    const { hash } = await desk.panel.rpc.call("config.get", {});
    await desk.panel.rpc.call("config.setPath", { path: "tools.deny", value: ["gateway"], baseHash: hash });
    await desk.decide("allow-once", request);
    expect((await outcome).kind).toBe("refused");
    expect(await desk.configText()).toContain("#112233");
  });
});

describe("what an agent cannot change", () => {
  it.each([
    ["tools.allow", { tools: { allow: ["*"] } }],
    ["tools.deny", { tools: { deny: null } }],
    ["gateway.auth.token", { gateway: { auth: { token: "mine" } } }],
    ["agents.list", { agents: { list: [{ id: "new" }] } }],
    ["plugins.enabled", { ui: { seamColor: "#fff" }, plugins: { enabled: true } }],
  ])("%s is refused by name, asks nobody and changes nothing", async (named, change) => {
    desk = await startDesk({ config });
    const outcome = await desk.call(patch(change));
    expect(outcome).toMatchObject({
      kind: "refused",
      details: { status: "denied", reason: "protectedConfig", paths: expect.arrayContaining([named]) },
    });
    expect(textIn(outcome)).toContain(named);
    expect(await pending()).toEqual([]);
    expect(await desk.configText()).toBe(config);
    const [denied] = await desk.ledger("call.denied");
    expect(denied).toMatchObject({
      state: {
        by: { kind: "rule", ruleId: "gateway.protectedConfig" },
        reason: { code: "protectedConfig", params: { paths: expect.arrayContaining([named]) } },
      },
    });
  });

  it("is not reached through config.apply either", async () => {
    desk = await startDesk({ config });
    const apply = (raw: string) => desk.call({ action: "config.apply", raw });
    expect(textIn(await apply("{}"))).toMatch(/cannot change .*gateway.auth.token/);
    expect(textIn(await apply(config.replace('"browser"', '"exec"')))).toMatch(
      /cannot change tools.deny\[0\]/,
    );
    expect(await desk.configText()).toBe(config);
  });
});

describe("config.apply", () => {
  it("restores hidden secrets, and takes what is otherwise the same", async () => {
    desk = await startDesk({ config });
    const { result } = detailsOf(await desk.call({ action: "config.get" })) as { result: { raw: string } };
    const raw = result.raw.replace("#112233", "#abcdef");
    detailsOf(await desk.callAnd("allow-once", { action: "config.apply", raw }));
    expect(await desk.configText()).toBe(config.replace("#112233", "#abcdef"));
  });

  it("needs the text, and one that can be read", async () => {
    desk = await startDesk({ config });
    expect(textIn(await desk.call({ action: "config.apply" }))).toMatch(/raw required/);
    expect(textIn(await desk.call({ action: "config.apply", raw: "{ ui: " }))).toMatch(/raw cannot be read/);
    expect(textIn(await desk.call(patch("[1]")))).toMatch(/A patch is an object/);
  });

  it("names at most three issues, and has all in the details", async () => {
    desk = await startDesk({ config });
    const bad = {
      ui: { seamColor: "#fff" },
      tools: { profile: 1, allow: 2, exec: { ask: 3, host: 4 } },
      nope: 5,
    };
    const outcome = await desk.call(patch(bad));
    expect(outcome).toMatchObject({ isError: true, details: { status: "error", code: "INVALID_INPUT" } });
    const { issues, error } = (outcome as { details: { issues: unknown[]; error: string } }).details;
    expect(issues.length).toBeGreaterThan(3);
    expect(error.match(/line \d+/g)).toHaveLength(3);
    expect(error).toContain(`And ${issues.length - 3} more`);
  });

  it("refuses a value that is not of the known form", async () => {
    desk = await startDesk({ config });
    const outcome = await desk.call(patch({ ui: { seamColor: "url(https://evil.test)" } }));
    expect(textIn(outcome)).toMatch(/ui.seamColor: /);
    expect(await pending()).toEqual([]);
  });

  it("refuses what cannot be shown safely or at once", async () => {
    desk = await startDesk({ config: `{ /* ${secret} */ gateway: { auth: { token: "${secret}" } } }` });
    expect(textIn(await desk.call(patch({ ui: { seamColor: "#fff" } })))).toMatch(/shows no secret/);
    await desk.dispose();
    const comments = Array.from({ length: 2000 }, (_, at) => `  // line ${at}\n`).join("");
    desk = await startDesk({ config });
    const raw = config.replace("}\n", `}\n${comments}`).replace(`"${secret}"`, '"__OPENCLAW_REDACTED__"');
    const long = await desk.call({ action: "config.apply", raw: `${comments}${raw}` });
    expect(textIn(long)).toMatch(/more than a person can look at/);
  });
});

describe("assertions and the reference", () => {
  it("an assertion keeps the change from being written, before anybody is asked", async () => {
    const before = '{ tools: { deny: ["exec"] }, agents: { list: [{ id: "main" }] } }';
    const settings = '{ hardening: { rules: { "gateway.protectedConfig": false } } }';
    desk = await startDesk({ config: before, settings });
    const text = "never main: exec";
    const { results } = await desk.panel.rpc.call("policy.assertions.set", { text, onFail: "block" });
    expect(results.map(({ kind }) => kind)).toEqual(["proved"]);
    const outcome = await desk.call(patch({ tools: { deny: null } }));
    expect(textIn(outcome)).toMatch(/breaks an assertion/);
    expect(await pending()).toEqual([]);
    expect(await desk.configText()).toBe(before);
    expect(await desk.ledger("assertions.blocked")).toMatchObject([{ by: "mcp:test" }]);
  });

  it("with the rules off writes without asking, but for the two modes of exec", async () => {
    desk = await startDesk({ config, settings: reference });
    detailsOf(await desk.call(patch({ tools: { allow: ["read", "gateway"] } })));
    expect(await desk.configText()).toContain('allow: ["read", "gateway"]');
    for (const exec of [{ ask: "off" }, { security: "full" }])
      expect(await desk.call(patch({ tools: { exec } }))).toMatchObject({
        kind: "refused",
        details: { paths: [`tools.exec.${Object.keys(exec)[0]}`] },
      });
    expect(await desk.configText()).not.toContain("exec");
  });

  it("says which hidden values change when the rules let them, and shows none", async () => {
    const settings = '{ hardening: { rules: { "gateway.protectedConfig": false } } }';
    desk = await startDesk({ config, settings });
    const outcome = desk.call(patch({ gateway: { auth: { token: "another-token-0123456789" } } }));
    const request = await desk.waiting();
    expect(request.command).toContain("+ (a hidden value changes: gateway.auth.token)");
    expect(request.command).not.toContain("another-token");
    await desk.decide("deny", request);
    expect((await outcome).kind).toBe("refused");
  });
});
