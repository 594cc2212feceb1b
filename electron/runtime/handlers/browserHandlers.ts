/** The managed browsers over the contract: for the panel and for operators; events for those who look. */

import { ssrfPolicySchema } from "../../../shared/browser/configSchema.ts";
import { browserConfigOf, effectivePolicy, explainGuard } from "../../../shared/browser/index.ts";
import type {
  BrowserActResult,
  BrowserGuardSettings,
  BrowserOverview,
  BrowserTab,
  browserContract,
  Reason,
} from "../../../shared/contract/index.ts";
import { AppError } from "../../../shared/errors/index.ts";
import { clip } from "../../../shared/files/index.ts";
import { allHardening, type Hardening } from "../../../shared/hardening/index.ts";
import type { HandlerContext, Handlers } from "../../../shared/rpc/index.ts";
import type { BrowserGuard } from "../browser/guard/createGuardDesk.ts";
import type { BrowserService } from "../browser/service/browserService.ts";
import type { Screencasts } from "../browser/service/screencast.ts";
import type { Actor, ProfileAdmin } from "../browser/service/serviceTypes.ts";
import type { ConfigStore } from "../config/index.ts";

export interface BrowserHandlersDeps {
  service: BrowserService;
  admin: ProfileAdmin;
  guard: BrowserGuard;
  casts: Screencasts;
  config: ConfigStore;
  hardening(): Hardening;
  env: Readonly<Record<string, string | undefined>>;
  resolve(host: string): Promise<readonly string[]>;
  nowMs(): number;
  /** Why agents have no browser now, for programs and as a reason with a sentence; null when they have. */
  disabled(): { because: string; reason: Reason } | null;
  /** Writes an entry to the ledger (A19). */
  record(kind: string, by: string, data: Record<string, unknown>): void;
}

export interface BrowserDesk {
  handlers: Handlers<typeof browserContract>;
  overview(): BrowserOverview;
  tabs(): Promise<BrowserTab[]>;
}

export function createBrowserDesk(deps: BrowserHandlersDeps): BrowserDesk {
  const { service, admin, config } = deps;
  const saved = () => browserConfigOf(config.effective().config);

  const guardSettings = (): BrowserGuardSettings => {
    const policy = effectivePolicy(saved().ssrfPolicy);
    return {
      mode: policy.dangerouslyAllowPrivateNetwork === true ? "trusted" : "strict",
      hostnameAllowlist: policy.hostnameAllowlist ?? [],
      allowedHostnames: policy.allowedHostnames ?? [],
    };
  };
  const overview = (): BrowserOverview => ({
    disabledBecause: deps.disabled()?.because ?? null,
    disabledReason: deps.disabled()?.reason ?? null,
    evaluateEnabled: saved().evaluateEnabled !== false,
    asksBeforeActs: service.asksBeforeActs(),
    guard: guardSettings(),
    profiles: service
      .profileViews()
      .sort((a, b) => Number(b.isDefault) - Number(a.isDefault) || a.name.localeCompare(b.name)),
  });
  const tabNamed = async (profile: string, targetId: string): Promise<BrowserTab> => {
    const found = (await service.tabs(profile)).find((tab) => tab.targetId === targetId);
    if (found === undefined) throw new AppError("NOT_FOUND", "The tab was closed meanwhile.");
    return found;
  };

  const handlers: BrowserDesk["handlers"] = {
    "browser.profiles": () => overview(),
    "browser.start": ({ profile }, { signal }) => service.start(profile, signal),
    "browser.stop": async ({ profile }) => {
      const { stopped } = await service.stop(profile);
      return { stopped, profile: service.profileView(profile) };
    },
    "browser.createProfile": async (input, { principal }) => {
      await admin.create(input);
      deps.record("browser.profileCreated", principal.id, { name: input.name });
      return service.profileView(input.name);
    },
    "browser.deleteProfile": async ({ name }, { principal }) => {
      const { movedTo } = await admin.remove(name);
      deps.record("browser.profileDeleted", principal.id, { name, movedTo });
      return { name, movedTo };
    },
    "browser.resetProfile": async ({ name }, { principal }) => {
      const { movedTo } = await admin.reset(name);
      deps.record("browser.profileReset", principal.id, { name, movedTo });
      return { name, movedTo };
    },
    "browser.pause": ({ profile, paused }) => {
      service.pause(profile, paused);
      return service.profileView(profile);
    },
    "browser.tabs": async ({ profile }) => ({ tabs: await service.tabs(profile) }),
    "browser.open": async ({ profile, url }, context) => {
      const opened = await service.open({ profile, url }, personOf(context));
      return tabNamed(opened.profile, opened.targetId);
    },
    "browser.focus": async (choice, context) => {
      const { profile, targetId } = await service.focus(choice, personOf(context));
      return tabNamed(profile, targetId);
    },
    "browser.close": async (choice, context) => {
      await service.close(choice, personOf(context));
      return { closed: true };
    },
    "browser.navigate": async ({ url, history, ...choice }, context) => {
      if ((url === undefined) === (history === undefined)) {
        throw new AppError("INVALID_INPUT", "Give either an address or a step of the history.");
      }
      const to = url === undefined ? { history: history ?? "reload" } : { url };
      const done = await service.navigate({ ...choice, to }, personOf(context));
      return tabNamed(done.profile, done.targetId);
    },
    "browser.snapshot": async ({ profile, targetId, ...request }, context) => {
      const person = personOf(context);
      // Looking starts nothing.
      await service.tab({ profile, targetId });
      const { format, ...options } = request;
      const looked = await service.snapshot(
        { profile, targetId },
        { ...withoutUndefined(options), format, viewer: person.callerId },
        person,
      );
      const { snapshot } = looked;
      return {
        profile: looked.profile,
        targetId: looked.targetId,
        url: snapshot.url,
        title: snapshot.title,
        format: snapshot.format,
        text: snapshot.text,
        refs: [...snapshot.refs].map(([ref, info]) => ({
          ref,
          role: info.role,
          name: info.name ?? null,
          nth: info.nth ?? null,
        })),
        stats: snapshot.stats,
        extent: snapshot.extent,
        truncated: snapshot.truncated,
        more: snapshot.more,
        tokenEstimate: snapshot.tokenEstimate,
        documentId: snapshot.documentId,
        takenAtMs: deps.nowMs(),
      };
    },
    "browser.screenshot": async ({ profile, targetId, fullPage, ref, type, maxSide, withBoxes }, context) => {
      await service.tab({ profile, targetId });
      const shot = await service.screenshot(
        { profile, targetId },
        { fullPage: fullPage ?? false, ref, type, maxSide, withBoxes },
        personOf(context),
      );
      return {
        profile: shot.profile,
        targetId: shot.targetId,
        url: shot.url,
        title: shot.title,
        mimeType: shot.picture.mimeType,
        base64: shot.picture.bytes.toString("base64"),
        width: shot.picture.width,
        height: shot.picture.height,
        scale: shot.scale,
        boxes: shot.boxes,
        takenAtMs: deps.nowMs(),
      };
    },
    "browser.act": async ({ profile, targetId, request }, context): Promise<BrowserActResult> => {
      const done = await service.act({ profile, targetId }, request, personOf(context), { observe: "none" });
      return {
        targetId: done.targetId,
        url: done.url,
        title: done.title,
        message: done.performed.text,
        value: done.performed.value,
        events: done.events,
      };
    },
    "browser.input": async ({ profile, targetId, input }) => {
      await service.input({ profile, targetId }, input);
      return {};
    },
    "browser.records": async ({ profile, targetId, limit }) => {
      const tab = await service.tab({ profile, targetId });
      const newest = <T>(list: readonly T[]) => list.slice(-limit);
      return {
        profile: tab.profile,
        targetId: tab.targetId,
        console: newest(tab.records.list("console")),
        errors: newest(tab.records.list("errors")),
        requests: newest(tab.records.list("requests")),
        downloads: newest(tab.records.list("downloads")),
        dialogs: newest(tab.records.list("dialogs")),
      };
    },
    "browser.blocked": ({ profile }) => ({ blocked: deps.guard.blocked.list(profile) }),
    "browser.film": (filter) => ({ entries: service.film.list(filter) }),
    "browser.filmPictures": ({ ids }) => ({ pictures: service.film.pictures(ids) }),
    "browser.screencast.start": async ({ profile, targetId, ...request }, { connectionId }) =>
      deps.casts.start(await service.tab({ profile, targetId }), { ...request, connectionId }),
    "browser.screencast.stop": async ({ castId }, { connectionId }) => ({
      stopped: await deps.casts.stop(castId, connectionId),
    }),
    "browser.guard.explain": async ({ check, url, chain, ssrfPolicy, env, dns, preset }) => {
      const policy = ssrfPolicy === undefined ? { data: saved().ssrfPolicy } : readPolicy(ssrfPolicy);
      const answer = await explainGuard(
        { check, url, chain, ssrfPolicy: policy.data, env: env ?? deps.env },
        preset === undefined ? deps.hardening() : preset === "reference" ? new Set() : allHardening,
        dns === undefined ? deps.resolve : stubResolver(dns),
      );
      if (answer.verdict === "allow") return { verdict: "allowed" as const };
      return {
        verdict: "blocked" as const,
        kind: answer.kind ?? "blocked",
        message: clip(answer.message ?? "", 1000),
        url: clip(answer.url ?? "", 2000),
      };
    },
    "browser.setStrict": async ({ strict }, { principal }) => {
      const before = guardSettings();
      const { ssrfPolicy } = saved();
      const base = ["browser", "ssrfPolicy"];
      // Either key may be the one that opens the network; both have to agree with the person's word.
      const keys = ["dangerouslyAllowPrivateNetwork", "allowPrivateNetwork"] as const;
      const written = keys.filter((key) => ssrfPolicy?.[key] !== undefined);
      const edits = (written.length === 0 ? [keys[0]] : written).map((key) => ({
        op: "set" as const,
        path: [...base, key],
        value: !strict,
      }));
      await config.edit(edits);
      deps.record("browser.strictSet", principal.id, { before: before.mode, after: guardSettings().mode });
      return guardSettings();
    },
  };
  return { handlers, overview, tabs: () => service.tabs() };
}

/** A person at the panel or the terminal, from the connection and never from the parameters. */
function personOf({ principal, signal }: HandlerContext): Actor {
  return {
    kind: "person",
    label: principal.id,
    callerId: principal.id,
    agentId: null,
    sessionKey: null,
    toolCallId: null,
    signal,
  };
}

/** @throws AppError INVALID_INPUT that names the key */
function readPolicy(value: Record<string, unknown> | null) {
  if (value === null) return { data: null };
  const read = ssrfPolicySchema.safeParse(value);
  if (read.success) return { data: read.data };
  const issue = read.error.issues[0];
  throw new AppError(
    "INVALID_INPUT",
    `ssrfPolicy is not valid: ${issue?.path.join(".") ?? ""} ${issue?.message ?? ""}`,
  );
}

/** IP literals are themselves; names that are not listed do not exist. */
function stubResolver(dns: Record<string, string[]>): (host: string) => Promise<readonly string[]> {
  const answers = new Map(Object.entries(dns));
  return async (host) => {
    const found = answers.get(host);
    if (found === undefined) throw new Error(`getaddrinfo ENOTFOUND ${host}`);
    return found;
  };
}

function withoutUndefined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
