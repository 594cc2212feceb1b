import { mkdir, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createManualClock } from "../clock.ts";
import { silentLogger } from "../logging/logger.ts";
import { sha256Hex } from "../storage/atomicWrite.ts";
import { makeTestFolder, waitFor } from "../storage/testFolder.ts";
import { validateConfigText } from "./configSchema.ts";
import { type ConfigStore, createConfigStore } from "./configStore.ts";
import { redactionMark } from "./redaction.ts";

let folder: string;
let file: string;
let removeFolder: () => Promise<void>;
const stores: ConfigStore[] = [];
beforeEach(async () => {
  ({ folder, remove: removeFolder } = await makeTestFolder());
  file = path.join(folder, "openclaw.json");
});
afterEach(async () => {
  for (const store of stores.splice(0)) await store.dispose();
  await removeFolder();
});

async function open(text: string | null): Promise<ConfigStore> {
  if (text !== null) await writeFile(file, text);
  const store = await createConfigStore({
    path: file,
    logger: silentLogger,
    clock: createManualClock(),
    debounceMs: 20,
  });
  stores.push(store);
  return store;
}
const disk = () => readFile(file, "utf8");

describe("the schema of openclaw.json", () => {
  const problem = (text: string) => {
    const checked = validateConfigText(text, "f");
    return checked.ok ? null : checked.problems[0];
  };

  it.each([
    ["{tool: {}}", 1, 2, ""],
    ["{\n  tools: {\n    allowed: ['read'],\n  }\n}", 3, 5, "tools"],
    ["{tools: {profile: 'custom'}}", 1, 10, "tools.profile"],
    ["{tools: {deny: ['exec', 5]}}", 1, 25, "tools.deny.1"],
    ["{tools: {exec: {approvalRunningNoticeMs: 1}}}", 1, 17, "tools.exec"],
    ["{tools: {exec: {backgroundMs: 0}}}", 1, 17, "tools.exec.backgroundMs"],
    ["{agents: {list: [{id: 'a', tools: {exec: {ask: 'never'}}}]}}", 1, 43, "agents.list.0.tools.exec.ask"],
    ["{agents: {list: [{name: 'a'}]}}", 1, 18, "agents.list.0.id"],
    [
      "{channels: {telegram: {groups: {'1': {tools: {allow: 'x'}}}}}}",
      1,
      47,
      "channels.telegram.groups.1.tools.allow",
    ],
    ["{gateway: {tools: {alow: []}}}", 1, 20, "gateway.tools"],
    ["{gateway: {port: '1'}}", 1, 12, "gateway.port"],
    ["{agents: {list: [{id: 'a', $include: './b'}]}}", 1, 28, "agents.list.0.$include"],
    ["[]", 1, 1, ""],
    ["{", 1, 2, null],
  ])("names the place in %j", (text, line, column, configPath) => {
    expect(problem(text)).toMatchObject({ line, column, configPath, path: "f" });
  });

  it("accepts the keys of other parts as they are", () => {
    expect(
      problem("{$schema: 'x', models: {a: 1}, plugins: [], cron: {x: {}}, meta: {}, env: {A: '1'}}"),
    ).toBeNull();
    expect(
      problem("{agents: {defaults: {model: 'x'}, list: [{id: 'main', model: {primary: 'y'}}]}}"),
    ).toBeNull();
    expect(problem("{session: {mainKey: 'main'}, channels: {whatsapp: {dmPolicy: 'open'}}}")).toBeNull();
  });
});

describe("config store", () => {
  it("has built-in defaults on a fresh machine and writes nothing by itself", async () => {
    const store = await open(null);
    expect(store.current().kind).toBe("missing");
    expect(store.effective()).toMatchObject({ kind: "normal", config: {}, exec: { alwaysAsk: false } });
    expect(store.view()).toMatchObject({ exists: false, hash: null });
    await expect(stat(file)).rejects.toThrow(/ENOENT/);
  });

  it("denies everything while it is broken from the start, and follows once it is mended", async () => {
    const text = "{ tools: { profile: 'all' } }";
    const store = await open(text);
    expect(store.effective()).toMatchObject({
      kind: "brokenAtStart",
      config: { tools: { deny: ["*"], exec: { security: "deny" } } },
      exec: { security: "deny", alwaysAsk: true },
    });
    expect(store.view()).toMatchObject({ valid: false, config: null, issues: [{ line: 1, column: 12 }] });
    await expect(store.setPath("tools.profile", "full")).rejects.toThrow(/left as it is/);
    expect(await disk()).toBe(text);
    await writeFile(file, "{ tools: { profile: 'full' } }");
    await waitFor(() => store.effective().kind === "normal");
    expect(store.effective().exec).toEqual({ alwaysAsk: false });
  });

  it("is broken, not empty, when it cannot be read", async () => {
    await mkdir(file);
    const store = await open(null);
    expect(store.effective().kind).toBe("brokenAtStart");
    expect(store.view()).toMatchObject({ exists: true, valid: false, hash: null });
  });

  it("keeps the last good config and always asks when it breaks, or vanishes, while running", async () => {
    const store = await open("{ tools: { deny: ['cron'] } }");
    const revision = store.effective().revision;
    await writeFile(file, "{ tools: ");
    await waitFor(() => store.current().kind === "broken");
    expect(store.effective()).toMatchObject({
      kind: "lastGood",
      config: { tools: { deny: ["cron"] } },
      exec: { alwaysAsk: true },
    });
    expect(store.effective().revision).toBeGreaterThan(revision);
    expect(store.positionOf(["tools", "deny"])).toEqual({ line: 1, column: 12 });
    await rm(file);
    await waitFor(() => store.current().kind === "missing");
    expect(store.effective()).toMatchObject({ kind: "lastGood", config: { tools: { deny: ["cron"] } } });
    await writeFile(file, "{}");
    await waitFor(() => store.effective().kind === "normal");
  });

  it("follows an atomic rename and a link whose target changes", async () => {
    const real = path.join(folder, "real.json5");
    await writeFile(real, "{}");
    await symlink(real, file);
    const store = await open(null);
    for (const profile of ["minimal", "coding"]) {
      await writeFile(path.join(folder, "next"), `{tools: {profile: '${profile}'}}`);
      await rename(path.join(folder, "next"), real);
      await waitFor(() => JSON.stringify(store.effective().config).includes(profile));
    }
    await store.setPath("tools.profile", "full");
    expect(await readFile(real, "utf8")).toBe("{tools: {profile: 'full'}}");
  });

  it("edits in place, keeps comments, and tells once per change", async () => {
    const store = await open("{\n  // why\n  tools: { profile: 'coding' },\n}\n");
    const hashes: unknown[] = [];
    store.events.on("changed", (state) => hashes.push(state.kind === "ok" ? state.hash : state.kind));
    await store.setPath("tools.exec.ask", "always");
    await store.setPath("tools.profile", undefined);
    expect(await disk()).toBe("{\n  // why\n  tools: { exec: {\n    ask: 'always'\n  } },\n}\n");
    await store.reload();
    expect(hashes).toHaveLength(2);
    expect(hashes[1]).toBe(sha256Hex(await disk()));
  });

  it("makes the file with the first edit", async () => {
    const store = await open(null);
    await store.setPath("tools.profile", "minimal", null);
    expect(JSON.parse(await disk())).toEqual({ tools: { profile: "minimal" } });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it("refuses a stale hash and a text that does not validate", async () => {
    const store = await open("{}");
    await expect(store.write("{tools: {}}", null)).rejects.toMatchObject({ data: { reason: "stale" } });
    await expect(store.write("{tools: 1}", sha256Hex("{}"))).rejects.toMatchObject({
      data: { reason: "invalid", issues: [{ line: 1, column: 2 }] },
    });
    await expect(store.setPath("tools.profile", "all")).rejects.toThrow(/not written/);
    expect(await disk()).toBe("{}");
  });

  it("replaces a broken text only for who names its hash and brings a valid one", async () => {
    const broken = "{ tools: ";
    const store = await open(broken);
    await expect(store.write("{}", null)).rejects.toThrow(/changed meanwhile/);
    await expect(store.write("{", sha256Hex(broken))).rejects.toThrow(/not written/);
    expect(await disk()).toBe(broken);
    await store.write("{}", sha256Hex(broken));
    expect(await disk()).toBe("{}");
    expect(store.effective().kind).toBe("normal");
  });

  it("applies concurrent edits one after another", async () => {
    const store = await open("{}");
    await Promise.all(
      Array.from({ length: 20 }, (_item, index) => store.setPath(["env", `K${index}`], String(index))),
    );
    expect(Object.keys(JSON.parse(await disk()).env)).toHaveLength(20);
  });

  it("validates without writing", async () => {
    const store = await open("{}");
    expect(store.validate("{tools: {profile: 'coding'}}")).toEqual({ valid: true, issues: [] });
    expect(store.validate("{x: 1}")).toMatchObject({ valid: false, issues: [{ line: 1 }] });
  });
});

describe("secrets", () => {
  const text = `{
  // the desk
  gateway: { port: 18789, auth: { mode: "token", token: 'T0P-secret-value' } },
  models: { providers: { x: { apiKey: "abc-key-12345", baseUrl: "https://u:pw123@h/" , headers: { X: "hdr-value" } } } },
  env: { A: "env-value", B: "\${B_TOKEN}" },
  mcp: { servers: { s: { args: ["--api-key", "arg-key-1", "--port", "80", "--token=arg-key-2"] } } },
  agents: { list: [{ id: "a", apiKey: "key-of-a" }, { id: "b", apiKey: "key-of-b" }] },
}
`;
  const secrets = [
    "T0P-secret-value",
    "abc-key-12345",
    "pw123",
    "hdr-value",
    "env-value",
    "arg-key",
    "key-of-a",
    "key-of-b",
  ];

  it("are hidden in text and data, everything else is shown", async () => {
    const view = (await open(text)).view();
    const shown = JSON.stringify(view);
    for (const secret of secrets) expect(shown).not.toContain(secret);
    expect(view.raw).toContain("// the desk");
    expect(view.config).toMatchObject({
      gateway: { port: 18_789, auth: { mode: "token", token: redactionMark } },
      env: { A: redactionMark, B: `\${B_TOKEN}` },
    });
  });

  it.each(["// token: T0P\n", "// was T0P-secret-value\n", "/* sk-abcdefghijklmnop */"])(
    "the text is withheld when the comment %j could hold one",
    async (comment) => {
      const view = (await open(comment + text)).view();
      expect(view.raw).toBeNull();
      expect(view.config).not.toBeNull();
    },
  );

  it("come back when the redacted text is written, also when list items moved", async () => {
    const store = await open(text);
    const view = store.view();
    await store.write(String(view.raw).replace("18789", "18790"), view.hash);
    expect(await disk()).toContain("18790");
    for (const secret of secrets) expect(await disk()).toContain(secret);
    const mark = redactionMark;
    await store.setPath("agents.list", [
      { id: "b", apiKey: mark },
      { id: "a", apiKey: mark },
    ]);
    expect(store.current()).toMatchObject({
      config: {
        agents: {
          list: [
            { id: "b", apiKey: "key-of-b" },
            { id: "a", apiKey: "key-of-a" },
          ],
        },
      },
    });
  });

  it("a mark without an old secret is refused", async () => {
    const store = await open(text);
    await expect(store.setPath("ui.token", redactionMark)).rejects.toThrow(/Write the value itself/);
    await expect(store.setPath("gateway.auth.mode", redactionMark)).rejects.toThrow(/no secret/);
    await expect(store.setPath("agents.list", [{ id: "c", apiKey: redactionMark }])).rejects.toThrow(
      /no secret/,
    );
    expect(await disk()).toBe(text);
  });
});
