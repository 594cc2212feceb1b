/** Tricks with the environment and the folder of a command, each beside a benign twin that runs unasked. */
import { describe, expect, test } from "vitest";
import { decide, root } from "../../electron/runtime/exec/analysis/attackWorld.ts";
import { allExecHardening, buildHostEnv, type EvaluateExecInput } from "./index.ts";

/** Tricks that need another environment or folder than the usual one; the twin is the same command without them. */
const placed: [name: string, command: string, overrides: Partial<EvaluateExecInput>, reason: string][] = [
  [
    "PATH with a foreign folder in front",
    "foo x",
    { env: { PATH: `${root}/evil:${root}/bin`, HOME: root } },
    "allowlistMiss",
  ],
  [
    "PATH without the listed folder",
    "git log",
    { env: { PATH: `${root}/evil:${root}/tools`, HOME: root } },
    "programMissing",
  ],
  ["PATH that is relative", "foo y", { env: { PATH: "../bin:.", HOME: root } }, "programMissing"],
  ["PATH that is empty", "bar", { env: { PATH: "", HOME: root } }, "programMissing"],
  [
    "HOME that moves a tilde",
    "~/tools/one",
    { env: { PATH: `${root}/bin`, HOME: `${root}/evil` } },
    "programMissing",
  ],
  ["folder that moves a relative path", "./run.sh", { cwd: `${root}/evil` }, "programMissing"],
];

const injected: [name: string, trick: Record<string, string>, twin: Record<string, string>][] = [
  ["a library to preload", { LD_PRELOAD: "./x.so" }, { PRELOAD: "./x.so" }],
  ["a library by another case", { ld_audit: "./x.so" }, { audit: "./x.so" }],
  ["a library for macOS", { DYLD_INSERT_LIBRARIES: "x" }, { INSERT_LIBRARIES: "x" }],
  ["PATH itself", { PATH: "/tmp/evil" }, { MY_PATH: "/tmp/evil" }],
  ["a file that shells read", { BASH_ENV: "./x" }, { MY_ENV: "./x" }],
  ["a shell function", { "BASH_FUNC_foo%%": "() { other; }" }, { FUNC_foo: "() { other; }" }],
  ["options of node", { NODE_OPTIONS: "--require ./x.js" }, { NODE_ENV: "test" }],
  ["a module path of Python", { PYTHONPATH: "." }, { PYTHONUNBUFFERED: "1" }],
  ["a pager of git", { GIT_PAGER: "./x" }, { GIT_AUTHOR_NAME: "x" }],
  ["a config of git", { GIT_CONFIG_COUNT: "1" }, { GIT_AUTHOR_EMAIL: "x" }],
  ["a transport of git", { GIT_SSH_COMMAND: "./x" }, { MY_SSH_COMMAND: "./x" }],
  ["an editor", { EDITOR: "./x" }, { LANG: "C" }],
  ["a proxy", { HTTPS_PROXY: "http://evil" }, { TZ: "UTC" }],
  ["our own token", { OPENCLAW_GATEWAY_TOKEN: "x" }, { CI: "1" }],
  ["options of tar", { TAR_OPTIONS: "--checkpoint-action=exec=sh" }, { COLUMNS: "80" }],
  ["a name that is no name", { "A=B": "x" }, { A_B: "x" }],
];

describe("tricks by place and environment", () => {
  test.each(placed)("%s asks, without it the command runs", (_name, command, overrides, reason) => {
    const caught = decide(command, overrides);
    expect(caught.outcome, JSON.stringify(caught.reasons)).toBe("ask");
    expect(caught.reasons.map((one) => one.code)).toContain(reason);
    expect(decide(command, overrides, "off").outcome).toBe("deny");
    expect(decide(command).outcome).toBe("allow");
  });

  test.each(injected)("a call that sets %s is rejected whole and says which name", (_name, trick, twin) => {
    const base = { PATH: "/usr/bin:/bin", HOME: root };
    const [name = ""] = Object.keys(trick);
    const rejected = buildHostEnv(base, { ...twin, ...trick }, allExecHardening);
    expect(rejected.ok).toBe(false);
    expect(rejected.message?.toUpperCase()).toContain(name.toUpperCase());
    expect(buildHostEnv(base, twin, allExecHardening)).toMatchObject({ ok: true, env: { ...base, ...twin } });
  });
});
