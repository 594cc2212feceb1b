import { describe, expect, test } from "vitest";
import { allExecHardening, buildHostEnv } from "./index.ts";

describe("the environment of a command", () => {
  test("never holds the secret of operators, in any spelling", () => {
    const base = {
      OPENCLAW_GATEWAY_TOKEN: "secret-1",
      openclaw_gateway_token: "secret-2",
      OPENCLAW_GATEWAY_PASSWORD: "secret-3",
      PATH: "/usr/bin",
    };
    const { env } = buildHostEnv(base, {}, allExecHardening);
    expect(JSON.stringify(env)).not.toContain("secret");
    expect(env.PATH).toBe("/usr/bin");
  });

  // An allowed program with such a variable runs another one, loads code, or writes where the call says.
  test.each([
    "GIT_COMMON_DIR",
    "GIT_TRACE",
    "GIT_TRACE2_EVENT",
    "GIT_TRACE_PACKET",
    "RSYNC_CONNECT_PROG",
    "SSH_SK_HELPER",
    "SSH_PKCS11_HELPER",
    "OPENSSL_MODULES",
    "NODE_COMPILE_CACHE",
    "NODE_REDIRECT_WARNINGS",
    "GOCACHEPROG",
    "PKG_CONFIG",
    "GCC_EXEC_PREFIX",
    "CCACHE_PREFIX",
    "CMAKE_CXX_COMPILER_LAUNCHER",
    "RUSTC_WORKSPACE_WRAPPER",
    "YARN_YARN_PATH",
    "AWS_PAGER",
    "SYSTEM_WGETRC",
    "git_common_dir",
  ])("is not changed by a call that sets %s", (name) => {
    const result = buildHostEnv({ PATH: "/usr/bin" }, { [name]: "/tmp/x" }, allExecHardening);
    expect(result.ok).toBe(false);
    expect(result.blocked).toEqual([name.toUpperCase()]);
  });

  test.each(["LANG", "LC_ALL", "TZ", "CI", "NODE_ENV", "DEBUG", "NO_COLOR", "PORT", "GIT_AUTHOR_NAME"])(
    "takes %s, which only says how",
    (name) => {
      expect(buildHostEnv({}, { [name]: "x" }, allExecHardening).ok).toBe(true);
    },
  );
});
