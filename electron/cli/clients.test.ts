/** `sallyport clients` on the files, as on a machine without a window. */

import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type CliHarness, createCliHarness } from "./testing/cliHarness.ts";

let cli: CliHarness;
beforeEach(async () => {
  cli = await createCliHarness();
});
afterEach(() => cli.cleanUp());

it("makes, maps, lists and revokes a client, and shows a token only once", async () => {
  const made = await cli.run(["clients", "create", "desk", "--json"]);
  const { client, token } = JSON.parse(made.stdout);
  expect(client).toMatchObject({ mapping: "unmapped", effectiveTools: ["session_status"] });
  expect(token).toMatch(/^spt_/);

  const mapped = await cli.run(["clients", "map", "desk", "--agent", "main", "--owner"]);
  expect(mapped.stdout).toContain("agent main, owner");
  expect(mapped.stdout).toContain("exec");

  const listed = await cli.run(["clients", "list", "--json"]);
  expect(listed.stdout).not.toContain(token);
  expect(JSON.parse(listed.stdout).clients).toMatchObject([
    { id: client.id, mapping: "mapped", isOwner: true },
  ]);

  expect((await cli.run(["clients", "revoke", client.id])).code).toBe(0);
  expect((await cli.run(["clients", "list"])).stdout).toBe("No clients.\n");
});

it("names an unknown client, and refuses a command that an agent runs", async () => {
  expect(await cli.run(["clients", "map", "nobody", "--agent", "main"])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("There is no client nobody"),
  });
  const refused = await cli.run(["clients", "create", "x"], { env: { SALLYPORT_EXEC_ID: "exec-1" } });
  expect(refused.code).toBe(1);
  expect((await cli.run(["clients", "list"])).stdout).toBe("No clients.\n");
});

async function configure(agents: string[]): Promise<void> {
  await mkdir(cli.stateDir, { recursive: true });
  const config = { agents: { list: agents.map((id) => ({ id })) } };
  await writeFile(path.join(cli.stateDir, "openclaw.json"), JSON.stringify(config));
}

it("maps a client to no agent that is not in the config", async () => {
  const unknown = { code: 1, stderr: expect.stringContaining("There is no agent nosuch. Agents: main.") };
  expect(await cli.run(["clients", "create", "porter", "--agent", "nosuch"])).toMatchObject(unknown);
  expect((await cli.run(["clients", "list"])).stdout).toBe("No clients.\n");
  await cli.run(["clients", "create", "porter"]);
  expect(await cli.run(["clients", "map", "porter", "--agent", "nosuch", "--owner"])).toMatchObject(unknown);
  expect((await cli.run(["clients", "map", "porter", "--agent", " "])).code).toBe(1);
  const listed = JSON.parse((await cli.run(["clients", "list", "--json"])).stdout).clients;
  expect(listed).toMatchObject([{ mapping: "unmapped", isOwner: false, effectiveTools: ["session_status"] }]);
});

it("keeps the id as the config does, and gives a client of an agent that has left no agent's tools", async () => {
  await configure(["main", "work"]);
  const made = await cli.run(["clients", "create", "porter", "--agent", "Work"]);
  expect(made.stdout).toContain("agent work\n");
  await configure(["main"]);
  const listed = await cli.run(["clients", "list"]);
  expect(listed.stdout).toContain("agent work is not in the config any more");
  expect(listed.stdout).toContain("  tools session_status\n");
  await configure(["main", "work"]);
  expect((await cli.run(["clients", "list"])).stdout).toContain("exec");
});

it("says with a new token how it is used and what comes next", async () => {
  const { stdout } = await cli.run(["clients", "create", "porter"]);
  const token = /^token (spt_\S+)$/m.exec(stdout)?.[1];
  expect(stdout).toContain(`Shown once.\nNo app runs: \`sallyport gateway status\` shows the address`);
  expect(stdout).toContain(`Authorization: Bearer ${token}\n`);
  expect(stdout).toMatch(/^Then: sallyport clients map porter-\w+ --agent main$/m);
});
