import { describe, expect, it } from "vitest";
import { commandLineOf } from "./commandLine.ts";

describe("the command line of the packaged app", () => {
  it("passes a command on with everything behind it", () => {
    expect(commandLineOf(["/opt/sallyport", "--no-sandbox", "approvals", "get", "--json"], true)).toEqual([
      "approvals",
      "get",
      "--json",
    ]);
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
