import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Writable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { installFolder, readInstalled } from "./installedFolder.mjs";
import { withLock } from "./lock.mjs";
import { checkNodeVersion } from "./nodeVersion.mjs";
import { npmEnvironment, whyInstallPackages } from "./packages.mjs";
import { findChromium, findProgram, hasDisplay } from "./programs.mjs";
import { createProgress } from "./progress.mjs";
import { runCommand } from "./runCommand.mjs";

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), "sallyport-setup-"));
});

afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

describe("the Node version", () => {
  it("passes from 20.19 on", () => {
    for (const version of ["20.19.0", "20.20.2", "22.0.0", "26.1.0"]) checkNodeVersion(version);
  });

  it("is refused below, with what to do", () => {
    for (const version of ["18.20.0", "20.18.1"]) expect(() => checkNodeVersion(version)).toThrow(/20\.19/);
  });
});

describe("packages", () => {
  const lock = (version: string) => JSON.stringify({ packages: { "": {}, "node_modules/a": { version } } });
  const write = (name: string, text: string) => {
    mkdirSync(path.dirname(path.join(dir, name)), { recursive: true });
    writeFileSync(path.join(dir, name), text);
  };

  it("are to be installed when there are none, when npm did not finish, and when the terminal is not built", async () => {
    write("package-lock.json", lock("1.0.0"));
    expect(await whyInstallPackages(dir)).toContain("no packages");
    write("node_modules/a/package.json", "{}");
    expect(await whyInstallPackages(dir)).toContain("node-pty");
    write("node_modules/node-pty/build/Release/pty.node", "");
    expect(await whyInstallPackages(dir)).toContain("package-lock.json");
  });

  it("are left alone when npm finished by hand, and installed again when the lock file changes", async () => {
    write("package-lock.json", lock("1.0.0"));
    write("node_modules/node-pty/build/Release/pty.node", "");
    write("node_modules/.package-lock.json", lock("1.0.0"));
    expect(await whyInstallPackages(dir)).toBeNull();
    expect(existsSync(path.join(dir, "node_modules", ".sallyport"))).toBe(true);
    write("package-lock.json", lock("1.0.1"));
    expect(await whyInstallPackages(dir)).toContain("package-lock.json");
  });

  it("compile against the headers of the running Node, but never override the person's choice", () => {
    write("include/node/node_api.h", "");
    const node = path.join(dir, "bin", "node");
    expect(npmEnvironment({}, node)).toEqual({ npm_config_nodedir: dir });
    expect(npmEnvironment({ npm_config_nodedir: "/own" }, node)).toEqual({ npm_config_nodedir: "/own" });
    expect(npmEnvironment({}, "/nowhere/bin/node")).toEqual({});
  });
});

describe("a folder that is installed", () => {
  it("appears whole, with what was recorded about it", async () => {
    const target = path.join(dir, "thing");
    await installFolder(target, { version: "1" }, async (temporary: string) => {
      writeFileSync(path.join(temporary, "file"), "new");
    });
    expect(await readInstalled(target)).toEqual({ version: "1" });
  });

  it("stays as it was when filling it anew breaks off", async () => {
    const target = path.join(dir, "thing");
    await installFolder(target, { version: "1" }, async () => {});
    const broken = installFolder(target, { version: "2" }, async () => {
      throw new Error("broken off");
    });
    await expect(broken).rejects.toThrow("broken off");
    expect(await readInstalled(target)).toEqual({ version: "1" });
    expect(readdirSync(dir)).toEqual(["thing"]);
  });
});

describe("the lock", () => {
  it("lets one work at a time", async () => {
    const order: string[] = [];
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const first = withLock(
      "w",
      () => {},
      () => held.then(() => order.push("first")),
      dir,
    );
    await expect.poll(() => existsSync(path.join(dir, "w.lock"))).toBe(true);
    const said: string[] = [];
    const second = withLock(
      "w",
      (line: string) => said.push(line),
      async () => order.push("second"),
      dir,
    );
    await expect.poll(() => said).toHaveLength(1);
    release();
    await Promise.all([first, second]);
    expect(order).toEqual(["first", "second"]);
  });

  it("is taken over from a process that is gone, and given back after an error", async () => {
    const gone = spawnSync(process.execPath, ["-e", ""]).pid;
    writeFileSync(path.join(dir, "w.lock"), String(gone));
    const work = withLock(
      "w",
      () => {},
      async () => {
        throw new Error("failed");
      },
      dir,
    );
    await expect(work).rejects.toThrow("failed");
    expect(readdirSync(dir)).toEqual([]);
  });
});

describe("progress", () => {
  it("is never silent while a step runs", async () => {
    const lines: string[] = [];
    const out = new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk));
        done();
      },
    });
    await createProgress(out, 10).step("Working", async (detail: (text: string) => void) => {
      detail("half");
      await expect.poll(() => lines.some((line) => /Working: .* s, half/.test(line))).toBe(true);
    });
    expect(lines[0]).toBe("• Working …\n");
    expect(lines.at(-1)).toMatch(/^✓ Working \(/);
  });
});

describe("programs", () => {
  it("are found in PATH only when they can be run", () => {
    writeFileSync(path.join(dir, "tool"), "", { mode: 0o644 });
    expect(findProgram("tool", { PATH: dir })).toBeNull();
    writeFileSync(path.join(dir, "chromium"), "", { mode: 0o755 });
    expect(findChromium({ PATH: dir })).toBe(path.join(dir, "chromium"));
  });

  it.runIf(process.platform === "linux")("need a display for windows", () => {
    expect(hasDisplay({})).toBe(false);
    expect(hasDisplay({ DISPLAY: "" })).toBe(false);
    expect(hasDisplay({ WAYLAND_DISPLAY: "wayland-0" })).toBe(true);
  });

  it("that cannot be started are a result, not an exception", async () => {
    const result = await runCommand(path.join(dir, "absent"), []);
    expect(result.exitCode).toBeNull();
    expect(result.output).toContain("ENOENT");
  });

  it("get their input and give their lines", async () => {
    const seen: string[] = [];
    const script = "process.stdin.pipe(process.stdout)";
    const onLine = (line: string) => seen.push(line);
    expect(await runCommand(process.execPath, ["-e", script], { input: "a\nb", onLine })).toMatchObject({
      exitCode: 0,
      stdout: "a\nb",
    });
    expect(seen).toEqual(["a", "b"]);
  });
});
