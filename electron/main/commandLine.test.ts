import { afterEach, describe, expect, it } from "vitest";
import { type CliHarness, createCliHarness } from "../cli/testing/cliHarness.ts";
import { commandLineOf } from "./commandLine.ts";

let cli: CliHarness | null = null;
afterEach(() => cli?.cleanUp());

describe("the command line of the packaged app", () => {
  it("passes a command on with everything behind it", () => {
    expect(commandLineOf(["/opt/sallyport", "--no-sandbox", "approvals", "get", "--json"], true)).toEqual([
      "approvals",
      "get",
      "--json",
    ]);
  });

  it("knows every command that there is", async () => {
    cli = await createCliHarness();
    const { stdout } = await cli.run(["--help"]);
    const listed = stdout.slice(stdout.indexOf("Commands:"));
    const names = [...listed.matchAll(/^ {2}([a-z|-]+)/gm)].flatMap(([, name = ""]) => name.split("|"));
    expect(names.length).toBeGreaterThan(10);
    for (const name of names) expect(commandLineOf(["/opt/sallyport", name, "x"], true)).toEqual([name, "x"]);
  });

  it("answers --version and --help without a window", () => {
    expect(commandLineOf(["/opt/sallyport", "--no-sandbox", "--version"], true)).toEqual(["--version"]);
    expect(commandLineOf(["electron", ".", "--help"], false)).toEqual(["--help"]);
    expect(commandLineOf(["electron", "--no-sandbox", ".", "--version"], false)).toEqual(["--version"]);
  });

  it("opens the app for anything else", () => {
    expect(commandLineOf(["/opt/sallyport", "--no-sandbox"], true)).toBeNull();
    expect(commandLineOf(["electron", "."], false)).toBeNull();
    expect(commandLineOf(["electron", "--no-sandbox", "--inspect=0", "."], false)).toBeNull();
    expect(commandLineOf(["/opt/sallyport", "file.json5", "--version"], true)).toBeNull();
  });
});
