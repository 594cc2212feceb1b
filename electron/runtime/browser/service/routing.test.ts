/** Where calls go, by target and by what the sandbox of the session may. */

import { describe, expect, it } from "vitest";
import { allHardening } from "../../../../shared/hardening/index.ts";
import type { BrowserProfile } from "../browserTypes.ts";
import { sandboxBrowserSettingsOf } from "../profiles/sandboxBrowsers.ts";
import { type Route, type RouteContext, routeCall } from "./routing.ts";

const profile = (kind: BrowserProfile["kind"]) => ({ name: kind, kind }) as BrowserProfile;
const context = (part: Partial<RouteContext>): RouteContext => ({
  config: {},
  hardening: allHardening,
  isSandboxed: true,
  sandbox: { isEnabled: true, allowsHost: false },
  profile: profile("managed"),
  ...part,
});
const off = { isEnabled: false, allowsHost: false };
const open = { isEnabled: false, allowsHost: true };

describe("routeCall", () => {
  it.each<[string, Route, Partial<RouteContext>, "host" | "sandbox"]>([
    ["a plain session", {}, { isSandboxed: false }, "host"],
    ["a plain session that names the host", { target: "host" }, { isSandboxed: false }, "host"],
    ["a sandbox with a browser", {}, {}, "sandbox"],
    ["a sandbox with a browser, named", { target: "sandbox" }, {}, "sandbox"],
    ["a sandbox that may use the host", { target: "host" }, { sandbox: open }, "host"],
    ["a sandbox without a browser that may use the host", {}, { sandbox: open }, "host"],
    [
      "the person's browser from a sandbox that may",
      {},
      { profile: profile("existing"), sandbox: { isEnabled: true, allowsHost: true } },
      "host",
    ],
    ["as the reference: a sandbox without a browser", {}, { sandbox: off, hardening: new Set() }, "host"],
  ])("%s", (_name, route, part, where) => {
    expect(routeCall(route, context(part))).toBe(where);
  });

  it.each<[string, Route, Partial<RouteContext>, RegExp]>([
    ["the host from a sandbox", { target: "host" }, {}, /allowHostControl/],
    ["the host from a sandbox, not named", {}, { sandbox: off }, /allowHostControl/],
    [
      "as the reference: the host by name",
      { target: "host" },
      { sandbox: off, hardening: new Set() },
      /allowHostControl/,
    ],
    ["the person's browser from a sandbox", {}, { profile: profile("existing") }, /allowHostControl/],
    ["a sandbox without a browser", { target: "sandbox" }, { sandbox: off }, /sandbox\.browser\.enabled/],
    [
      "a sandbox that there is not",
      { target: "sandbox" },
      { isSandboxed: false },
      /sandbox\.browser\.enabled/,
    ],
    ["a node", { target: "node" }, {}, /No node/],
    ["a node with another target", { target: "host", node: "n" }, {}, /goes with target "node"/],
  ])("refuses %s", (_name, route, part, message) => {
    expect(() => routeCall(route, context(part))).toThrow(message);
  });
});

describe("sandboxBrowserSettingsOf", () => {
  const config = (own: object, scope = "agent") => ({
    agents: {
      defaults: { sandbox: { scope, browser: { enabled: true, allowHostControl: true } } },
      list: [{ id: "Writer", sandbox: { browser: own } }],
    },
  });
  it("takes the defaults, and the agent's own keys over them", () => {
    expect(sandboxBrowserSettingsOf({}, "main")).toEqual(off);
    expect(sandboxBrowserSettingsOf(config({}), "writer")).toEqual({ isEnabled: true, allowsHost: true });
    expect(sandboxBrowserSettingsOf(config({ allowHostControl: false }), "writer")).toEqual({
      isEnabled: true,
      allowsHost: false,
    });
    expect(sandboxBrowserSettingsOf(config({ enabled: false }), "main").isEnabled).toBe(true);
  });
  it("takes the defaults alone where all agents share one sandbox", () => {
    expect(sandboxBrowserSettingsOf(config({ enabled: false }, "shared"), "writer").isEnabled).toBe(true);
  });
});
