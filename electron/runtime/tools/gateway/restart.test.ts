import { readdir } from "node:fs/promises";
import { afterEach, describe, expect, it } from "vitest";
import { createManualClock } from "../../clock.ts";
import { detailsOf, startDesk, type TestDesk, textIn } from "./testDesk.ts";

let desk: TestDesk;
afterEach(() => desk?.dispose());

function host() {
  const calls: string[] = [];
  return { calls, restartHost: { restart: () => calls.push("restart"), lastRestartAtMs: () => null } };
}

describe("a restart by an agent", () => {
  it("waits for a person, who sees why and what ends; then it is planned, noted and recorded", async () => {
    const { calls, restartHost } = host();
    desk = await startDesk({}, { restartHost });
    const outcome = desk.call({
      action: "restart",
      delayMs: "0",
      reason: "new\nsettings",
      note: "go on with the report",
    });
    const request = await desk.waiting();
    expect(request).toMatchObject({
      kind: "restart",
      askedBecause: [{ code: "restart" }],
      always: { kind: "withheld", reason: { code: "always.restart" } },
    });
    expect(request.command.split("\n")).toEqual([
      "gateway: restart Sallyport",
      "running commands that end: 0",
      "browsers that close: 0",
      "open calls that it waits for: 0",
      "after: 0 ms",
      'reason: "new\\nsettings"',
      "note: go on with the report",
    ]);
    expect(calls).toEqual([]);
    await desk.decide("allow-once", request);
    expect(detailsOf(await outcome)).toEqual({
      ok: true,
      pid: process.pid,
      signal: "SIGUSR1",
      delayMs: 0,
      reason: "new\nsettings",
      mode: "emit",
      coalesced: false,
      cooldownMsApplied: 0,
    });
    await expect.poll(() => calls, { timeout: 5000 }).toEqual(["restart"]);
    expect(await readdir(desk.dir)).toContain("sallyport-restart.json");

    await desk.startAgain();
    expect(await desk.ledger("app.restarted")).toEqual([
      {
        by: "system",
        kind: "restart",
        atMs: expect.any(Number),
        pid: process.pid,
        requests: [
          {
            by: "mcp:test",
            sessionKey: "agent:main:mcp:test",
            reason: "new\nsettings",
            note: "go on with the report",
          },
        ],
      },
    ]);
    expect(await desk.ledger("restart.planned")).toHaveLength(1);
    expect(await readdir(desk.dir)).not.toContain("sallyport-restart.json");
    await desk.startAgain();
    expect(await desk.ledger("app.restarted")).toHaveLength(1);
  });

  it("is not made when the person says no", async () => {
    const { calls, restartHost } = host();
    const clock = createManualClock();
    desk = await startDesk({}, { restartHost, clock });
    const outcome = await desk.callAnd("deny", { action: "restart" });
    expect(outcome).toMatchObject({ kind: "refused", details: { status: "denied", executed: false } });
    expect(textIn(outcome)).toMatch(/A person denied a restart. Nothing was restarted/);
    clock.advance(600_000);
    expect(calls).toEqual([]);
  });

  it("is refused when commands.restart is false, and only then", async () => {
    const { restartHost } = host();
    desk = await startDesk({ config: "{ commands: { restart: false } }" }, { restartHost });
    expect(await desk.call({ action: "restart" })).toMatchObject({
      kind: "refused",
      details: { reason: "restartOff", path: "commands.restart" },
    });
  });

  it.each([
    ["{ tools: { deny: ['gateway'] } }", "toolHidden"],
    ["{ commands: { restart: false } }", "restartOff"],
  ])("is not made when, while a person looks, the config becomes %s", async (config, reason) => {
    const { calls, restartHost } = host();
    const clock = createManualClock();
    desk = await startDesk({ config: "{}" }, { restartHost, clock });
    const outcome = desk.call({ action: "restart" });
    const request = await desk.waiting();
    const { hash } = await desk.panel.rpc.call("config.get", {});
    await desk.panel.rpc.call("config.set", { raw: config, baseHash: hash });
    await desk.decide("allow-once", request);
    expect(await outcome).toMatchObject({ kind: "refused", details: { executed: false, reason } });
    clock.advance(600_000);
    expect(calls).toEqual([]);
  });

  it("asks nobody with the rule off, as the reference", async () => {
    const { calls, restartHost } = host();
    const settings = '{ hardening: { rules: { "gateway.restartAsks": false } } }';
    desk = await startDesk({ settings, config: "{ commands: { restart: true } }" }, { restartHost });
    detailsOf(await desk.call({ action: "restart", delayMs: 0 }));
    await expect.poll(() => calls, { timeout: 5000 }).toEqual(["restart"]);
  });

  it("says clearly when this program cannot restart itself", async () => {
    desk = await startDesk();
    const outcome = await desk.call({ action: "restart" });
    expect(outcome).toMatchObject({ kind: "result", isError: true, details: { code: "UNAVAILABLE" } });
    expect(textIn(outcome)).toMatch(/cannot restart itself/);
  });
});
