/** `sallyport policy` about situations: what the config fills in, who sent what where, and what is promised everywhere. */

import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startHeadless } from "../headless/startHeadless.ts";
import { silentLogger } from "../runtime/logging/logger.ts";
import { type CliHarness, createCliHarness } from "./testing/cliHarness.ts";

let cli: CliHarness;
beforeEach(async () => {
  cli = await createCliHarness();
});
afterEach(() => cli.cleanUp());

async function put(name: string, text: string): Promise<string> {
  const file = path.join(cli.homeDir, name);
  await writeFile(file, text);
  return file;
}

describe("a sandbox that the question leaves to the config", () => {
  it("is filled in and said, in every command", async () => {
    const file = await put("c.json5", `{ agents: { defaults: { sandbox: { mode: "all" } } } }`);
    const ask = (words: string) => cli.run(["policy", ...words.split(" "), "--config", file]);
    const why = await ask("why browser");
    expect(why.stdout).toContain("browser is missing.");
    expect(why.stdout).toContain("The session runs sandboxed: taken from the config.");
    expect((await ask("trace")).stdout).toMatch(/sandbox tools\.allow \(\d+ left\)/);
    expect((await ask("why browser --sandboxed false")).stdout).toContain("browser is there.");
    expect((await ask("why browser --sandboxed false")).stdout).not.toContain("taken from the config");
    const compared = await cli.run([
      ...["policy", "compare", "--config", file, "--json"],
      ...["--a", "agent=main", "--b", "agent=main sandboxed=false"],
    ]);
    expect(JSON.parse(compared.stdout)).toMatchObject({
      comparison: { gained: expect.arrayContaining(["browser"]) },
      sandboxFromConfig: { a: true },
    });
    const findings = await cli.run(["policy", "findings", "--config", file, "--json", "--agent", "main"]);
    expect(JSON.parse(findings.stdout).sandboxFromConfig).toBe(true);
  });
});

describe("a sender and a group", () => {
  it("are named by every option that a config can look at", async () => {
    const file = await put(
      "c.json5",
      `{ channels: {
        slack: { channels: { "#general": { tools: { deny: ["exec"] } } } },
        discord: { guilds: { g1: { channels: { ops: { toolsBySender: { "username:bo": { deny: ["read"] } } } } } } },
        telegram: { groups: { "1": { toolsBySender: { "name:ana": { deny: ["tts"] }, "e164:+49": { deny: ["canvas"] } } } } },
      } }`,
    );
    const why = async (tool: string, ...options: string[]) => {
      const run = await cli.run(["policy", "why", tool, "--config", file, "--json", ...options]);
      expect(run.code, run.stderr).toBe(0);
      return JSON.parse(run.stdout).answer.state;
    };
    const slack = ["--channel", "slack", "--group", "C1"];
    expect(await why("exec", ...slack)).toBe("kept");
    expect(await why("exec", ...slack, "--group-channel", "#general")).toBe("removed");
    const discord = [
      "--channel",
      "discord",
      "--group",
      "9",
      "--group-channel",
      "ops",
      "--sender-username",
      "@bo",
    ];
    expect(await why("read", ...discord)).toBe("kept");
    expect(await why("read", ...discord, "--group-space", "g1")).toBe("removed");
    const telegram = ["--channel", "telegram", "--group", "1"];
    expect(await why("tts", ...telegram, "--sender-name", "Ana")).toBe("removed");
    const native = await put("n.json5", "{ tools: { web: { search: { openaiCodex: { enabled: true } } } } }");
    const search = [
      "policy",
      "why",
      "web_search",
      "--config",
      native,
      "--provider",
      "openai-codex",
      "--json",
    ];
    const stateOf = async (...more: string[]) =>
      JSON.parse((await cli.run([...search, ...more])).stdout).answer.state;
    expect([await stateOf(), await stateOf("--codex-auth")]).toEqual(["kept", "removed"]);
    expect(await why("session_status", "--depth", "1", "--role", "orchestrator")).toBe("removed");
    expect(await why("canvas", ...telegram, "--sender-e164", "+49")).toBe("removed");
    const compared = await cli.run([
      ...["policy", "compare", "--config", file, "--json", "--a", "channel=slack group=C1"],
      ...["--b", "channel=slack group=C1 group-channel=general"],
    ]);
    expect(JSON.parse(compared.stdout).comparison.lost).toEqual(["exec"]);
  });
});

describe("why with a layer", () => {
  it("offers only edits below it, or says where it is decided instead", async () => {
    const file = await put(
      "c.json5",
      `{ tools: { deny: ["exec"] }, agents: { list: [{ id: "a", tools: { deny: ["tts"] } }] } }`,
    );
    const ask = async (tool: string) => {
      const run = await cli.run([
        ...["policy", "why", tool, "--config", file, "--agent", "a"],
        ...["--layer", "agents.list.0"],
      ]);
      return run.stdout;
    };
    expect(await ask("exec")).toContain(
      "The chosen part of the config cannot change it. It is decided at: tools.allow",
    );
    expect(await ask("tts")).toMatch(/1\. .*agents\.list\[0\]\.tools\.deny/);
  });
});

describe("a config that takes parts from other files", () => {
  const including = `{ tools: { $include: "./tools.json5" } }`;

  it.each([["why exec"], ["trace"], ["findings"], ["contexts"], ["compare --b owner=true"]])(
    "gets no answer from %s, but the place and exit code 2",
    async (words) => {
      const file = await put("c.json5", including);
      await put("tools.json5", `{ deny: ["exec"] }`);
      const run = await cli.run(["policy", ...words.split(" "), "--config", file]);
      expect(run.code).toBe(2);
      expect(run.stdout).toBe("");
      expect(run.stderr).toMatch(/c\.json5:1:\d+: \$include is not supported/);
    },
  );

  it("proves nothing", async () => {
    const file = await put("c.json5", including);
    const rules = await put("rules.txt", "never *: exec");
    expect((await cli.run(["policy", "check", rules, "--config", file])).code).toBe(2);
  });
});

describe("policy check", () => {
  it("refutes what only one combination of missing tools opens, and says which are missing", async () => {
    const file = await put("c.json5", `{ tools: { allow: ["image"] } }`);
    const rules = await put("rules.txt", "never *: web_search\n");
    const run = await cli.run(["policy", "check", rules, "--config", file]);
    expect(run.code).toBe(1);
    expect(run.stdout).toMatch(/web_search is there for .*tools without image$/m);
  });

  it("does not say always of a tool that needs a model or a key", async () => {
    const file = await put("c.json5", "{}");
    const rules = await put(
      "rules.txt",
      "always main: apply_patch\nalways main: image\nalways main: message\n",
    );
    const run = await cli.run([
      "policy",
      "check",
      rules,
      "--config",
      file,
      "--json",
      "--preset",
      "sallyport",
    ]);
    const kinds = JSON.parse(run.stdout).files[0].results.map(({ kind }: { kind: string }) => kind);
    expect(kinds).toEqual(["refuted", "refuted", "proved"]);
  });

  it("judges senders and groups that the config does not mention", async () => {
    const rules = await put("rules.txt", "never * when sender=42: exec\nnever * when group=g: exec\n");
    const counts = async (text: string) => {
      const file = await put("c.json5", text);
      const run = await cli.run(["policy", "check", rules, "--config", file, "--json"]);
      return JSON.parse(run.stdout).files[0].counts;
    };
    expect(await counts("{}")).toEqual({ proved: 0, refuted: 2, invalid: 0 });
    expect(await counts(`{ tools: { deny: ["exec"] } }`)).toEqual({ proved: 2, refuted: 0, invalid: 0 });
  });

  it("lists the classes one by one when asked, and not more of them than asked for", async () => {
    const file = await put("c.json5", `{ agents: { list: [{ id: "coder" }] } }`);
    const rules = await put("rules.txt", "never *: ghost\n");
    const check = (...more: string[]) => cli.run(["policy", "check", rules, "--config", file, ...more]);
    expect((await check()).stdout).not.toContain("class 1:");
    const three = await check("--classes", "3");
    expect(three.stdout).toMatch(/^ {2}class 1: agent coder, owner true, group direct, model /m);
    expect(three.stdout.match(/^ {2}class \d+:/gm)).toHaveLength(3);
    expect(three.stdout).toMatch(/^ {2}and \d+ more/m);
    const { contexts, listed } = JSON.parse((await check("--classes", "10000", "--json")).stdout);
    expect(listed).toHaveLength(contexts);
    expect(new Set(listed.map((label: unknown) => JSON.stringify(label))).size).toBe(contexts);
    expect((await check("--classes", "many")).code).toBe(2);
  });

  it("reports problems of the config as errors in JUnit, as its exit code says", async () => {
    const file = await put("c.json5", `{ tools: { nonsense: 1 } }`);
    const rules = await put("rules.txt", "never *: ghost\n");
    const run = await cli.run(["policy", "check", rules, "--config", file, "--junit", "out.xml"]);
    expect(run.code).toBe(2);
    const xml = await readFile(path.join(cli.homeDir, "out.xml"), "utf8");
    expect(xml).toContain('<testsuites name="sallyport policy check" tests="2" failures="0" errors="1">');
    expect(xml).toMatch(/<testcase classname="config" name="tools[^"]*"[^>]*>\n +<error message="[^"]+"\/>/);
  });
});

const saved = `{
  // mine
  tools: { profile: "coding" },
  agents: { list: [{ id: "main", default: true }, { id: "support", tools: { profile: "messaging" } }] },
}
`;

async function putSaved(settings?: string): Promise<string> {
  await mkdir(cli.stateDir, { recursive: true });
  const file = path.join(cli.stateDir, "openclaw.json");
  await writeFile(file, saved);
  if (settings !== undefined) await writeFile(path.join(cli.stateDir, "sallyport.json5"), settings);
  return file;
}

describe("policy whatif", () => {
  it("shows which tools a change gives and takes, and writes nothing", async () => {
    const file = await putSaved();
    const run = await cli.run(["policy", "whatif", "--set", "tools.profile=minimal", "--owner"]);
    expect(run.code, run.stderr).toBe(0);
    expect(run.stdout).toMatch(/^- .*\bexec\b.*: now kept; then removed at tools\.profile \(minimal\)/m);
    expect(run.stdout).toContain("Nothing was written. --apply saves it.");
    expect(await readFile(file, "utf8")).toBe(saved);
  });

  it("takes several values, lists and whole files", async () => {
    await putSaved();
    const json = async (...words: string[]) =>
      JSON.parse((await cli.run(["policy", "whatif", "--json", ...words])).stdout).comparison;
    const two = await json("--set", 'tools.deny=["exec"]', "--set", 'agents.list.1.tools.alsoAllow=["read"]');
    expect(two.lost).toEqual(["exec"]);
    expect((await json("--set", "tools.profile", "--agent", "main")).gained).toContain("tts");
    const whole = await put("edited.json5", saved.replace("messaging", "coding"));
    expect((await json("--config", whole, "--agent", "support")).gained).toContain("read");
    expect((await cli.run(["policy", "whatif"])).code).toBe(2);
    expect((await cli.run(["policy", "whatif", "--set", "=1"])).code).toBe(2);
  });

  it("says alone that the change would be refused", async () => {
    await putSaved();
    const run = await cli.run(["policy", "whatif", "--set", "tools.profile=7"]);
    expect(run.code).toBe(1);
    expect(run.stdout).toMatch(/^The edited config would be refused: tools\.profile: /);
    expect(run.stdout.trimEnd()).toMatch(/^Nothing was written, and --apply would not save it\.$/m);
    expect(run.stdout).not.toMatch(/^[-+~.] /m);
  });

  it("leaves out what ends the same until it is asked for", async () => {
    await putSaved();
    const edit = ["policy", "whatif", "--set", 'tools.deny=["browser"]', "--set", "tools.profile=minimal"];
    const rows = (text: string) => text.split("\n").filter((line) => line.startsWith(". "));
    const run = await cli.run(edit);
    expect(rows(run.stdout)).toEqual([]);
    const all = await cli.run([...edit, "--all"]);
    const same = JSON.parse((await cli.run([...edit, "--json"])).stdout).comparison.rows.filter(
      ({ change }: { change: string }) => change === "path",
    );
    expect(rows(all.stdout).length > 0).toBe(same.length > 0);
    expect(run.stdout.includes(`${same.length} more end the same`)).toBe(same.length > 0);
  });

  it("tries a change on another file, which it only reads", async () => {
    await putSaved();
    const text = '{ tools: { profile: "full" }, // theirs\n}\n';
    const other = await put("other.json5", text);
    const edit = ["policy", "whatif", "--config", other, "--set", 'tools.deny=["exec"]'];
    const run = await cli.run(edit);
    expect(run.code, run.stderr).toBe(0);
    expect(run.stdout).toMatch(/^- .*\bexec\b.*: now kept; then removed at tools\.allow/m);
    expect(run.stdout).toContain("other.json5 is only read.");
    const applied = await cli.run([...edit, "--apply"]);
    expect(applied.code).toBe(2);
    expect(applied.stderr).toContain("is only read; --apply saves changes of the own config");
    expect(await readFile(other, "utf8")).toBe(text);
  });

  it("applies with comments kept, shows the lines, and leaves no other trace", async () => {
    const file = await putSaved();
    const run = await cli.run(["policy", "whatif", "--set", "tools.profile=minimal", "--apply"]);
    expect(run.code, run.stderr).toBe(0);
    expect(run.stdout).toContain('-  tools: { profile: "coding" },');
    expect(run.stdout).toContain('+  tools: { profile: "minimal" },');
    expect(await readFile(file, "utf8")).toBe(saved.replace('"coding"', '"minimal"'));
  });

  it("is kept by the assertions from writing what they forbid", async () => {
    const file = await putSaved(`{ assertions: { text: "never support: read", onFail: "block" } }`);
    const edit = ["policy", "whatif", "--set", "agents.list.1.tools.profile=coding"];
    const looked = await cli.run(edit);
    expect(looked.code).toBe(1);
    expect(looked.stdout).toMatch(/^REFUTED .*never support: read/m);
    const run = await cli.run([...edit, "--apply"]);
    expect(run.code).toBe(1);
    expect(run.stderr).toContain("never support: read");
    expect(await readFile(file, "utf8")).toBe(saved);
  });
});

describe("policy assertions", () => {
  it("shows what is saved and replaces it, and refuses what is broken already", async () => {
    await putSaved();
    expect((await cli.run(["policy", "assertions"])).stdout).toContain("No assertions are saved.");
    const rules = await put("rules.txt", "never support: read\n");
    const run = await cli.run(["policy", "assertions", "set", rules, "--on-fail", "block"]);
    expect(run.code, run.stderr).toBe(0);
    expect(run.stdout).toMatch(/^proved .*never support: read/m);
    const shown = JSON.parse((await cli.run(["policy", "assertions", "--json"])).stdout);
    expect(shown).toEqual({ text: "never support: read", onFail: "block" });
    const broken = await put("broken.txt", "never main: read\n");
    const refused = await cli.run(["policy", "assertions", "set", broken]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/^REFUTED .*:1: never main: read/m);
    expect(refused.stderr).toContain("--on-fail warn");
    const unreadable = await put("unreadable.txt", "nonsense\nalways main: read\nmore nonsense\n");
    const unread = await cli.run(["policy", "assertions", "set", unreadable]);
    expect(unread.stderr).toContain("Line 1 cannot be read");
    expect(unread.stderr).toContain("Line 3 cannot be read");
    expect((await cli.run(["policy", "assertions"])).stdout).toContain("never support: read");
  });
});

describe("contexts that sessions really had", () => {
  it("are listed and can be chosen while the app runs", async () => {
    await putSaved();
    const none = await cli.run(["policy", "why", "exec", "--seen", "1"]);
    expect(none.code).toBe(2);
    expect(none.stderr).toContain("No context was seen.");
    const headless = await startHeadless({
      env: cli.env,
      homeDir: cli.homeDir,
      port: 0,
      panelDir: null,
      version: "0.0.1",
      logger: silentLogger,
    });
    try {
      const made = await cli.run(["clients", "create", "writer", "--agent", "support", "--json"]);
      expect(made.code, made.stderr + made.stdout).toBe(0);
      const listed = await cli.run(["policy", "contexts"]);
      expect(listed.stdout).toMatch(/^Seen in sessions.*\n {2}1\. writer: .*agentId support/m);
      const why = await cli.run(["policy", "why", "exec", "--seen", "1", "--json"]);
      expect(JSON.parse(why.stdout).answer.state).toBe("removed");
      const other = await cli.run(["policy", "trace", "--seen", "1", "--agent", "main", "--json"]);
      expect(JSON.parse(other.stdout).trace.result.agentId).toBe("main");
      expect((await cli.run(["policy", "why", "exec", "--seen", "99"])).code).toBe(2);
    } finally {
      await headless.dispose();
    }
    expect(await readdir(cli.homeDir)).toEqual([".openclaw"]);
  });
});
