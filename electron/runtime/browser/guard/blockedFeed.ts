/** Keeps the latest requests that the guard refused, for the panel and for error messages. */

import type { Clock } from "../../clock.ts";
import { createEmitter } from "../../events/emitter.ts";
import type { Logger } from "../../logging/logger.ts";
import type { BlockedRequest } from "../browserTypes.ts";

export interface BlockedFeed {
  add(profile: string, what: string, refusal: { url: string; kind: string; message: string }): void;
  /** The newest last; at most 200 of each profile. */
  list(profile?: string): BlockedRequest[];
  onBlocked(listener: (request: BlockedRequest) => void): () => void;
  dispose(): void;
}

const keptPerProfile = 200;
/** Addresses come from pages and may carry whole files. */
const maxUrlChars = 2_000;

export function createBlockedFeed(deps: { clock: Clock; logger: Logger }): BlockedFeed {
  const kept = new Map<string, BlockedRequest[]>();
  const events = createEmitter<{ blocked: BlockedRequest }>({
    onListenerError: (_name, error) => deps.logger.error("browser.listenerFailed", { error }),
  });
  return {
    add(profile, what, { url, kind, message }) {
      const shownUrl = url.length <= maxUrlChars ? url : `${url.slice(0, maxUrlChars)}…`;
      const request = { atMs: deps.clock.nowMs(), profile, url: shownUrl, what, kind, message };
      const list = kept.get(profile) ?? [];
      list.push(request);
      if (list.length > keptPerProfile) list.shift();
      kept.set(profile, list);
      events.emit("blocked", request);
    },
    list(profile) {
      if (profile !== undefined) return [...(kept.get(profile) ?? [])];
      return [...kept.values()].flat().sort((a, b) => a.atMs - b.atMs);
    },
    onBlocked: (listener) => events.on("blocked", listener),
    dispose: () => events.clear(),
  };
}
