import { describe, expect, it } from "vitest";
import { checkHost, checkUrl, isPublicAddress, strictAddresses } from "./index.ts";

const kindOf = (url: string) => {
  const verdict = checkUrl(url, strictAddresses);
  return verdict.ok ? "ok" : verdict.kind;
};

describe("addresses that pages may be loaded from", () => {
  it.each([
    ["https://example.com/a?b=c", "ok"],
    ["http://8.8.8.8:8080/", "ok"],
    ["http://[2606:4700::1111]/", "ok"],
    ["https://例え.jp/", "ok"],
    ["http://127.0.0.1/", "private_address"],
    ["http://2130706433/", "private_address"],
    ["http://0x7f000001/", "private_address"],
    ["http://0x7f.1/", "private_address"],
    ["http://0177.0.0.1/", "private_address"],
    ["http://127.1/", "private_address"],
    ["http://１２７.0.0.1/", "private_address"],
    ["http://127.0.0.1./", "private_address"],
    ["http://①②⑦.⓪.⓪.①/", "private_address"],
    ["http://[::1]/", "private_address"],
    ["http://[::ffff:127.0.0.1]/", "private_address"],
    ["http://[::ffff:a9fe:a9fe]/", "private_address"],
    ["http://[::127.0.0.1]/", "private_address"],
    ["http://[64:ff9b::7f00:1]/", "private_address"],
    ["http://[64:ff9b:1::7f00:1]/", "private_address"],
    ["http://[2002:7f00:1::]/", "private_address"],
    ["http://[2001:0:7f00:1::]/", "private_address"],
    ["http://[2001:470::5efe:a00:1]/", "private_address"],
    ["http://[fc00::1]/", "private_address"],
    ["http://[fec0::1]/", "private_address"],
    ["http://[3fff::1]/", "private_address"],
    ["http://169.254.169.254/latest/meta-data/", "private_address"],
    ["http://100.64.0.1/", "private_address"],
    ["http://192.0.0.8/", "private_address"],
    ["http://255.255.255.255/", "private_address"],
    ["http://LOCALHOST./", "local_name"],
    ["http://a.localhost/", "local_name"],
    ["http://metadata.google.internal/", "local_name"],
    ["http://printer.local/", "local_name"],
    ["http://user:secret@example.com/", "credentials"],
    ["http://user@example.com/", "credentials"],
    ["ftp://example.com/", "scheme"],
    ["file:///etc/passwd", "scheme"],
    ["data:text/html,hi", "scheme"],
    ["javascript:alert(1)", "scheme"],
    ["gopher://example.com/", "scheme"],
    ["example.com", "bad_url"],
    ["http://", "bad_url"],
    ["http://256.256.256.256/", "bad_url"],
    ["http://a..b/", "malformed"],
    [`http://example.com/${"a".repeat(9000)}`, "bad_url"],
  ])("%s: %s", (url, kind) => expect(kindOf(url)).toBe(kind));

  it("drops the fragment, which is nobody's business but the reader's", () => {
    const verdict = checkUrl("https://example.com/a#secret", strictAddresses);
    expect(verdict.ok && verdict.url.href).toBe("https://example.com/a");
  });

  it("takes embedded public addresses, which networks without IPv4 depend on", () => {
    expect(isPublicAddress("64:ff9b::808:808")).toBe(true);
    expect(isPublicAddress("::ffff:8.8.8.8")).toBe(true);
    expect(isPublicAddress("2002:808:808::1")).toBe(true);
  });

  it("refuses what is no plain address in a resolver's answer", () => {
    for (const text of ["", "fe80::1%eth0", "127.1", "0x7f000001", "010.0.0.1", "example.com"]) {
      expect(isPublicAddress(text), text).toBe(false);
    }
  });

  it("judges names that mean something to JavaScript like any other", () => {
    for (const host of ["constructor", "__proto__", "tostring.example"])
      expect(checkHost(host).ok).toBe(true);
  });
});
