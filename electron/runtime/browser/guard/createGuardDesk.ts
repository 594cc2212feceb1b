/** The guard of all profiles: chooses how each is held, and keeps the feed of what was refused. */

import { browserConfigOf, type GuardContext, holdsRequests } from "../../../../shared/browser/index.ts";
import type { Hardening } from "../../../../shared/hardening/index.ts";
import type { Clock } from "../../clock.ts";
import type { ConfigStore } from "../../config/index.ts";
import type { Logger } from "../../logging/logger.ts";
import { type HostResolver, systemResolver } from "../../net/hostResolver.ts";
import type { BrowserConnection, BrowserProfile, GuardVerdict } from "../browserTypes.ts";
import { type BlockedFeed, createBlockedFeed } from "./blockedFeed.ts";
import { type Dial, startFilterProxy } from "./filterProxy.ts";
import { holdArrivals } from "./holdArrivals.ts";
import { type Interception, interceptRequests, socketlessPage } from "./intercept.ts";
import type { GuardDesk, ProfileGuard } from "./profileGuard.ts";
import { logIntoProxy } from "./proxyLogin.ts";
import { contextOf, createRequestGuard } from "./requestGuard.ts";

/** A browser that lost the credentials of its proxy is told them again at most this often. */
const loginAgainEveryMs = 10_000;

export interface BrowserGuard extends GuardDesk {
  /** Before an address is opened in any profile. */
  judgeNavigation(url: string): Promise<GuardVerdict>;
  /** Where a navigation led, address by address. */
  judgeArrival(url: string): Promise<GuardVerdict>;
  blocked: Pick<BlockedFeed, "list" | "onBlocked">;
  dispose(): void;
}

export interface BrowserGuardDeps {
  config: ConfigStore;
  /** The environment that browsers are started with. */
  env: Readonly<Record<string, string | undefined>>;
  hardening(): Hardening;
  clock: Clock;
  logger: Logger;
  resolve?: HostResolver;
  /** How the filtering proxies connect; directly by default. */
  dial?: Dial;
}

export function createBrowserGuard(deps: BrowserGuardDeps): BrowserGuard {
  const { logger } = deps;
  const resolve = deps.resolve ?? systemResolver;
  const feed = createBlockedFeed({ clock: deps.clock, logger });
  const context = (): GuardContext =>
    contextOf(browserConfigOf(deps.config.effective().config).ssrfPolicy, deps.env, deps.hardening());
  const guardOf = (profile: string) => createRequestGuard({ profile, context, resolve, feed });
  const outside = guardOf("");

  const modeFor = ({ kind, attachOnly }: BrowserProfile): BrowserConnection["guardedBy"] => {
    const now = context();
    if (!now.hardening.has("browser.guardEveryRequest") || !holdsRequests(now.policy)) return "none";
    return kind === "managed" && !attachOnly ? "proxy" : "interception";
  };

  return {
    modeFor,
    async open(profile): Promise<ProfileGuard> {
      const guardedBy = modeFor(profile);
      const guard = guardOf(profile.name);
      const never = new Promise<string>(() => {});
      if (guardedBy === "none")
        return {
          guardedBy,
          proxyUrl: null,
          beforeAttach: async () => {},
          onAttached: async () => {},
          lost: never,
          dispose: async () => {},
        };
      const onAttached: ProfileGuard["onAttached"] = async (contexts) => {
        const isOurs = guardedBy === "proxy";
        if (!isOurs)
          for (const context of contexts) {
            await context.addInitScript({ content: socketlessPage });
            await Promise.all(context.pages().map((page) => page.evaluate(socketlessPage)));
          }
        await holdArrivals(contexts, {
          guard,
          feed,
          profile: profile.name,
          checksOpenPages: isOurs,
          logger,
        });
      };
      if (guardedBy === "proxy") {
        const proxy = await startFilterProxy({
          guard,
          logger,
          ...(deps.dial === undefined ? {} : { dial: deps.dial }),
        });
        let nextLoginMs = 0;
        return {
          guardedBy,
          proxyUrl: proxy.url,
          beforeAttach(wsUrl) {
            proxy.onLoggedOut(() => {
              // Other programs may knock as well: they must not make the browser open tabs without end.
              if (performance.now() < nextLoginMs) return;
              nextLoginMs = performance.now() + loginAgainEveryMs;
              logIntoProxy(wsUrl, proxy).catch((error: unknown) =>
                logger.warn("browser.guardLoginFailed", { profile: profile.name, error }),
              );
            });
            return logIntoProxy(wsUrl, proxy);
          },
          onAttached,
          lost: never,
          dispose: () => proxy.dispose(),
        };
      }
      let interception: Interception | null = null;
      let lose: (reason: string) => void = () => {};
      const lost = new Promise<string>((resolve) => {
        lose = resolve;
      });
      return {
        guardedBy,
        proxyUrl: null,
        async beforeAttach(wsUrl) {
          interception?.dispose();
          const current = await interceptRequests(wsUrl, guard, logger);
          interception = current;
          void current.ended.then(() => {
            if (interception === current)
              lose("Requests of this browser can no longer be held to the policy.");
          });
        },
        onAttached,
        lost,
        async dispose() {
          const last = interception;
          interception = null;
          last?.dispose();
        },
      };
    },
    judgeNavigation: (url) => outside.judgeNavigation(url),
    judgeArrival: (url) => outside.judgeArrival(url),
    blocked: feed,
    dispose: () => feed.dispose(),
  };
}
