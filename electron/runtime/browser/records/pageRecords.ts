/** What happened on one page, in bounded lists: console, errors, requests, downloads, dialogs, popups. */

import type {
  BrowserConsoleEntry,
  BrowserDialogEntry,
  BrowserDownloadEntry,
  BrowserPageError,
  BrowserRequestEntry,
  BrowserTab,
} from "../../../../shared/contract/index.ts";

/** A window that the page opened. */
export interface PopupEntry {
  id: string;
  atMs: number;
  url: string;
  targetId: string | null;
  /** Why it was closed again; null when it stays. */
  closedBecause: string | null;
}

type EntryOf = {
  console: BrowserConsoleEntry;
  errors: BrowserPageError;
  requests: BrowserRequestEntry;
  downloads: BrowserDownloadEntry;
  dialogs: BrowserDialogEntry;
  popups: PopupEntry;
};
export type RecordKind = keyof EntryOf;

/** Newest of each kind; older ones are dropped. */
const limits: Readonly<Record<RecordKind, number>> = {
  console: 500,
  errors: 200,
  requests: 500,
  downloads: 200,
  dialogs: 200,
  popups: 100,
};

const prefixes: Readonly<Record<RecordKind, string>> = {
  console: "c",
  errors: "x",
  requests: "r",
  downloads: "d",
  dialogs: "q",
  popups: "w",
};

/** A moment in the life of a page; entries of all kinds are numbered together. */
export type RecordMark = number;

export interface PageRecords {
  add<K extends RecordKind>(kind: K, entry: Omit<EntryOf[K], "id">): EntryOf[K];
  /** Changes an entry that is still kept. */
  update<K extends RecordKind>(kind: K, id: string, change: Partial<EntryOf[K]>): void;
  list<K extends RecordKind>(kind: K): EntryOf[K][];
  mark(): RecordMark;
  /** Entries added behind the mark, oldest first. */
  since<K extends RecordKind>(kind: K, mark: RecordMark): EntryOf[K][];
  clear(kind: RecordKind): void;
  counts(): BrowserTab["counts"];
}

/** What a page says, in which a secret may stand; everything else is made by us. */
const pageTexts = ["url", "text", "location", "message", "stack"];

/**
 * @param onChanged after every change
 * @param hide takes secrets out of what is kept
 */
export function createPageRecords(
  onChanged: () => void,
  hide: (text: string) => string = (text) => text,
): PageRecords {
  const lists = new Map<RecordKind, { seq: number; entry: EntryOf[RecordKind] }[]>();
  const totals = new Map<RecordKind, number>();
  let seq = 0;
  let failedRequests = 0;
  const listOf = (kind: RecordKind) => {
    const found = lists.get(kind) ?? [];
    lists.set(kind, found);
    return found;
  };
  const entriesOf = <K extends RecordKind>(kind: K) =>
    listOf(kind) as unknown as { seq: number; entry: EntryOf[K] }[];

  return {
    add(kind, told) {
      const entry = { ...told };
      for (const name of pageTexts) {
        const text: unknown = Reflect.get(entry, name);
        if (typeof text === "string") Reflect.set(entry, name, hide(text));
      }
      seq += 1;
      const count = (totals.get(kind) ?? 0) + 1;
      totals.set(kind, count);
      const whole = { ...entry, id: `${prefixes[kind]}${count}` } as EntryOf[typeof kind];
      const list = entriesOf(kind);
      list.push({ seq, entry: whole });
      if (list.length > limits[kind]) list.splice(0, list.length - limits[kind]);
      onChanged();
      return whole;
    },
    update(kind, id, change) {
      const found = entriesOf(kind).findLast((candidate) => candidate.entry.id === id);
      if (found === undefined) return;
      const failed = (entry: EntryOf[typeof kind]) =>
        kind === "requests" && (entry as BrowserRequestEntry).ok === false ? 1 : 0;
      const before = failed(found.entry);
      found.entry = { ...found.entry, ...change };
      failedRequests += failed(found.entry) - before;
      onChanged();
    },
    list: (kind) => entriesOf(kind).map(({ entry }) => entry),
    mark: () => seq,
    since: (kind, mark) =>
      entriesOf(kind)
        .filter((candidate) => candidate.seq > mark)
        .map(({ entry }) => entry),
    clear(kind) {
      lists.delete(kind);
      if (kind === "requests") failedRequests = 0;
      totals.set(kind, totals.get(kind) ?? 0);
      onChanged();
    },
    counts: () => ({
      console: totals.get("console") ?? 0,
      errors: totals.get("errors") ?? 0,
      requests: totals.get("requests") ?? 0,
      failedRequests,
      downloads: totals.get("downloads") ?? 0,
      dialogs: totals.get("dialogs") ?? 0,
    }),
  };
}

/** Lowest importance that passes a console filter; `warn` and `warning` mean the same. */
export function consoleLevel(level: string | undefined, knowsWarn: boolean): number {
  const word = (level ?? "").trim().toLowerCase();
  if (word === "") return 0;
  return word === "warn" && !knowsWarn ? 1 : importance(word);
}

export function importance(type: string): number {
  switch (type) {
    case "error":
    case "assert":
      return 3;
    case "warning":
    case "warn":
      return 2;
    case "debug":
    case "verbose":
      return 0;
    default:
      return 1;
  }
}
