import { chmod, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLogger } from "../logging/logger.ts";
import type { Runtime } from "../runtimeTypes.ts";
import { createTestRuntime } from "../testing/testRuntime.ts";
import { readSecretInput, refText, resolveSecrets, type SecretRef } from "./index.ts";

let dir: string;
beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), "secrets-")));
});
afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
});

async function resolveOne(ref: SecretRef, secrets: unknown, env: Record<string, string> = {}) {
  const values = await resolveSecrets({ refs: [ref], secrets, env, homeDir: dir });
  return values.get(refText(ref));
}

const file = (id: string): SecretRef => ({ source: "file", provider: "vault", id });
const exec = (id = "key"): SecretRef => ({ source: "exec", provider: "helper", id });

async function program(text: string, mode = 0o700): Promise<string> {
  const path = join(dir, "helper.sh");
  await writeFile(path, `#!/bin/sh\n${text}\n`);
  await chmod(path, mode);
  return path;
}

const withExec = (command: string, more: Record<string, unknown> = {}) => ({
  providers: { helper: { source: "exec", command, ...more } },
});

describe("the forms of a secret", () => {
  it.each([
    [undefined, { kind: "absent" }],
    ["  ", { kind: "absent" }],
    ["plain", { kind: "text", value: "plain" }],
    ["$" + "{TOKEN}", { kind: "ref", ref: { source: "env", provider: "default", id: "TOKEN" } }],
    ["$" + "{token}", { kind: "text" }],
    ["a$" + "{TOKEN}", { kind: "text" }],
    [{ source: "file", provider: "vault", id: "/a/b" }, { kind: "ref" }],
    [
      { source: "exec", id: "a/b" },
      { kind: "ref", ref: { provider: "corp" } },
    ],
    [{ source: "exec", provider: "x", id: "a/../b" }, { kind: "invalid" }],
    [{ source: "file", provider: "x", id: "/a~2" }, { kind: "invalid" }],
    [{ source: "env", provider: "X", id: "A" }, { kind: "invalid" }],
    [{ source: "env", provider: "x", id: "A", more: 1 }, { kind: "invalid" }],
    [{ source: "net", provider: "x", id: "A" }, { kind: "invalid" }],
    [7, { kind: "invalid" }],
  ])("reads %j", (value, expected) => {
    expect(readSecretInput(value, { exec: "corp" })).toMatchObject(expected);
  });
});

describe("env", () => {
  it("gives a variable that is set, and only those that an allowlist names", async () => {
    const ref: SecretRef = { source: "env", provider: "default", id: "A" };
    expect(await resolveOne(ref, undefined, { A: "one" })).toBe("one");
    await expect(resolveOne(ref, undefined, {})).rejects.toThrow("env:default:A is not available");
    const secrets = { providers: { default: { source: "env", allowlist: ["B"] } } };
    await expect(resolveOne(ref, secrets, { A: "one" })).rejects.toThrow("allowlist does not name it");
    await expect(resolveOne({ ...ref, provider: "constructor" }, secrets, { A: "1" })).rejects.toThrow(
      "not configured",
    );
  });
});

describe("file", () => {
  it("follows a pointer, own members only, and never quotes what it read", async () => {
    const path = join(dir, "vault.json");
    await writeFile(path, JSON.stringify({ a: { "x/y": ["first", "hush-hush"] }, n: 5 }), { mode: 0o600 });
    const secrets = { providers: { vault: { source: "file", path: "~/vault.json" } } };
    expect(await resolveOne(file("/a/x~1y/1"), secrets)).toBe("hush-hush");
    await expect(resolveOne(file("/a/toString"), secrets)).rejects.toThrow("no such member");
    await expect(resolveOne(file("/a/x~1y/length"), secrets)).rejects.toThrow("no such member");
    await expect(resolveOne(file("/n"), secrets)).rejects.toThrow("file:vault:/n");
    await writeFile(path, "hush-hush {");
    await expect(resolveOne(file("/a"), secrets)).rejects.not.toThrow("hush");
  });

  it("takes one value with one line break cut, and refuses what others may read, links and big files", async () => {
    const path = join(dir, "value");
    await writeFile(path, "tok\n\n", { mode: 0o600 });
    const settings = { source: "file", path, mode: "singleValue" };
    const secrets = { providers: { vault: settings } };
    expect(await resolveOne(file("value"), secrets)).toBe("tok\n");
    await chmod(path, 0o644);
    await expect(resolveOne(file("value"), secrets)).rejects.toThrow("permissions that are too open");
    await chmod(path, 0o600);
    await symlink(path, join(dir, "link"));
    const linked = { providers: { vault: { ...settings, path: join(dir, "link") } } };
    await expect(resolveOne(file("value"), linked)).rejects.toThrow("is a link");
    const small = { providers: { vault: { ...settings, maxBytes: 2 } } };
    await expect(resolveOne(file("value"), small)).rejects.toThrow("maxBytes");
    const elsewhere = { providers: { vault: { ...settings, trustedDirs: ["/usr"] } } };
    await expect(resolveOne(file("value"), elsewhere)).rejects.toThrow("trustedDirs");
  });
});

describe("exec", () => {
  it("asks once for all ids, with no environment but what is named", async () => {
    const command = await program(
      `cat > ${"$"}{0%.sh}.in; env > ${"$"}{0%.sh}.env; printf '{"protocolVersion":1,"values":{"a":"one","b":"two"}}'`,
    );
    const values = await resolveSecrets({
      refs: [exec("a"), exec("b"), exec("a")],
      secrets: withExec(command, { env: { FIXED: "f" }, passEnv: ["LET"] }),
      env: { LET: "through", OTHER: "kept back", PATH: "/bin" },
      homeDir: dir,
    });
    expect([...values.values()]).toEqual(["one", "two"]);
    expect(await readFile(join(dir, "helper.in"), "utf8")).toBe(
      '{"protocolVersion":1,"provider":"helper","ids":["a","b"]}',
    );
    const env = await readFile(join(dir, "helper.env"), "utf8");
    expect(env).toContain("LET=through");
    expect(env).toContain("FIXED=f");
    expect(env).not.toContain("OTHER");
  });

  it.each([
    ["tool", "absolute path"],
    ["/bin/sh -c 'x'", "absolute path"],
    ["/bin/sh; id", "absolute path"],
    ["~/helper.sh", "absolute path"],
  ])("refuses the command %s", async (command, message) => {
    await expect(resolveOne(exec(), withExec(command))).rejects.toThrow(message);
  });

  it.each([
    ["a failure", "echo hush-hush; echo hush-hush >&2; exit 3", {}, "ended with 3"],
    ["silence", "sleep 30 & wait", { timeoutMs: 200 }, "no answer within 200 ms"],
    ["a pause", "echo a; sleep 30", { noOutputTimeoutMs: 200 }, "printed nothing for 200 ms"],
    ["a flood", "yes hush-hush", { maxOutputBytes: 1000 }, "more than 1000 bytes"],
    ["another form", "echo hush-hush", {}, "did not answer in the protocol"],
    [
      "an error for the id",
      `printf '{"protocolVersion":1,"values":{},"errors":{"key":{"message":"hush-hush"}}}'`,
      {},
      "reports an error",
    ],
    ["a missing id", `printf '{"protocolVersion":1,"values":{"__proto__":"x"}}'`, {}, "did not give it"],
  ])("says what happened after %s, without a word of the output", async (_what, text, more, message) => {
    const error = await resolveOne(exec(), withExec(await program(text), more)).then(
      () => null,
      (caught: Error) => caught,
    );
    expect(error?.message).toContain(message);
    expect(error?.message).toContain("exec:helper:key");
    expect(JSON.stringify([error?.message, String(error?.cause)])).not.toContain("hush");
  });

  it("takes plain text when that is allowed, and refuses a program that others may write", async () => {
    expect(await resolveOne(exec(), withExec(await program("echo ' plain '"), { jsonOnly: false }))).toBe(
      "plain",
    );
    const open = withExec(await program("echo plain", 0o722), { jsonOnly: false });
    await expect(resolveOne(exec(), open)).rejects.toThrow("others may write to it");
    expect(
      await resolveOne(exec(), {
        providers: { helper: { ...open.providers.helper, allowInsecurePath: true } },
      }),
    ).toBe("plain");
  });
});

describe("the Gateway's token", () => {
  let runtime: Runtime | undefined;
  const lines: string[] = [];
  afterEach(async () => {
    await runtime?.dispose();
    runtime = undefined;
    lines.length = 0;
  });

  async function start(config: unknown, env: Record<string, string> = {}) {
    const stateDir = join(dir, "state");
    await mkdir(stateDir, { recursive: true, mode: 0o700 });
    await writeFile(join(stateDir, "openclaw.json"), JSON.stringify(config));
    runtime = await createTestRuntime(stateDir, {
      homeDir: dir,
      baseEnv: { PATH: "/usr/bin:/bin", HOME: dir, ...env },
      logger: createLogger((line) => lines.push(line), "debug"),
    });
    return { runtime, configPath: join(stateDir, "openclaw.json") };
  }

  const tokenFile = { source: "file", provider: "vault", id: "value" };
  const vault = () => ({
    secrets: { providers: { vault: { source: "file", path: join(dir, "tok"), mode: "singleValue" } } },
    gateway: { auth: { token: tokenFile } },
  });

  it("comes from its reference and is in no log line", async () => {
    await writeFile(join(dir, "tok"), "hush-hush\n", { mode: 0o600 });
    const { runtime } = await start(vault());
    expect(runtime.gatewaySettings().operatorToken).toBe("hush-hush");
    expect(lines.join("\n")).not.toContain("hush-hush");
  });

  it("is replaced by no other when the reference fails, so nothing listens", async () => {
    const { runtime } = await start(vault());
    expect(() => runtime.gatewaySettings()).toThrow("file:vault:value");
    const literal = await start({ gateway: { auth: { token: "$" + "{NOT_SET}" } } });
    expect(() => literal.runtime.gatewaySettings()).toThrow("env:default:NOT_SET");
    await runtime.dispose();
  });

  it("stays the last good one when a changed reference fails, and is the new one when it works", async () => {
    const { runtime, configPath } = await start(
      { gateway: { auth: { token: "$" + "{TOKEN_A}" } } },
      { TOKEN_A: "a", TOKEN_B: "b" },
    );
    await writeFile(configPath, JSON.stringify({ gateway: { auth: { token: "$" + "{TOKEN_X}" } } }));
    await expect.poll(() => lines.join("\n"), { timeout: 5000 }).toContain("env:default:TOKEN_X");
    expect(runtime.gatewaySettings().operatorToken).toBe("a");
    await writeFile(configPath, JSON.stringify({ gateway: { auth: { token: "$" + "{TOKEN_B}" } } }));
    await expect.poll(() => runtime.gatewaySettings().operatorToken, { timeout: 5000 }).toBe("b");
  });

  it("of the environment makes a reference inactive", async () => {
    const { runtime } = await start(vault(), { OPENCLAW_GATEWAY_TOKEN: "from env" });
    expect(runtime.gatewaySettings().operatorToken).toBe("from env");
    expect(lines.join("\n")).toContain("SECRETS_REF_IGNORED_INACTIVE_SURFACE");
  });
});
