/** `sallyport clients` on the files, as on a machine without a window. */

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
