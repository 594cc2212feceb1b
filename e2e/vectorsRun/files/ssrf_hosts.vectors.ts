/** files.json: which hosts are refused by name or literal alone. */
import { describe, expect, test } from "vitest";
import { checkHost } from "../../../shared/web/index.ts";
import { readWebVectors } from "./webCases.ts";

describe("ssrf_hosts", () => {
  test.each(readWebVectors().ssrf_hosts.map((one) => [one.id, one] as const))("%s", (_id, one) => {
    expect(!checkHost(one.host).ok, one.host).toBe(one.blocked);
  });
});
