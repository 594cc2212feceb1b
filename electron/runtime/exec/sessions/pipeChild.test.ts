import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createPipeHost } from "./pipeChild.ts";
import { testEnv, until } from "./testSupport.ts";
import type { ArgvCommand, ChainLink, ChildExit, RunPlan } from "./types.ts";

const host = createPipeHost();

function findProgram(name: string): string {
  const found = (testEnv.PATH ?? "").split(":").find((directory) => existsSync(`${directory}/${name}`));
  if (found === undefined) throw new Error(`The test needs ${name}`);
  return `${found}/${name}`;
}

function command(name: string, ...args: string[]): ArgvCommand {
  return { file: findProgram(name), argv: [name, ...args] };
}

const sh = (text: string): ArgvCommand => command("sh", "-c", text);

async function run(
  plan: RunPlan,
  beforeLink?: (index: number) => Promise<void>,
): Promise<{ stdout: string; stderr: string; exit: ChildExit }> {
  const child = host.start(plan, { cwd: process.cwd(), env: testEnv, stdin: "closed", beforeLink });
  const output = { stdout: "", stderr: "" };
  child.onData((stream, chunk) => {
    output[stream] += chunk.toString();
  });
  let exit: ChildExit | null = null;
  child.onExit((value) => {
    exit = value;
  });
  await new Promise<void>((resolve) => child.onClose(resolve));
  if (exit === null) throw new Error("Closed without an exit");
  return { ...output, exit };
}

function chain(...links: ChainLink[]): RunPlan {
  return { kind: "argv", chain: links };
}
const link = (op: ChainLink["op"], ...pipeline: ArgvCommand[]): ChainLink => ({ op, pipeline });

describe("an argument vector without a shell", () => {
  it("passes words literally, empty ones included", async () => {
    const plan = chain(link(null, command("printf", "[%s]", "$HOME", "*", "", "a b", "'", ";")));
    expect((await run(plan)).stdout).toBe("[$HOME][*][][a b]['][;]");
  });

  it("gives the program the name of argv[0] and its own environment", async () => {
    const plan = chain(
      link(null, {
        file: findProgram("sh"),
        argv: ["other-name", "-c", 'echo "$0 $EXTRA"'],
        env: { EXTRA: "1" },
      }),
    );
    expect((await run(plan)).stdout).toBe("other-name 1\n");
  });

  it("connects programs by pipes and takes the exit code of the last", async () => {
    const plan = chain(link(null, sh("printf 'b\\na\\n'; exit 9"), command("sort"), sh("cat; exit 5")));
    expect(await run(plan)).toMatchObject({ stdout: "a\nb\n", exit: { kind: "exited", exitCode: 5 } });
  });

  it("ends a writer whose reader left", async () => {
    const plan = chain(link(null, command("yes"), command("head", "-n", "2")));
    expect(await run(plan)).toMatchObject({ stdout: "y\ny\n", exit: { exitCode: 0 } });
  });

  it("loses nothing of a large stream between programs", async () => {
    const plan = chain(
      link(null, command("head", "-c", "30000000", "/dev/zero"), command("cat"), command("wc", "-c")),
    );
    expect((await run(plan)).stdout.trim()).toBe("30000000");
  });

  it("collects stderr of every member", async () => {
    const plan = chain(link(null, sh("echo one >&2"), sh("cat; echo two >&2")));
    expect((await run(plan)).stderr.split("\n").sort()).toEqual(["", "one", "two"]);
  });

  it("goes on like a shell when a member cannot be started", async () => {
    const missing: ArgvCommand = { file: "/no/such/program", argv: ["program"] };
    const first = await run(chain(link(null, missing, command("wc", "-c"))));
    expect(first).toMatchObject({ exit: { kind: "exited", exitCode: 0 } });
    expect(first.stdout.trim()).toBe("0");
    expect(first.stderr).toContain("/no/such/program: no such program");
    const last = await run(chain(link(null, sh("echo x"), missing)));
    expect(last.exit).toMatchObject({ kind: "spawnFailed", exitCode: 127 });
  });
});

describe("a chain", () => {
  const say = (text: string) => command("echo", text);
  it.each([
    ["false && a || b", [link(null, command("false")), link("&&", say("a")), link("||", say("b"))], "b\n", 0],
    ["true || a && b", [link(null, command("true")), link("||", say("a")), link("&&", say("b"))], "b\n", 0],
    ["false ; a", [link(null, command("false")), link(";", say("a"))], "a\n", 0],
    ["a && false", [link(null, say("a")), link("&&", command("false"))], "a\n", 1],
    ["false && a", [link(null, command("false")), link("&&", say("a"))], "", 1],
    ["exit 3 | true && a", [link(null, sh("exit 3"), command("true")), link("&&", say("a"))], "a\n", 0],
    ["missing || a", [link(null, { file: "/no/such", argv: ["x"] }), link("||", say("a"))], "a\n", 0],
  ])("%s", async (_title, links, stdout, exitCode) => {
    expect(await run(chain(...links))).toMatchObject({ stdout, exit: { kind: "exited", exitCode } });
  });

  it("asks before each further link and stops with 126 when refused", async () => {
    const asked: number[] = [];
    const result = await run(
      chain(link(null, say("a")), link(";", say("b")), link(";", say("c"))),
      (index) => {
        asked.push(index);
        return index === 2 ? Promise.reject(new Error("c changed")) : Promise.resolve();
      },
    );
    expect(asked).toEqual([1, 2]);
    expect(result).toMatchObject({ stdout: "a\nb\n", stderr: "c changed\n", exit: { exitCode: 126 } });
  });

  it("starts nothing further when told to stop", async () => {
    const child = host.start(chain(link(null, command("sleep", "30")), link(";", say("never"))), {
      cwd: process.cwd(),
      env: testEnv,
      stdin: "closed",
    });
    let output = "";
    child.onData((_stream, chunk) => {
      output += chunk.toString();
    });
    let isClosed = false;
    child.onClose(() => {
      isClosed = true;
    });
    child.stopAdvancing();
    for (const pid of child.livePids()) process.kill(-pid, "SIGKILL");
    await until("close", () => isClosed);
    expect(output).toBe("");
  });
});
