import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { audioFacts } from "../../shared/speech/index.ts";
import { type CliHarness, createCliHarness } from "./testing/cliHarness.ts";

let cli: CliHarness;
beforeEach(async () => {
  cli = await createCliHarness();
});
afterEach(() => cli.cleanUp());

describe("sallyport tts", () => {
  it("shows and changes what counts, for all and for one conversation", async () => {
    expect(await cli.run(["tts", "status"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Reading aloud: off"),
    });
    await cli.run(["tts", "auto", "tagged"]);
    await cli.run(["tts", "auto", "always", "--session", "agent:main:x"]);
    await cli.run(["tts", "provider", "edge"]);
    const view = async (...args: string[]) =>
      JSON.parse((await cli.run(["tts", "status", "--json", ...args])).stdout) as Record<string, unknown>;
    expect(await view()).toMatchObject({ mode: "tagged", provider: "microsoft" });
    expect(await view("--session", "agent:main:x")).toMatchObject({ mode: "always", modeFrom: "session" });
    await cli.run(["tts", "provider", "auto"]);
    expect(await view()).toMatchObject({ provider: null });
  });

  it("refuses unknown words as wrong use", async () => {
    expect(await cli.run(["tts", "auto", "loud"])).toMatchObject({ code: 2 });
    expect(await cli.run(["tts", "provider", "nobody"])).toMatchObject({ code: 2 });
    expect(await cli.run(["tts", "say", "x"])).toMatchObject({ code: 2 });
  });

  it("leaves the choice of who gets the texts to people", async () => {
    const env = { SALLYPORT_EXEC_ID: "x" };
    for (const line of [
      ["provider", "microsoft"],
      ["auto", "always"],
    ]) {
      const run = await cli.run(["tts", ...line], { env });
      expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining("A command that an agent runs") });
    }
    const { stdout } = await cli.run(["tts", "status", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ mode: "off", provider: null });
  });

  it("leaves no file behind when nothing could be spoken", async () => {
    const run = await cli.run(["tts", "say", "x".repeat(5000), "--out", "long.wav"]);
    expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining("5000 characters") });
    await expect(stat(path.join(cli.homeDir, "long.wav"))).rejects.toMatchObject({ code: "ENOENT" });
  });

  it.skipIf(process.platform !== "linux")("says a text offline into a new private file", async () => {
    const out = path.join(cli.homeDir, "hello.wav");
    const run = await cli.run(["tts", "say", "--out", "hello.wav"], { stdin: "-w text from the input 你好" });
    expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining("Spoken by system") });
    expect(audioFacts(await readFile(out))?.format).toBe("wav");
    expect((await stat(out)).mode & 0o077).toBe(0);
    await mkdir(path.join(cli.homeDir, "sub"));
    await writeFile(path.join(cli.homeDir, "sub", "own.wav"), "mine");
    const again = await cli.run(["tts", "say", "hello", "--out", "sub/own.wav"]);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("cannot be written") });
    expect(await readFile(path.join(cli.homeDir, "sub", "own.wav"), "utf8")).toBe("mine");
  });
});
