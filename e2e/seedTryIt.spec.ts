/**
 * The try-it of the tool chapter, step by step with this program's commands: write a script, list it, let an agent
 * run it; then the two refusals of the two gates, which differ.
 */

import { chmod, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { cliEntry, rootDir } from "./fixtures/programs.ts";
import { run } from "./fixtures/run.ts";
import { expect, test } from "./fixtures/test.ts";

const script = `#!/bin/bash
# usage: disk-usage.sh [path]
TARGET="\${1:-/}"
echo "=== Disk Usage Report ==="
echo "Target: $TARGET"
df -h "$TARGET" | tail -1 | awk '{print "Total:", $2, "| Used:", $3, "| Available:", $4, "| Usage:", $5}'
echo ""
echo "Top 5 largest directories:"
du -sh "$TARGET"/*/ 2>/dev/null | sort -rh | head -5
`;

const config = (exec: string, more = "") => `{
  "tools": {
    "profile": "coding",
    "exec": { ${exec} }${more}
  }
}
`;
const asWritten = config(`"security": "allowlist", "ask": "on-miss"`);

test("disk-usage.sh: written, listed and run; then a refusal of gate one and one of gate two", async ({
  newPlace,
  launchWithoutWindow,
  connect,
}) => {
  const place = await newPlace({ config: null, settings: null });
  // As in the chapter: the default state directory, and a home of one's own.
  const stateDir = path.join(place.homeDir, ".openclaw");
  const env = { ...place.env, OPENCLAW_STATE_DIR: "" };
  const sallyport = (...args: string[]) => run(process.execPath, [cliEntry, ...args], { env, cwd: rootDir });
  const tool = path.join(stateDir, "workspace", "tools", "disk-usage.sh");
  await mkdir(path.dirname(tool), { recursive: true });
  await writeFile(tool, script);
  await chmod(tool, 0o755);
  await writeFile(path.join(stateDir, "openclaw.json"), asWritten);
  const added = await sallyport("approvals", "allowlist", "add", "~/.openclaw/workspace/tools/disk-usage.sh");
  expect(added.code, added.stderr).toBe(0);
  const approvals = JSON.parse(await place.read(path.join(stateDir, "exec-approvals.json")));
  expect(approvals.agents["*"].allowlist[0].pattern).toBe("~/.openclaw/workspace/tools/disk-usage.sh");

  const home = {
    ...place,
    env,
    stateDir,
    paths: { ...place.paths, gatewayFile: path.join(stateDir, "sallyport-gateway.json") },
  };
  const { operator } = await launchWithoutWindow(home);
  const agent = await connect(operator);
  const reported = await agent.exec(`~/.openclaw/workspace/tools/disk-usage.sh ${place.workDir}`);
  expect(reported.isError).toBe(false);
  expect(reported.text).toContain("=== Disk Usage Report ===");
  expect(reported.text).toContain(`Target: ${place.workDir}`);
  expect(reported.text).toMatch(/Total: \S+ \| Used: \S+ \| Available: \S+ \| Usage: \d+%/);
  const used = JSON.parse(await place.read(path.join(stateDir, "exec-approvals.json")));
  expect(used.agents["*"].allowlist[0].lastUsedAt).toBeGreaterThan(0);

  // Gate two: the tool is there, the command is not on the list, and nobody is asked.
  await writeFile(path.join(stateDir, "openclaw.json"), config(`"security": "allowlist", "ask": "off"`));
  await expect.poll(async () => (await agent.exec("df -h /")).text).toMatch(/allowlist/i);
  const refused = await agent.exec("df -h /");
  expect(refused).toMatchObject({ isError: true, details: { executed: false } });
  const explained = await sallyport("exec", "explain", "df -h /", "--json");
  expect(explained.stdout).toContain("allowlist");

  // Gate one: the tool itself is gone.
  const denied = config(`"security": "allowlist", "ask": "off"`, `,\n    "deny": ["exec"]`);
  await writeFile(path.join(stateDir, "openclaw.json"), denied);
  await expect.poll(() => agent.toolNames()).not.toContain("exec");
  await expect(agent.exec("df -h /")).rejects.toThrow("Unknown tool: exec");
  // The operator is told gate, rule and line.
  const why = await sallyport("tools", "explain", "exec");
  expect(why.stdout).toContain("tools.deny");
  expect(why.stdout).toMatch(/openclaw\.json:5|line 5/);
});
