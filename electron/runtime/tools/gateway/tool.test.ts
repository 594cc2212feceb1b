import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { testCaller } from "../../testing/testRuntime.ts";
import { gatewayInput } from "./schema.ts";
import { detailsOf, startDesk, type TestDesk, textIn } from "./testDesk.ts";

let desk: TestDesk;
afterEach(() => desk?.dispose());

const secret = "tok-0123456789abcdef";
const config = `{
  // an old note: the door is blue
  gateway: { auth: { token: "${secret}" }, port: 18999 },
  ui: { seamColor: "#112233" },
  models: { providers: { acme: { baseUrl: "https://acme.test", apiKey: "sk-abcdefghijklmnop" } } },
  agents: { list: [{ id: "main", identity: { name: "Desk" } }] },
}
`;

describe("who has the gateway tool", () => {
  it("is the owner alone: for others it does not exist", async () => {
    desk = await startDesk({ config });
    const names = (caller: typeof testCaller) =>
      desk.runtime.tools.listTools(caller).tools.map(({ name }) => name);
    expect(names(testCaller)).not.toContain("gateway");
    expect(names({ ...testCaller, isOwner: true })).toContain("gateway");
    expect(names(testCaller)).toContain("agents_list");
    expect(await desk.call({ action: "config.get" }, testCaller)).toEqual({
      kind: "unknownTool",
      tool: "gateway",
    });
  });
});

describe("its parameters", () => {
  it("are taken in snake case, as numeric text, and trimmed", () => {
    const given = { action: " restart ", delay_ms: "1500", session_key: " a ", base_hash: "x", note: " " };
    expect(gatewayInput.parse(given)).toEqual({
      action: "restart",
      delayMs: 1500,
      sessionKey: "a",
      baseHash: "x",
    });
    expect(gatewayInput.safeParse({ action: "nope" }).success).toBe(false);
    expect(gatewayInput.safeParse({}).success).toBe(false);
  });

  it("are described", () => {
    const schema = z.toJSONSchema(gatewayInput, { io: "input" }) as {
      properties: Record<string, { description?: string }>;
    };
    for (const property of Object.values(schema.properties)) expect(property.description).toBeTruthy();
  });

  it("name no Gateway but this one, and say why another is refused", async () => {
    desk = await startDesk({ config });
    for (const own of ["ws://127.0.0.1:18999", "ws://localhost:18999/", "wss://[::1]:18999"])
      detailsOf(await desk.call({ action: "update.run", gatewayUrl: own, gatewayToken: "x" }));
    const others: [url: string, why: RegExp][] = [
      ["ws://127.0.0.1:1", /another port/],
      ["ws://127.0.0.1", /another port/],
      ["ws://10.0.0.1:18999", /another host/],
      ["ws://127.0.0.1.evil.test:18999", /another host/],
      ["http://127.0.0.1:18999", /must begin with ws/],
      ["ws://a:b@127.0.0.1:18999", /credentials/],
      ["ws://127.0.0.1:18999/x", /a path/],
      ["ws://127.0.0.1:18999/?x=1", /a path/],
      ["ws://127.0.0.1:18999/#x", /a path/],
      ["127.0.0.1", /no address/],
    ];
    for (const [gatewayUrl, why] of others) {
      const outcome = await desk.call({ action: "config.get", gatewayUrl });
      expect(outcome).toMatchObject({ kind: "result", isError: true, details: { code: "INVALID_INPUT" } });
      expect(textIn(outcome)).toMatch(why);
    }
  });
});

describe("config.get", () => {
  it("shows the config without a secret, in the fields of the reference but two", async () => {
    desk = await startDesk({ config });
    const { ok, result } = detailsOf(await desk.call({ action: "config.get" })) as {
      ok: boolean;
      result: Record<string, unknown>;
    };
    expect(ok).toBe(true);
    expect(Object.keys(result)).toEqual(
      "path exists raw parsed resolved valid config hash issues warnings legacyIssues".split(" "),
    );
    expect(result).toMatchObject({
      exists: true,
      valid: true,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      config: { ui: { seamColor: "#112233" }, gateway: { auth: { token: "__OPENCLAW_REDACTED__" } } },
    });
    expect(result.raw).toContain("// an old note");
    expect(JSON.stringify(result)).not.toContain(secret);
    expect(JSON.stringify(result)).not.toContain("sk-abc");
  });

  it("gives no text when a comment repeats a secret, and hides it wherever else it stands", async () => {
    desk = await startDesk({
      config: `{ // ${secret}
  gateway: { auth: { token: "${secret}" } }, ui: { assistant: { name: "was ${secret}" } }, session: { mainKey: "x${secret}" } }`,
    });
    const { result } = detailsOf(await desk.call({ action: "config.get" })) as {
      result: { raw: unknown; config: { ui: unknown } };
    };
    expect(result.raw).toBeNull();
    expect(result.config.ui).toEqual({ assistant: { name: "was __OPENCLAW_REDACTED__" } });
    expect(JSON.stringify(result)).not.toContain(secret);
  });

  it("hides secrets in command lines and addresses of servers, and shows what only refers to one", async () => {
    const secrets = [
      "GITHUB_TOKEN=hidden-1",
      "Authorization: Bearer hidden-2",
      "https://h.test/?x=1&api_key=hidden-3",
    ];
    const open = [
      `API_KEY=\${API_KEY}`,
      `Authorization: Bearer \${TOKEN}`,
      "https://h.test/?x=1",
      "MODE=token",
    ];
    const server = { command: "docker", args: [...secrets, ...open], cwd: "/srv" };
    desk = await startDesk({
      config: JSON.stringify({
        mcp: { servers: { a: server, b: { url: "https://b.test/mcp?key=hidden-4" } } },
      }),
    });
    const shown = JSON.stringify(await desk.call({ action: "config.get" }));
    expect(shown).not.toContain("hidden-");
    for (const text of open) expect(shown).toContain(text);
  });

  it("gives a part by path, and says when there is none", async () => {
    desk = await startDesk({ config });
    const part = detailsOf(await desk.call({ action: "config.get", path: "agents.list[0].identity" }));
    expect(part).toMatchObject({ result: { at: "agents.list.0.identity", config: { name: "Desk" } } });
    expect(textIn(await desk.call({ action: "config.get", path: "agents.nobody" }))).toMatch(/nothing at/);
    expect(textIn(await desk.call({ action: "config.get", path: "constructor" }))).toMatch(/nothing at/);
  });

  it("shows no broken text, and what is wrong with it", async () => {
    desk = await startDesk({ config: `{ gateway: { auth: { token: "${secret}" } }, ` });
    // Broken at start: there are no tools until it is mended.
    expect(await desk.call({ action: "config.get" })).toMatchObject({ kind: "unknownTool" });
  });
});

describe("config.schema.lookup", () => {
  const lookUp = async (path: string) => {
    const { result } = detailsOf(await desk.call({ action: "config.schema.lookup", path })) as {
      result: Record<string, unknown> & { children: Record<string, unknown>[] };
    };
    return result;
  };

  it("describes a setting and what is directly below it", async () => {
    desk = await startDesk({ config });
    const exec = await lookUp("tools.exec");
    expect(exec).toMatchObject({
      path: "tools.exec",
      schema: { type: "object" },
      hint: { changeable: false },
    });
    expect(exec.schema).not.toHaveProperty("properties");
    expect(exec.children).toContainEqual({
      key: "security",
      path: "tools.exec.security",
      type: "string",
      required: false,
      hasChildren: false,
      hint: { changeable: false },
      hintPath: "tools.exec.security",
    });
    expect(exec.children.find(({ key }) => key === "applyPatch")).toMatchObject({ hasChildren: true });
    expect(await lookUp("tools.exec.ask")).toMatchObject({
      schema: { enum: ["off", "on-miss", "always"] },
      children: [],
    });
  });

  it("goes through lists and records, and says what can be changed here", async () => {
    desk = await startDesk({ config });
    for (const path of ["agents.list[]", "agents.list[*]", "agents.list[3]", "agents.list.0"])
      expect((await lookUp(path)).children).toContainEqual(
        expect.objectContaining({ key: "id", required: true }),
      );
    expect((await lookUp("agents.list[].identity")).children).toContainEqual(
      expect.objectContaining({
        path: "agents.list[].identity.name",
        hint: { help: expect.any(String), changeable: true },
      }),
    );
    expect(await lookUp("messages.queue.mode")).toMatchObject({
      schema: { enum: expect.arrayContaining(["collect"]) },
      hint: { changeable: true },
    });
    expect((await lookUp("channels.telegram.groups.*")).children.map(({ key }) => key)).toContain("tools");
  });

  it("says clearly what is no path, or not described", async () => {
    desk = await startDesk({ config });
    const say = async (path: string | undefined) =>
      textIn(await desk.call({ action: "config.schema.lookup", ...(path === undefined ? {} : { path }) }));
    expect(await say(undefined)).toMatch(/path required/);
    expect(await say("a b")).toMatch(/1 to 1024 characters/);
    expect(await say("tools.nothing")).toMatch(/No setting tools.nothing is described. tools has: .*exec/);
    expect(await say("cron.jobs")).toMatch(/What is below cron is kept as it is/);
    expect(await say("constructor")).toMatch(/No setting constructor/);
    expect(await desk.call({ action: "config.schema.lookup", path: "x".repeat(2000) })).toMatchObject({
      kind: "invalid",
    });
  });
});

describe("update.run", () => {
  it("says that nothing was updated, and restarts nothing", async () => {
    desk = await startDesk({ config });
    expect(detailsOf(await desk.call({ action: "update.run" }))).toEqual({
      ok: true,
      result: {
        ok: false,
        result: {
          status: "skipped",
          mode: "none",
          steps: [],
          reason: expect.stringContaining("Nothing was updated"),
          durationMs: 0,
        },
        restart: null,
        sentinel: null,
      },
    });
  });
});
