/** The strip of what was done in the browsers: who, what, on which element, where it led, with small pictures. */

import { randomUUID } from "node:crypto";
import type { BrowserFilmEntry, BrowserFilmPicture } from "../../../../shared/contract/index.ts";
import { clip } from "../../../../shared/files/index.ts";
import type { Clock } from "../../clock.ts";
import { problemKind } from "../problems.ts";
import { hideSecretsIn } from "../records/hideSecrets.ts";
import type { Tab } from "../tabs/tab.ts";
import type { Actor } from "./serviceTypes.ts";
import { type SmallPicture, smallPicture } from "./smallPicture.ts";

const maxEntries = 500;
/** Entries whose pictures are kept; about 10 kB each picture. */
const maxPictured = 150;

export interface FilmShot {
  id: string;
  /** The element that is acted on, as soon as it is known. */
  aim(target: BrowserFilmEntry["target"], detail: string | null): void;
  done(urlAfter: string | null): void;
  failed(error: unknown, urlAfter: string | null): void;
}

export interface Film {
  begin(actor: Actor, action: string, profile: string, tab: Tab | null, detail: string | null): FilmShot;
  list(filter: {
    profile?: string | undefined;
    sessionKey?: string | undefined;
    limit: number;
  }): BrowserFilmEntry[];
  pictures(ids: readonly string[]): BrowserFilmPicture[];
  onEntry(listener: (entry: BrowserFilmEntry) => void): () => void;
}

export function createFilm({ clock, masksSecrets }: { clock: Clock; masksSecrets(): boolean }): Film {
  const entries = new Map<string, BrowserFilmEntry>();
  const pictures = new Map<string, { before: SmallPicture | null; after: SmallPicture | null }>();
  /** The newest picture of each tab: what the next action starts from. */
  const newest = new WeakMap<Tab, SmallPicture>();
  const listeners = new Set<(entry: BrowserFilmEntry) => void>();

  const put = (entry: BrowserFilmEntry) => {
    entries.set(entry.id, entry);
    for (const id of entries.keys()) {
      if (entries.size <= maxEntries) break;
      entries.delete(id);
      pictures.delete(id);
    }
    for (const listener of [...listeners]) listener(entry);
  };
  const change = (id: string, part: Partial<BrowserFilmEntry>) => {
    const entry = entries.get(id);
    if (entry !== undefined) put({ ...entry, ...part });
  };
  const keepPicture = (id: string, part: { before?: SmallPicture | null; after?: SmallPicture | null }) => {
    if (!entries.has(id)) return;
    const kept = { before: null, after: null, ...pictures.get(id), ...part };
    pictures.delete(id);
    pictures.set(id, kept);
    for (const old of pictures.keys()) {
      if (pictures.size <= maxPictured) break;
      pictures.delete(old);
      change(old, { hasBefore: false, hasAfter: false });
    }
    change(id, { hasBefore: kept.before !== null, hasAfter: kept.after !== null });
  };

  return {
    begin(actor, action, profile, tab, detail) {
      const id = randomUUID();
      const startedMs = clock.nowMs();
      const hide = (text: string) => (masksSecrets() ? hideSecretsIn(text, tab?.secrets ?? []) : text);
      const shownDetail = (text: string) => clip(hide(text).replace(/\s+/g, " "), 300);
      put({
        id,
        profile,
        targetId: tab?.targetId ?? null,
        atMs: startedMs,
        durationMs: null,
        who: {
          kind: actor.kind,
          label: clip(actor.label, 200),
          agentId: actor.agentId,
          sessionKey: actor.sessionKey,
          toolCallId: actor.toolCallId,
        },
        action,
        target: null,
        detail: detail === null ? null : shownDetail(detail),
        urlBefore: tab === null ? null : clip(hide(tab.page.url()), 2000),
        urlAfter: null,
        result: { kind: "running" },
        hasBefore: false,
        hasAfter: false,
      });
      const before = tab === null ? undefined : newest.get(tab);
      if (before !== undefined) keepPicture(id, { before });
      // Taken behind the action's back: nobody waits for a picture.
      const develop = () => {
        if (tab === null || tab.state.kind !== "open") return;
        void smallPicture(tab).then((picture) => {
          if (picture === null) return;
          newest.set(tab, picture);
          keepPicture(id, { after: picture });
        });
      };
      const end = (urlAfter: string | null, result: BrowserFilmEntry["result"]) => {
        change(id, {
          durationMs: clock.nowMs() - startedMs,
          urlAfter: urlAfter === null ? null : clip(hide(urlAfter), 2000),
          result,
        });
        develop();
      };
      return {
        id,
        aim(target, text) {
          change(id, {
            target: target === null ? null : { ...target, name: clip(target.name, 200) },
            ...(text === null ? {} : { detail: shownDetail(text) }),
          });
        },
        done: (urlAfter) => end(urlAfter, { kind: "done" }),
        failed(error, urlAfter) {
          const message = error instanceof Error ? clip(hide(error.message), 500) : "It failed.";
          end(urlAfter, { kind: "failed", problem: problemKind(error) ?? "failed", message });
        },
      };
    },
    list({ profile, sessionKey, limit }) {
      const matching = [...entries.values()].filter(
        (entry) =>
          (profile === undefined || entry.profile === profile) &&
          (sessionKey === undefined || entry.who.sessionKey === sessionKey),
      );
      return matching.slice(-limit);
    },
    pictures: (ids) =>
      ids.map((id) => {
        const kept = pictures.get(id);
        const size = kept?.after ?? kept?.before;
        return {
          id,
          beforeBase64: kept?.before?.base64 ?? null,
          afterBase64: kept?.after?.base64 ?? null,
          width: size?.width ?? 0,
          height: size?.height ?? 0,
        };
      }),
    onEntry(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
