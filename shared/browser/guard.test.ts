import { describe, expect, test } from "vitest";
import { allBrowserHardening, explainGuard, type GuardQuestion, isSpecialAddress } from "./index.ts";

const strict = { allowPrivateNetwork: false };
const reference: ReadonlySet<string> = new Set();

const ask = (
  question: Partial<GuardQuestion>,
  hardening = allBrowserHardening,
  addresses = ["93.184.215.14"],
) =>
  explainGuard(
    { check: "before-navigation", ssrfPolicy: strict, ...question },
    hardening,
    async () => addresses,
  );

describe("the guard of the product", () => {
  test.each([
    "http://192.175.48.1/",
    "http://[2001:3::1]/",
    "http://[5f00::1]/",
    "http://[64:ff9b:1::5db8:d70e]/",
  ])("%s is special, and passes on the reference alone", async (url) => {
    const address = new URL(url).hostname.replace(/^\[|\]$/g, "");
    expect(await ask({ url }, allBrowserHardening, [address])).toMatchObject({ verdict: "block" });
    expect(await ask({ url }, reference, [address])).toMatchObject({ verdict: "allow" });
  });

  test.each(["http://93.184.215.14/", "https://[2606:4700:4700::1111]/"])(
    "%s passes on both",
    async (url) => {
      const address = new URL(url).hostname.replace(/^\[|\]$/g, "");
      for (const hardening of [allBrowserHardening, reference])
        expect(await ask({ url }, hardening, [address])).toMatchObject({ verdict: "allow", kind: null });
    },
  );

  test("one private address among public ones is enough", async () => {
    expect(
      await ask({ url: "http://a.test/" }, reference, ["93.184.215.14", "::ffff:10.0.0.1"]),
    ).toMatchObject({
      kind: "resolves-to-private",
      url: "http://a.test/",
    });
  });

  test("a proxy in the environment closes a strict policy, blank ones and other policies aside", async () => {
    for (const name of ["HTTP_PROXY", "https_proxy", "All_Proxy"])
      expect(await ask({ url: "http://a.test/", env: { [name]: "http://p:1" } })).toMatchObject({
        kind: "proxy-env-strict",
      });
    expect(await ask({ url: "http://a.test/", env: { HTTP_PROXY: " " } })).toMatchObject({
      verdict: "allow",
    });
    expect(await ask({ url: "http://a.test/", env: { NO_PROXY: "x" } })).toMatchObject({ verdict: "allow" });
    const open = await ask({ url: "http://a.test/", ssrfPolicy: null, env: { HTTP_PROXY: "http://p:1" } });
    expect(open).toMatchObject({ verdict: "allow", holdsEveryRequest: false });
  });

  test("says whether requests are held one by one", async () => {
    expect((await ask({ url: "http://a.test/" })).holdsEveryRequest).toBe(true);
    expect((await ask({ url: "http://a.test/" }, reference)).holdsEveryRequest).toBe(false);
    const listed = { hostnameAllowlist: ["*.test"] };
    expect((await ask({ url: "http://a.test/", ssrfPolicy: listed })).holdsEveryRequest).toBe(true);
  });

  test("names of objects are names like any other", async () => {
    const ssrfPolicy = { ...strict, hostnameAllowlist: ["constructor"], allowedHostnames: ["__proto__"] };
    expect(await ask({ url: "http://constructor/", ssrfPolicy })).toMatchObject({ verdict: "allow" });
    expect(await ask({ url: "http://tostring/", ssrfPolicy })).toMatchObject({
      kind: "hostname-not-in-allowlist",
    });
  });
});

test.each([
  "",
  "nonsense",
  "fe80::1%eth0",
  "::",
  "::1",
  "::ffff:7f00:1",
  "2002:7f00:1::",
  "2001:0:1:2:3:4:80ff:fffe",
])("%j is special", (address) => {
  expect(isSpecialAddress(address)).toBe(true);
});
