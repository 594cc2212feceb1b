/** `sallyport policy` on files of a broken set-up: answers, exit codes, reports, and nothing touched. */

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

/** Somebody's set-up: the support agent should be harmless and is not, the coder has no browser. */
const brokenSetup = `{
  // written by hand
  tools: { profile: "coding" },
  agents: {
    list: [
      { id: "coder", default: true },
      { id: "support", tools: { profile: "minmal", deny: ["browzer"] } },
    ],
  },
}
`;

async function put(name: string, text: string): Promise<string> {
  const file = path.join(cli.homeDir, name);
  await writeFile(file, text);
  return file;
}

describe("policy on a config file", () => {
  it("touches nothing: no state directory, and the file stays as it was", async () => {
    const file = await put("setup.json5", brokenSetup);
    for (const line of ["trace", "why browser", "findings", "contexts"]) {
      const run = await cli.run(["policy", ...line.split(" "), "--config", file]);
      expect(run.stdout, run.stderr).not.toBe("");
      expect(run.code).toBe(0);
    }
    expect(await readdir(cli.homeDir)).toEqual(["setup.json5"]);
    expect(await readFile(file, "utf8")).toBe(brokenSetup);
  });

  it("works without any config and any state directory", async () => {
    const run = await cli.run(["policy", "contexts", "--json"]);
    expect(run.code).toBe(0);
    expect(JSON.parse(run.stdout).contexts).toBeGreaterThan(0);
    expect(await readdir(cli.homeDir)).toEqual([]);
  });

  it("says why the browser is missing from the coder, with the line, and offers the smallest edit", async () => {
    const file = await put("setup.json5", brokenSetup);
    const run = await cli.run(["policy", "why", "browser", "--config", file, "--owner"]);
    expect(run.code).toBe(0);
    expect(run.stdout).toContain("browser is missing.");
    expect(run.stdout).toContain("tools.profile (coding)");
    expect(run.stdout).toMatch(/line 3, column \d+/);
    expect(run.stdout).toMatch(/1\. set agents\.list\[0\]\.tools\.alsoAllow = \["browser"\]/);
  });

  it("gives a reason in words for a tool that is not there, and never says that a profile lists what it lacks", async () => {
    const file = await put("setup.json5", brokenSetup);
    const missing = await cli.run(["policy", "why", "browser", "--config", file, "--owner"]);
    expect(missing.stdout).toContain("the profile coding does not list it");
    expect(missing.stdout).not.toContain("the profile coding lists it");
    const absent = await cli.run(["policy", "why", "pdf", "--config", file, "--owner"]);
    expect(absent.stdout).toMatch(
      /is not present here\.\n {2}No model for documents is set\. Set agents\.defaults\.pdfModel, or .*ANTHROPIC_API_KEY/,
    );
    expect(absent.stdout).not.toMatch(/undefined|no-pdf-model|[{}]/);
    const matrix = await cli.run(["policy", "trace", "--config", file]);
    expect(matrix.stdout).toMatch(/^pdf .* not present: no model for documents is set$/m);
  });

  it("names every value that is told apart once, in a list that can be read in one way", async () => {
    const file = await put(
      "setup.json5",
      `{ channels: { telegram: { groups: { "a, b": { tools: {} } } } } }`,
    );
    const run = await cli.run(["policy", "contexts", "--config", file]);
    expect(run.stdout).toContain("\n  agent: any\n");
    expect(run.stdout).toContain('\n  group: direct, direct (voice), direct (node), "telegram a, b"\n');
  });

  it("names the nearest tool for a misspelt one and leaves with 1", async () => {
    const file = await put("setup.json5", brokenSetup);
    const run = await cli.run(["policy", "why", "brwser", "--config", file]);
    expect(run.code).toBe(1);
    expect(run.stdout).toContain("Did you mean browser?");
  });

  it("shows problems of the file beside the answer", async () => {
    const file = await put("setup.json5", brokenSetup);
    const run = await cli.run(["policy", "trace", "--config", file, "--agent", "support"]);
    expect(run.code).toBe(0);
    expect(run.stderr).toMatch(/setup\.json5|openclaw\.json/);
    expect(run.stderr).toContain("agents.list.1.tools.profile");
    expect(run.stdout).toMatch(/^exec +[+.~ ]/m);
  });

  it("lets OpenClaw's own rules count by default, and those of Sallyport when asked", async () => {
    const file = await put("setup.json5", brokenSetup);
    const asked = ["policy", "trace", "--json", "--config", file, "--agent", "support"];
    const toolsOf = (text: string) => JSON.parse(text).trace.result.tools as string[];
    expect(toolsOf((await cli.run(asked)).stdout)).toContain("exec");
    const strict = await cli.run([...asked, "--preset", "sallyport"]);
    expect(toolsOf(strict.stdout)).toEqual(["session_status"]);
  });

  it("compares two contexts, two files and two presets", async () => {
    const file = await put("setup.json5", brokenSetup);
    const other = await put("other.json5", `{ tools: { profile: "coding", alsoAllow: ["browser"] } }`);
    const contexts = ["policy", "compare", "--config", file, "--a", "agent=coder", "--b", "agent=support"];
    const twoContexts = await cli.run(contexts);
    expect(twoContexts.stdout).toMatch(
      /^\+ browser: in A removed at tools\.profile \(coding\).*; in B kept/m,
    );
    const twoFiles = await cli.run(["policy", "compare", "--json", "--config", file, "--with", other]);
    expect(JSON.parse(twoFiles.stdout).comparison.gained).toEqual(["browser"]);
    const twoPresets = await cli.run([
      ...["policy", "compare", "--json", "--config", file, "--a", "agent=support"],
      ...["--preset-b", "sallyport"],
    ]);
    expect(JSON.parse(twoPresets.stdout).comparison.lost).toContain("exec");
    const same = await cli.run([
      "policy",
      "compare",
      "--config",
      file,
      "--a",
      "agent=coder",
      "--b",
      "agent=coder",
    ]);
    expect(same.stdout).toBe("Nothing differs.\n");
  });

  it("finds the misspelt names of the file", async () => {
    const file = await put("setup.json5", brokenSetup);
    const run = await cli.run(["policy", "findings", "--config", file, "--agent", "support"]);
    expect(run.stdout).toMatch(/tools\.profile: "minmal" is not a profile, so OpenClaw applies none\./);
    expect(run.stdout).not.toContain("unknown-profile");
    expect(run.stdout).toContain('Did you mean "browser"?');
    expect(run.code).toBe(0);
  });

  it("says in which line each finding is, in the order of the file, and fails when asked to", async () => {
    const file = await put(
      "lines.json5",
      '{\n  tools: { deny: ["exec", "nodez"] },\n  agents: { list: [\n    { id: "a", tools: { deny: ["brwser"] } },\n  ] },\n}',
    );
    const run = await cli.run(["policy", "findings", "--config", file, "--fail"]);
    expect(run.stdout).toMatch(/^.*"nodez".* \(line 2, column 27\)\n.*"brwser".* \(line 4, column 32\)\n/);
    expect(run.code).toBe(1);
    const clean = await put("clean.json5", '{ tools: { deny: ["exec"] } }');
    const nothing = await cli.run(["policy", "findings", "--config", clean, "--fail"]);
    expect(nothing.stdout).toContain("Nothing found.");
    expect(nothing.code).toBe(0);
  });

  it("finds the slips of every agent and area when no context is named, each once", async () => {
    const file = await put(
      "many.json5",
      `{
        tools: { deny: ["exce"], sandbox: { tools: { alsoAllow: ["brwser"] } } },
        agents: { list: [{ id: "coder" }, { id: "support", tools: { deny: ["nodez"] } }, { id: "Coder" }] },
        gateway: { tools: { deny: ["Browser"], allow: ["exec"] } },
      }`,
    );
    const every = await cli.run(["policy", "findings", "--json", "--config", file]);
    const kinds = (JSON.parse(every.stdout).findings as { kind: string; path: string }[]).map(
      ({ kind, path: place }) => `${kind} ${place}`,
    );
    expect(kinds.toSorted()).toEqual([
      "deny-names-nothing agents.list[1].tools.deny[0]",
      "deny-names-nothing tools.deny[0]",
      "duplicate-agent agents.list[2]",
      "http-entry-not-exact gateway.tools.deny[0]",
      "http-lifts-dangerous gateway.tools.allow",
      "unknown-entry tools.sandbox.tools.alsoAllow[0]",
    ]);
    const one = await cli.run(["policy", "findings", "--config", file, "--agent", "coder"]);
    expect(one.stdout).toContain("tools.deny[0]");
    expect(one.stdout).not.toContain("nodez");
  });

  it("tells for whom a repair takes something away, not only what it opens", async () => {
    const file = await put("three.json5", `{ agents: { list: [{ id: "a" }, { id: "b", tools: {} }] } }`);
    const run = await cli.run(["policy", "why", "exec", "--config", file, "--agent", "b"]);
    expect(run.stdout).toMatch(
      /tools\.deny = \["exec"\].*\n\s+changes \d+ of \d+ contexts\n\s+takes away exec in \d+, for a, b, any-other-agent/,
    );
  });

  it("finds the skills of the agent that have no tool left", async () => {
    await mkdir(cli.stateDir, { recursive: true });
    await writeFile(
      path.join(cli.stateDir, "openclaw.json"),
      '{ tools: { deny: ["exec"] }, agents: { defaults: { workspace: "~/w" } } }',
    );
    await mkdir(path.join(cli.homeDir, "w", "skills", "tidy"), { recursive: true });
    await writeFile(
      path.join(cli.homeDir, "w", "skills", "tidy", "SKILL.md"),
      "---\nname: tidy\ncommand-dispatch: tool\ncommand-tool: exec\n---\n",
    );
    const run = await cli.run(["policy", "findings"]);
    expect(run.stdout).not.toContain("skill-without-tools");
    expect(run.stdout).toContain('the skill "tidy" has none of its tools in this context: "exec"');
    const json = await cli.run(["policy", "findings", "--json"]);
    expect(JSON.parse(json.stdout).findings).toMatchObject([{ kind: "skill-without-tools", stage: "tidy" }]);
  });
});

describe("policy check", () => {
  const config = `{ agents: { list: [
    { id: "coder", tools: { profile: "coding" } },
    { id: "support", tools: { profile: "messaging", deny: ["group:runtime"] } },
  ] } }`;

  it("leaves with 0 when everything is proved, and prints what was told apart", async () => {
    const file = await put("c.json5", config);
    const rules = await put("rules.txt", "# promises\nnever support: exec, process\nalways coder: read\n");
    const run = await cli.run(["policy", "check", rules, "--config", file]);
    expect(run.code, run.stdout + run.stderr).toBe(0);
    expect(run.stdout).toContain("agent: coder, support, any-other-agent");
    expect(run.stdout.match(/^proved/gm)).toHaveLength(2);
  });

  it("leaves with 1 and shows context and stages when one is refuted, as text, JSON and JUnit", async () => {
    const file = await put("c.json5", config);
    const rules = await put("rules.txt", 'never support: exec\nnever *: exec\nalways support: "<&>"\n');
    const text = await cli.run(["policy", "check", rules, "--config", file]);
    expect(text.code).toBe(1);
    expect(text.stdout).toMatch(/REFUTED .*rules\.txt:2: never \*: exec\n +exec is there for agent coder/);
    const json = await cli.run(["policy", "check", rules, "--config", file, "--json", "--junit", "out.xml"]);
    const { ok, files } = JSON.parse(json.stdout);
    expect(ok).toBe(false);
    expect(files[0].counts).toEqual({ proved: 1, refuted: 2, invalid: 0 });
    expect(files[0].results[1]).toMatchObject({
      kind: "refuted",
      line: 2,
      tool: "exec",
      context: { agentId: "coder" },
    });
    const xml = await readFile(path.join(cli.homeDir, "out.xml"), "utf8");
    expect(xml).toContain('<testsuites name="sallyport policy check" tests="3" failures="2" errors="0">');
    expect(xml).toContain("always support: &quot;&lt;&amp;&gt;&quot;");
    expect(xml).toContain('line="2"');
  });

  it.each([
    ["a line that cannot be read", "sometimes support: exec", config],
    ["a misspelt tool, which would be proved by itself", "never support: exce", config],
    ["a group that there is not", "never support: group:everything", config],
    ["a config that OpenClaw refuses", "never support: exec", `{ tools: { nonsense: 1 }, ${config.slice(1)}`],
    ["a config that is no JSON5", "never support: exec", "{ tools: "],
    ["no assertions at all", "# nothing\n", config],
  ])("leaves with 2 for %s", async (_what, rules, text) => {
    const run = await cli.run([
      ...["policy", "check", await put("rules.txt", rules)],
      ...["--config", await put("c.json5", text)],
    ]);
    expect(run.code, run.stdout + run.stderr).toBe(2);
  });

  it("leaves with 2 for a file that is not there and for wrong use", async () => {
    const file = await put("c.json5", config);
    expect((await cli.run(["policy", "check", "missing.txt", "--config", file])).code).toBe(2);
    expect((await cli.run(["policy", "check", "--config", "missing.json5"])).code).toBe(2);
    expect((await cli.run(["policy", "compare", "--config", file])).code).toBe(2);
    expect((await cli.run(["policy", "compare", "--config", file, "--a", "who=me", "--b", ""])).code).toBe(2);
  });

  it("does not prove what only a missing tool makes true", async () => {
    // With a model without apply_patch, OpenClaw finds no core tool in this list and ignores it.
    const file = await put("c.json5", `{ tools: { allow: ["apply_patch"] } }`);
    const rules = await put("rules.txt", "never *: exec\n");
    const run = await cli.run(["policy", "check", rules, "--config", file]);
    expect(run.code).toBe(1);
    expect((await cli.run(["policy", "check", rules, "--config", file, "--preset", "sallyport"])).code).toBe(
      0,
    );
  });

  it("checks the saved assertions in the running app", async () => {
    await cli.run(["config", "set", "tools.profile", "coding"]);
    await writeFile(
      path.join(cli.stateDir, "sallyport.json5"),
      '{ assertions: { text: ["never *: browser", "always main: read"] } }',
    );
    const headless = await startHeadless({
      env: cli.env,
      homeDir: cli.homeDir,
      port: 0,
      panelDir: null,
      version: "0.0.1",
      logger: silentLogger,
    });
    try {
      const run = await cli.run(["policy", "check"]);
      expect(run.stdout).toContain("Checked against the running app");
      expect(run.stdout).toMatch(/^proved .*never \*: browser/m);
      const why = await cli.run(["policy", "why", "exec"]);
      expect(why.stdout).toContain("exec is there.");
    } finally {
      await headless.dispose();
    }
  });

  it("answers from the running app what it answers from the same file", async () => {
    await mkdir(cli.stateDir, { recursive: true });
    const file = path.join(cli.stateDir, "openclaw.json");
    await writeFile(file, brokenSetup.replace("minmal", "minimal"));
    const headless = await startHeadless({
      env: cli.env,
      homeDir: cli.homeDir,
      port: 0,
      panelDir: null,
      version: "0.0.1",
      logger: silentLogger,
    });
    try {
      const json = async (words: string, ...more: string[]) => {
        const run = await cli.run(["policy", ...words.split(" "), "--json", ...more]);
        expect(run.code, run.stderr).toBe(0);
        const { evaluatedInMs: _time, ...answer } = JSON.parse(run.stdout);
        return answer;
      };
      for (const words of [
        "trace --agent support",
        "trace --agent coder --model openai/gpt-5.2",
        "why browser --agent support",
        "findings --agent support",
        "compare --a agent=support --b agent=coder",
      ]) {
        const running = await json(words, "--preset", "reference");
        expect(running, words).toEqual(await json(words, "--config", file));
      }
    } finally {
      await headless.dispose();
    }
  });
});

describe("policy and what was not meant", () => {
  it("says that an agent is not set up, and does not judge promises about it", async () => {
    const file = await put("setup.json5", brokenSetup);
    const why = await cli.run(["policy", "why", "exec", "--config", file, "--agent", "nosuch"]);
    expect(why.stdout).toContain("nosuch is not in agents.list; the rules for any other agent count.");
    const json = await cli.run(["policy", "why", "exec", "--config", file, "--agent", "nosuch", "--json"]);
    expect(JSON.parse(json.stdout).unlistedAgent).toBe("nosuch");
    const listed = await cli.run(["policy", "why", "exec", "--config", file, "--agent", "Support"]);
    expect(listed.stdout).not.toContain("is not in agents.list");
    const rules = await put("rules.txt", "never suport: exec\nnever nosuch: exec\n");
    const check = await cli.run(["policy", "check", rules, "--config", file]);
    expect(check.code).toBe(2);
    expect(check.stdout).toContain('There is no agent "suport" in agents.list. Did you mean support?');
    expect(check.stdout).toContain('There is no agent "nosuch" in agents.list. It lists coder, support.');
    expect(check.stdout).not.toContain("REFUTED");
  });

  it("says what a config is that is given for assertions", async () => {
    const file = await put("my.json", brokenSetup);
    const run = await cli.run(["policy", "check", file]);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(
      `${file} looks like a config, not a list of assertions; did you mean --config ${file}?`,
    );
  });

  it("leaves skills of this computer out of findings about another file", async () => {
    const folder = path.join(cli.stateDir, "skills", "needy");
    await mkdir(folder, { recursive: true });
    await writeFile(
      path.join(folder, "SKILL.md"),
      "---\nname: needy\ndescription: needs a tool\ncommand-dispatch: tool\ncommand-tool: browser\n---\nUse it.\n",
    );
    const text = '{ tools: { profile: "minimal" } }';
    await writeFile(path.join(cli.stateDir, "openclaw.json"), text);
    expect((await cli.run(["policy", "findings"])).stdout).toContain("needy");
    const other = await put("other.json", text);
    expect((await cli.run(["policy", "findings", "--config", other])).stdout).not.toContain("needy");
  });

  it("marks a repair that takes tools away from others", async () => {
    const file = await put("open.json", '{ agents: { list: [{ id: "main" }, { id: "coder" }] } }');
    const run = await cli.run(["policy", "why", "exec", "--config", file, "--agent", "main"]);
    expect(run.stdout).toMatch(/^ {2}1\. .*\(takes it away; tried\)$/m);
    expect(run.stdout).toMatch(/^ {2}2\. .*tried\) {2}! also takes tools away from 2 agents$/m);
  });

  it("says by which rules it answers while the config of the running app is broken", async () => {
    const file = path.join(cli.stateDir, "openclaw.json");
    await mkdir(cli.stateDir, { recursive: true });
    await writeFile(file, '{ tools: { profile: "coding" } }');
    const headless = await startHeadless({
      env: cli.env,
      homeDir: cli.homeDir,
      port: 0,
      panelDir: null,
      version: "0.0.1",
      logger: silentLogger,
    });
    try {
      const broken = '{ tools: { profile: "coding" ';
      await writeFile(file, broken);
      const status = async () => (await cli.run(["gateway", "status"])).stdout;
      await expect.poll(status, { timeout: 20_000 }).toContain("by the last config that could be read");
      const place = /by the last config that could be read; openclaw\.json:\d+:\d+ is broken: /;
      for (const line of ["gateway status", "policy why exec", "tools explain exec"])
        expect((await cli.run(line.split(" "))).stdout, line).toMatch(place);
      const set = await cli.run(["config", "set", "tools.profile", "minimal"]);
      expect(set.stderr).toMatch(/openclaw\.json is broken and was left as it is \(\d+:\d+: /);
      expect(set.stderr).toContain("`sallyport config validate` shows the place");
      expect(await readFile(file, "utf8")).toBe(broken);
    } finally {
      await headless.dispose();
    }
  });
});
