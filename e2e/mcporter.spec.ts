/** The same job through a client that nobody here wrote: mcporter, over HTTP and over the stdio bridge. */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { cardOn, unlocked } from "./fixtures/card.ts";
import type { Desktop } from "./fixtures/desktop.ts";
import { cliEntry, rootDir } from "./fixtures/programs.ts";
import { run } from "./fixtures/run.ts";
import { expect, test } from "./fixtures/test.ts";

const mcporterEntry = path.join(rootDir, "node_modules", "mcporter", "dist", "cli.js");

/** A mcporter with one server in its config, on the test's own home. */
async function mcporterFor(desktop: Desktop, server: Record<string, unknown>) {
  const { place } = desktop;
  const config = path.join(place.workDir, "mcporter.json");
  await writeFile(config, JSON.stringify({ mcpServers: { sallyport: server }, imports: [] }));
  return (...args: string[]) =>
    run(process.execPath, [mcporterEntry, "--config", config, ...args], {
      env: place.env,
      cwd: place.workDir,
      timeoutMs: 45_000,
    });
}

async function showTheWholeJob(
  desktop: Desktop,
  mcporter: Awaited<ReturnType<typeof mcporterFor>>,
  clientId: string,
) {
  const { clients } = await desktop.operator.rpc.call("clients.list", {});
  const effective = clients.find((client) => client.id === clientId)?.effectiveTools ?? [];
  expect(effective).toEqual(expect.arrayContaining(["exec", "process"]));
  const list = await mcporter("list", "sallyport", "--json");
  const listed: { tools: { name: string }[] } = JSON.parse(list.stdout);
  expect(listed.tools.map((tool) => tool.name).sort()).toEqual([...effective].sort());

  const card = cardOn(desktop.panel);
  const allowed = mcporter(
    "call",
    "sallyport.exec",
    "--args",
    JSON.stringify({ command: "echo from mcporter" }),
  );
  await expect(card.root).toContainText("echo from mcporter");
  await unlocked(card);
  await card.allow.click();
  const { code, stdout } = await allowed;
  expect(stdout).toContain("from mcporter");
  expect(code).toBe(0);

  // Raw, because it prints the structured part alone otherwise.
  const never = JSON.stringify({ command: "echo never" });
  const denied = mcporter("call", "sallyport.exec", "--args", never, "--output", "raw");
  await card.deny.click();
  const refusal = await denied;
  expect(refusal.stdout + refusal.stderr).toMatch(/not executed/i);

  const hidden = await mcporter("call", "sallyport.browser", "--args", "{}");
  expect(hidden.stdout + hidden.stderr).toContain("Unknown tool: browser");
}

test("mcporter over HTTP lists exactly the effective tools, asks, and gets the output", async ({ start }) => {
  const { desktop, agent } = await start();
  const mcporter = await mcporterFor(desktop, {
    url: desktop.operator.mcpUrl,
    headers: { Authorization: `Bearer ${agent.token}` },
  });
  await showTheWholeJob(desktop, mcporter, agent.clientId);
});

test("mcporter over the stdio bridge does the same", async ({ newPlace, launch }) => {
  const desktop = await launch(await newPlace());
  // As the Clients view does it: the client exists and is mapped; the bridge takes its token over by name.
  const { client } = await desktop.operator.rpc.call("clients.create", { name: "mcporter", agentId: "main" });
  const mcporter = await mcporterFor(desktop, {
    command: process.execPath,
    args: [cliEntry, "mcp", "--client", "mcporter"],
    env: { HOME: desktop.place.homeDir, OPENCLAW_STATE_DIR: desktop.place.stateDir },
  });
  await showTheWholeJob(desktop, mcporter, client.id);
});

test("a bridge that nobody mapped sees what the profile minimal names, and the panel shows it as new", async ({
  newPlace,
  launch,
}) => {
  const desktop = await launch(await newPlace());
  const mcporter = await mcporterFor(desktop, {
    command: process.execPath,
    args: [cliEntry, "mcp", "--client", "newcomer"],
    env: { HOME: desktop.place.homeDir, OPENCLAW_STATE_DIR: desktop.place.stateDir },
  });
  const list = await mcporter("list", "sallyport", "--json");
  const listed: { tools: { name: string }[] } = JSON.parse(list.stdout);
  expect(listed.tools.map((tool) => tool.name)).toEqual(["session_status"]);
  await desktop.open("/clients");
  await expect(desktop.panel.getByText("newcomer").first()).toBeVisible();
  await expect(desktop.panel.getByText("new, on minimal").first()).toBeVisible();
});
