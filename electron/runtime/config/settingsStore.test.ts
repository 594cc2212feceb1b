import { readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createManualClock } from "../clock.ts";
import { silentLogger } from "../logging/logger.ts";
import { sha256Hex } from "../storage/atomicWrite.ts";
import { buildTestWorker, makeTestFolder, waitFor } from "../storage/testFolder.ts";
import { defaultSettings, resolveHardening } from "./settings.ts";
import { createSettingsStore, type SettingsStore } from "./settingsStore.ts";

let folder: string;
let file: string;
let removeFolder: () => Promise<void>;
let worker: Awaited<ReturnType<typeof buildTestWorker>>;
const stores: SettingsStore[] = [];
beforeAll(async () => {
  worker = await buildTestWorker();
});
afterAll(() => worker.remove());
beforeEach(async () => {
  ({ folder, remove: removeFolder } = await makeTestFolder());
  file = path.join(folder, "sallyport.json5");
});
afterEach(async () => {
  for (const store of stores.splice(0)) await store.dispose();
  await removeFolder();
});

async function open(text: string | null): Promise<SettingsStore> {
  if (text !== null) await writeFile(file, text);
  const store = await createSettingsStore({
    path: file,
    logger: silentLogger,
    clock: createManualClock(),
    debounceMs: 20,
  });
  stores.push(store);
  return store;
}

const client = {
  id: "c1",
  name: "Editor",
  agentId: "main",
  createdAtMs: 1,
  tokenHash: sha256Hex("t"),
  tokenHint: "abcd",
};

describe("settings", () => {
  it("are strict by default", async () => {
    const store = await open(null);
    expect(store.state()).toBe("missing");
    expect(store.settings()).toMatchObject({
      hardening: { preset: "sallyport", rules: {} },
      approvals: { holdMs: 50_000, grants: [] },
      gateway: { waitForOperator: false },
      mode: { broadConfirmed: null },
      mcp: { clients: [] },
    });
    await expect(stat(file)).rejects.toThrow(/ENOENT/);
  });

  it("are edited in place with their comments, in a private file", async () => {
    const store = await open(null);
    await store.update([{ op: "set", path: ["ui", "theme"], value: "dark" }]);
    await writeFile(file, (await readFile(file, "utf8")).replace("{\n", "{\n  // mine\n"));
    await store.update((now) => [
      { op: "insert", path: ["mcp", "clients", now.mcp.clients.length], value: client },
    ]);
    await store.update((now) => [
      { op: "insert", path: ["mcp", "clients", now.mcp.clients.length], value: { ...client, id: "c2" } },
    ]);
    const text = await readFile(file, "utf8");
    expect(text).toContain("// mine");
    expect(text).toContain("// Sallyport's own settings");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(store.settings()).toMatchObject({
      ui: { theme: "dark", density: "compact" },
      mcp: { clients: [{ id: "c1", isOwner: false, mapping: "unmapped" }, { id: "c2" }] },
    });
  });

  it.each([
    "{",
    "{hardening: {preset: 'none'}}",
    "{extra: 1}",
    "{mcp: {clients: [{id: 'x'}]}}",
    `{mcp: {clients: [${JSON.stringify(client)}, ${JSON.stringify(client)}]}}`,
    "{hardening: {preset: 'reference'}, approvals: {holdMs: -1}}",
  ])("that are broken (%j) count as the defaults, and the file is left alone", async (text) => {
    const store = await open(text);
    expect(store.state()).toBe("broken");
    expect(store.settings()).toEqual(defaultSettings);
    expect(store.problems()[0]?.line).toBe(1);
    await expect(store.update([{ op: "set", path: ["ui", "theme"], value: "dark" }])).rejects.toMatchObject({
      code: "UNAVAILABLE",
    });
    expect(await readFile(file, "utf8")).toBe(text);
  });

  it("accept no client any more once the file breaks while running", async () => {
    const store = await open(
      `{hardening: {preset: 'reference'}, mcp: {clients: [${JSON.stringify(client)}]}}`,
    );
    expect(store.settings().mcp.clients).toHaveLength(1);
    await writeFile(file, "{");
    await waitFor(() => store.state() === "broken");
    expect(store.settings()).toEqual(defaultSettings);
  });

  it("refuse an edit whose result would not be valid", async () => {
    const store = await open("{}");
    await expect(store.update([{ op: "set", path: ["ui", "theme"], value: "pink" }])).rejects.toMatchObject({
      code: "INVALID_INPUT",
    });
    expect(await readFile(file, "utf8")).toBe("{}");
  });

  it("lose nothing when two processes and this one write at once", async () => {
    const store = await open("{ // keep me\n}");
    const other = worker.start("addRules", file, "other");
    for (let index = 0; index < 10; index += 1)
      await store.update([{ op: "set", path: ["hardening", "rules", `mine.${index}`], value: true }]);
    expect(await other.ended).toMatchObject({ code: 0 });
    await store.reload();
    expect(Object.keys(store.settings().hardening.rules)).toHaveLength(20);
    expect(await readFile(file, "utf8")).toContain("// keep me");
  });

  it("switch hardening rules by name and report names that are none", () => {
    const rules = [{ id: "a.x" }, { id: "a.y" }];
    const withRules = (preset: "sallyport" | "reference", own: Record<string, boolean>) =>
      resolveHardening({ ...defaultSettings, hardening: { preset, rules: own } }, rules);
    expect(withRules("sallyport", { "a.x": false, "a.z": false })).toEqual({
      hardening: new Set(["a.y"]),
      unknownRules: ["a.z"],
    });
    expect(withRules("reference", { "a.x": true }).hardening).toEqual(new Set(["a.x"]));
  });

  it("switch off no rule that is always on", () => {
    const hardening = { preset: "reference" as const, rules: { "a.x": false, "a.y": false } };
    const rules = [{ id: "a.x", isAlwaysOn: true as const }, { id: "a.y" }];
    expect(resolveHardening({ ...defaultSettings, hardening }, rules)).toEqual({
      hardening: new Set(["a.x"]),
      unknownRules: [],
    });
  });
});
