import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ledgerText } from "./commands/ledger.ts";
import { type CliHarness, createCliHarness } from "./testing/cliHarness.ts";

let cli: CliHarness;
beforeEach(async () => {
  cli = await createCliHarness();
});
afterEach(() => cli.cleanUp());

describe("the ledger from the terminal", () => {
  it("is exported oldest first, as lines or as a table, and verified", async () => {
    for (const pattern of ["/usr/bin/uname", "/usr/bin/df"])
      await cli.run(["approvals", "allowlist", "add", pattern]);
    const { stdout } = await cli.run(["ledger", "export"]);
    const entries = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(entries.map((entry) => [entry.seq, entry.kind])).toEqual([
      [1, "allowlist.added"],
      [2, "allowlist.added"],
    ]);
    const written = await cli.run(["ledger", "export", "--format", "csv", "--out", "ledger.csv"]);
    expect(written.stderr).toContain("Wrote 2 entries");
    const file = path.join(cli.homeDir, "ledger.csv");
    expect((await readFile(file, "utf8")).split("\r\n")).toHaveLength(4);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await cli.run(["ledger", "verify"])).toMatchObject({ code: 0, stdout: "2 entries, unbroken.\n" });
    expect((await cli.run(["ledger", "export", "--format", "xml"])).code).toBe(2);
  });

  it("gives a spreadsheet no formula and no stray line", () => {
    const entry = {
      seq: 1,
      atMs: 0,
      toolCallId: null,
      agentId: "=1+1",
      sessionKey: 'a"b\nc',
      callerId: "@x",
      hash: "h",
    };
    const text = ledgerText([{ ...entry, kind: "k", data: {} }], "csv");
    expect(text.split("\r\n")[1]).toBe(`1,1970-01-01T00:00:00.000Z,k,,'=1+1,"a""b\nc",'@x,{},h`);
  });
});
