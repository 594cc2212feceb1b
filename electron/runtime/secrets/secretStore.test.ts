import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createManualClock } from "../clock.ts";
import { silentLogger } from "../logging/logger.ts";
import { createSecretStore, maskSecret, type SecretVault, withStoredSecrets } from "./secretStore.ts";

let dir: string;
let path: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "secret-store-"));
  path = join(dir, "sallyport-secrets.json");
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** A keyring of its own: what another one sealed it cannot open. */
const vaultOf = (id: string): SecretVault => ({
  backend: "test_keyring",
  seal: (value) => Buffer.from(`${id}:${[...value].reverse().join("")}`).toString("base64"),
  open(sealed) {
    const [owner = "", value = ""] = Buffer.from(sealed, "base64").toString().split(":");
    if (owner !== id) throw new Error("sealed by another keyring");
    return [...value].reverse().join("");
  },
});
const open = (vault: SecretVault | null = null) =>
  createSecretStore({ path, vault, clock: createManualClock(), logger: silentLogger });

describe("stored secrets", () => {
  it("are kept in a private file and shown masked", async () => {
    const store = await open();
    await store.set("BRAVE_API_KEY", "  brave-0123456789abcd\n");
    expect(store.get("BRAVE_API_KEY")).toBe("brave-0123456789abcd");
    expect(store.list()).toMatchObject([{ name: "BRAVE_API_KEY", masked: "••••abcd", isSealed: false }]);
    expect(store.protection()).toEqual({ kind: "file" });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await open()).get("BRAVE_API_KEY")).toBe("brave-0123456789abcd");
    expect(maskSecret("short")).toBe("••••");
  });

  it("are sealed by the keyring where there is one, and another keyring cannot open them", async () => {
    const mine = await open(vaultOf("mine"));
    await mine.set("EXA_API_KEY", "exa-0123456789");
    expect(await readFile(path, "utf8")).not.toContain("exa-0123456789");
    expect((await open(vaultOf("mine"))).get("EXA_API_KEY")).toBe("exa-0123456789");
    for (const store of [await open(vaultOf("other")), await open()]) {
      expect(store.get("EXA_API_KEY")).toBeUndefined();
      expect(store.list()).toMatchObject([{ name: "EXA_API_KEY", masked: null, isSealed: true }]);
    }
  });

  it("are refused when no key looks like that, and nothing is written", async () => {
    const store = await open();
    await expect(store.set("brave", "x".repeat(20))).rejects.toThrow(/named as a variable/);
    await expect(store.set("__proto__", "x".repeat(20))).rejects.toThrow(/named as a variable/);
    for (const value of ["", "two words", "schlüssel", "x".repeat(5000)]) {
      await expect(store.set("BRAVE_API_KEY", value)).rejects.toThrow(/Check what was pasted/);
    }
    await expect(stat(path)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("that cannot be read are neither empty nor overwritten", async () => {
    await writeFile(path, "{ half");
    const store = await open();
    expect(store.problem()).toMatch(/cannot be read as a file of secrets/);
    await expect(store.set("BRAVE_API_KEY", "brave-0123456789abcd")).rejects.toThrow(/none is saved/);
    // Nobody knows whether the key is in there.
    await expect(store.remove("BRAVE_API_KEY")).rejects.toThrow(/cannot be read/);
    expect(await readFile(path, "utf8")).toBe("{ half");
  });

  it("are not saved, sealed or plain, when the keyring refuses", async () => {
    const locked = {
      ...vaultOf("mine"),
      seal: () => {
        throw new Error("locked");
      },
    };
    await expect((await open(locked)).set("EXA_API_KEY", "exa-0123456789")).rejects.toMatchObject({
      code: "UNAVAILABLE",
      message: expect.not.stringContaining("exa-0123456789"),
    });
    await expect(stat(path)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("that another process stored can be removed", async () => {
    const [one, two] = await Promise.all([open(), open()]);
    await one.set("A_KEY", "a".repeat(16));
    expect(await two.remove("A_KEY")).toBe(true);
    expect((await open()).list()).toEqual([]);
  });

  it("of two processes do not undo each other", async () => {
    const [one, two] = await Promise.all([open(), open()]);
    await Promise.all([one.set("A_KEY", "a".repeat(16)), two.set("B_KEY", "b".repeat(16))]);
    const both = await open();
    expect(
      both
        .list()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(["A_KEY", "B_KEY"]);
    expect(await both.remove("A_KEY")).toBe(true);
    expect(await both.remove("A_KEY")).toBe(false);
    await chmod(path, 0o600);
    expect((await open()).list()).toHaveLength(1);
  });

  it("stand behind the environment, and cannot be listed by way of it", async () => {
    const store = await open();
    await store.set("BRAVE_API_KEY", "stored-0123456789");
    const env = withStoredSecrets({ PATH: "/bin", EMPTY: " " }, store);
    expect(env.BRAVE_API_KEY).toBe("stored-0123456789");
    expect(env.PATH).toBe("/bin");
    expect(env.constructor).toBeUndefined();
    expect(Object.keys(env)).toEqual([]);
    expect({ ...env }).toEqual({});
    expect(withStoredSecrets({ BRAVE_API_KEY: "own" }, store).BRAVE_API_KEY).toBe("own");
  });
});
