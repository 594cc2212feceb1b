import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { validateConfigText } from "../config/configSchema.ts";
import { redact } from "../config/redaction.ts";
import { baseEnvironment } from "./baseEnvironment.ts";
import { readServerEntries, type ServerEntry } from "./entries.ts";
import { reasonOf } from "./problems.ts";
import { resolveSpec } from "./resolveSpec.ts";
import { targetOf } from "./view.ts";

function read(servers: Record<string, unknown>): ServerEntry[] {
  return readServerEntries({ mcp: { servers } }, () => null);
}
function only(entry: unknown): ServerEntry {
  const [found] = read({ one: entry });
  if (found === undefined) throw new Error("no entry");
  return found;
}
async function started(entry: unknown, env: Record<string, string> = {}) {
  const { spec } = only(entry);
  if (!spec.ok) throw new Error(spec.reason.code);
  const homeDir = mkdtempSync(join(tmpdir(), "sallyport-entry-"));
  const plan = await resolveSpec(spec.value, { config: () => ({}), env, homeDir }).catch((error: unknown) =>
    reasonOf(error),
  );
  return { plan, homeDir };
}

describe("entries of mcp.servers", () => {
  it("as OpenClaw writes them are accepted by the config and understood", () => {
    const text = `{ mcp: { servers: {
      // files
      files: { command: "npx", args: ["-y", "server-files", "/data"], env: { TOKEN: "abcdefgh1234", DEBUG: 1 }, cwd: "/data" },
      docs: { url: "https://docs.example/sse", headers: { Authorization: "Bearer abcdefgh5678" } },
      web: { url: "https://web.example/mcp", transport: "streamable-http", connectionTimeoutMs: 5000 },
    } } }`;
    const checked = validateConfigText(text, "openclaw.json");
    if (!checked.ok) throw new Error("the config is refused");
    const entries = readServerEntries(checked.config, checked.document.positionOf);
    expect(
      entries.map(({ id, transport, source, connectionTimeoutMs }) => [
        id,
        transport,
        source.line,
        connectionTimeoutMs,
      ]),
    ).toEqual([
      ["files", "stdio", 3, 30_000],
      ["docs", "sse", 4, 30_000],
      ["web", "streamable-http", 5, 5000],
    ]);
    expect(entries.every((entry) => entry.spec.ok)).toBe(true);
    const { raw } = redact(checked.document);
    expect(raw).not.toContain("abcdefgh1234");
    expect(raw).not.toContain("abcdefgh5678");
  });

  it.each([
    [{ enabled: false, command: "x" }, "mcp.disabled"],
    [{}, "mcp.noCommand"],
    [{ command: "x", url: "http://h/" }, "mcp.commandAndUrl"],
    [{ url: "http://h/", transport: "websocket" }, "mcp.badTransport"],
    [{ command: "x", args: "y" }, "mcp.badEntry"],
    [{ command: 5 }, "mcp.badEntry"],
    [{ command: "x", env: { "A=B": "c" } }, "mcp.badEntry"],
    [{ url: "http://h/", headers: { "bad\nname": "v" } }, "mcp.badEntry"],
    [{ command: "x", env: { K: "a\u0000b" } }, "mcp.badEntry"],
    ["text", "mcp.badEntry"],
    [null, "mcp.badEntry"],
  ])("%j is not started: %s", (entry, code) => {
    const { spec } = only(entry);
    expect(spec.ok ? "ok" : spec.reason.code).toBe(code);
  });

  it("have a digest over every value, secrets included, whatever the order", () => {
    const entry = { command: "x", args: ["a"], env: { A: "1", B: "2" } };
    const { digest } = only(entry);
    expect(only({ env: { B: "2", A: "1" }, args: ["a"], command: "x" }).digest).toBe(digest);
    for (const other of [
      { ...entry, env: { A: "1", B: "3" } },
      { ...entry, args: ["b"] },
      { ...entry, cwd: "/" },
      { ...entry, unknown: true },
    ])
      expect(only(other).digest).not.toBe(digest);
  });

  it("have the secret providers that they use in their digest, and no others", () => {
    const digestWith = (secrets: unknown, value: unknown, headers?: unknown) => {
      const entry =
        headers === undefined ? { command: "x", env: { KEY: value } } : { url: "http://h/", headers };
      const [found] = readServerEntries({ secrets, mcp: { servers: { one: entry } } }, () => null);
      return found?.digest;
    };
    const exec = (command: string) => ({ source: "exec", command });
    const ref = { source: "exec", provider: "vault", id: "key" };
    const before = { providers: { vault: exec("/bin/a") } };
    const after = { providers: { vault: exec("/bin/b") } };
    expect(digestWith(after, ref)).not.toBe(digestWith(before, ref));
    expect(digestWith(undefined, ref)).not.toBe(digestWith(before, ref));
    expect(digestWith(after, "", { K: ref })).not.toBe(digestWith(before, "", { K: ref }));
    const others = { providers: { vault: exec("/bin/a"), other: exec("/bin/c") } };
    expect(digestWith(others, ref)).toBe(digestWith(before, ref));
    expect(digestWith(after, "text")).toBe(digestWith(before, "text"));
    // Without a name it is whatever the defaults say.
    const unnamed = { source: "exec", id: "key" };
    const byDefault = (provider: string) => ({ ...others, defaults: { exec: provider } });
    expect(digestWith(byDefault("other"), unnamed)).not.toBe(digestWith(byDefault("vault"), unnamed));
  });

  it("whose name cannot be kept are not started", () => {
    const servers = JSON.parse('{"__proto__": {"command": "x"}, "": {"command": "x"}}');
    expect(read(servers).map(({ spec }) => (spec.ok ? "ok" : spec.reason.code))).toEqual([
      "mcp.badName",
      "mcp.badName",
    ]);
  });

  it("show their target without secrets", () => {
    const target = (entry: unknown) => targetOf(only(entry));
    expect(
      target({ command: "npx", args: ["-y", "srv", "--api-key", "hunter2hunter2", "--token=abc", "a b"] }),
    ).toBe('npx -y srv --api-key •••••• --token=•••••• "a b"');
    expect(target({ command: "x", args: ["--token", `\${TOKEN}`] })).toBe(
      `x --token "\${TOKEN}"`.replaceAll('"', ""),
    );
    expect(target({ url: "https://h.example/mcp?token=abc123&x=1" })).toBe(
      "https://h.example/mcp?token=••••••&x=1",
    );
    expect(target({ url: "https://me:pw123@h.example/" })).not.toContain("pw123");
    const asWords = ["-e", "GITHUB_TOKEN=hunter2hunter2", "--header", "Authorization: Bearer abc.def=="];
    expect(target({ command: "docker", args: ["run", ...asWords, "--", "x"] })).toBe(
      'docker run -e GITHUB_TOKEN=•••••• --header "Authorization: Bearer ••••••" -- x',
    );
  });

  it.each([
    [["-c", "api_key=1;touch /tmp/x"], "touch /tmp/x"],
    [["-c", "--", "--token=;id>x"], "id>x"],
    [["--token", "$(touch x)"], "touch x"],
    [["-c", "x://a:;id>x;@"], "id>x"],
    [["--authority/x.js"], "--authority/x.js"],
  ])("show what a shell would run, also where a secret could stand: %j", (args, code) => {
    expect(targetOf(only({ command: "sh", args }))).toContain(code);
  });

  it("show variables that change what runs, and references, in front of the command", () => {
    const env = {
      LD_PRELOAD: "/tmp/auth:evil.so /tmp/b.so",
      NODE_OPTIONS: "--require=/tmp/x.js",
      PATH: "/tmp/bin:/bin",
      BASH_ENV: "~/x",
      PYTHONFAULTHANDLER: 1,
      GIT_PAT: "hunter2hunter2",
      GIT_ASKPASS: "evil",
      HTTPS_PROXY: "http://me:hunter2hunter2@proxy.example",
      OPENCLAW_GATEWAY_TOKEN: "hunter2hunter2",
      OPENAI_API_KEY: `\${OPENAI_API_KEY}`,
      OTHER: { source: "file", provider: "vault", id: "/a/b" },
      BROKEN: { source: "moon" },
      DEBUG: "hunter2hunter2",
      MINE: `with \${OPENAI_API_KEY}`,
    };
    expect(targetOf(only({ command: "node", args: ["a b"], env }))).toBe(
      [
        'LD_PRELOAD="/tmp/auth:evil.so /tmp/b.so"',
        "NODE_OPTIONS=--require=/tmp/x.js",
        "PATH=/tmp/bin:/bin",
        "BASH_ENV=~/x",
        "PYTHONFAULTHANDLER=1",
        "GIT_PAT=••••••",
        "GIT_ASKPASS=evil",
        "HTTPS_PROXY=http://me:••••••@proxy.example",
        "OPENCLAW_GATEWAY_TOKEN=••••••",
        `OPENAI_API_KEY=\${OPENAI_API_KEY}`,
        `OTHER=\${file:vault:/a/b}`,
        `BROKEN=\${?}`,
        'node "a b"',
      ].join(" "),
    );
    const long = only({ command: "node", env: { NODE_OPTIONS: "x".repeat(8000) } });
    expect(long.spec).toMatchObject({ ok: false, reason: { code: "mcp.badEntry" } });
  });

  it("show the whole of what would be started, or are not started", () => {
    const tail = "end-of-the-command";
    const args = ["x".repeat(7000), tail];
    expect(targetOf(only({ command: "sh", args }))).toContain(tail);
    for (const entry of [
      { command: "sh", args: ["x".repeat(8000), tail] },
      { url: `https://h.example/${"x".repeat(8000)}` },
    ])
      expect(only(entry).spec).toMatchObject({ ok: false, reason: { code: "mcp.badEntry" } });
  });
});

describe("what is started of an entry", () => {
  it("has its references looked up, and folders counted from home", async () => {
    const entry = {
      command: "~/bin/srv",
      args: [`--at=\${PLACE}`, `$\${PLACE}`],
      env: { KEY: `\${KEY}`, N: 5 },
    };
    const { plan, homeDir } = await started(entry, { PLACE: "here", KEY: "k" });
    expect(plan).toEqual({
      kind: "stdio",
      command: join(homeDir, "bin/srv"),
      args: ["--at=here", `\${PLACE}`],
      env: { KEY: "k", N: "5" },
      cwd: homeDir,
    });
  });

  it.each([
    [{ command: "x", env: { K: `\${NOT_SET}` } }, "mcp.missingVariable"],
    [{ command: "x", env: { K: { source: "moon" } } }, "mcp.badValue"],
    [{ command: "x", cwd: "not/there" }, "mcp.noFolder"],
    [{ url: "http://h/", headers: { K: "a\r\nX-More: b" } }, "mcp.badValue"],
    [{ url: "not an address" }, "mcp.badUrl"],
    [{ url: "file:///etc/passwd" }, "mcp.badUrl"],
    [{ url: "https://me:pw@h.example/" }, "mcp.badUrl"],
  ])("%j fails with %s", async (entry, code) => {
    expect((await started(entry)).plan).toMatchObject({ code });
  });

  it("gets few variables of the desk, and none of its keys", () => {
    const host = {
      PATH: "/bin",
      HOME: "/h",
      LC_ALL: "C",
      OPENAI_API_KEY: "k",
      OPENCLAW_GATEWAY_TOKEN: "t",
      SHELL: "() { x; }",
    };
    expect(baseEnvironment(host, { MINE: "m", PATH: "/own" })).toEqual({
      PATH: "/own",
      HOME: "/h",
      LC_ALL: "C",
      MINE: "m",
    });
  });
});
