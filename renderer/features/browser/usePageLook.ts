/**
 * One look at a page: snapshot and picture taken together, and which ref is hovered or picked. It is renewed after every
 * act on the page, but never while a person has an element in hand: then it says that the page has changed.
 */

import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type {
  BrowserFilmEntry,
  BrowserScreenshot,
  BrowserSnapshot,
  BrowserTab,
} from "../../../shared/contract/index.ts";
import { useRpc, useRpcEvent } from "../../rpc/hooks.ts";
import { type SnapshotLine, snapshotLines } from "./snapshotLines.ts";

export type SnapshotFormat = BrowserSnapshot["format"];

export interface PageLook {
  snapshot: BrowserSnapshot | null;
  /** Its text by line. */
  lines: readonly SnapshotLine[];
  screenshot: BrowserScreenshot | null;
  error: Error | null;
  isLooking: boolean;
  /** The page has gone on to another address since. */
  isStale: boolean;
  format: SnapshotFormat;
  interactiveOnly: boolean;
  setFormat: (format: SnapshotFormat) => void;
  setInteractiveOnly: (only: boolean) => void;
  take: () => void;
  hovered: string | null;
  hover: (ref: string | null) => void;
  picked: string | null;
  pick: (ref: string | null) => void;
}

export function usePageLook(tab: BrowserTab): PageLook {
  const rpc = useRpc();
  const { profile, targetId, url } = tab;
  const [snapshot, setSnapshot] = useState<BrowserSnapshot | null>(null);
  const [screenshot, setScreenshot] = useState<BrowserScreenshot | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [isLooking, setIsLooking] = useState(false);
  const [format, setFormat] = useState<SnapshotFormat>("dense");
  const [interactiveOnly, setInteractiveOnly] = useState(false);
  const [hovered, hover] = useState<string | null>(null);
  const [picked, pick] = useState<string | null>(null);
  const [hasChanged, setHasChanged] = useState(false);
  const running = useRef<AbortController | null>(null);

  const take = useCallback(() => {
    running.current?.abort();
    const abort = new AbortController();
    running.current = abort;
    const { signal } = abort;
    setIsLooking(true);
    setHasChanged(false);
    setError(null);
    const look = async () => {
      const interactive = interactiveOnly && format !== "aria" ? { interactive: true } : {};
      const text = await rpc.call(
        "browser.snapshot",
        { profile, targetId, format, ...interactive },
        { signal },
      );
      const picture = await rpc.call(
        "browser.screenshot",
        { profile, targetId, withBoxes: true },
        { signal },
      );
      if (signal.aborted) return;
      setSnapshot(text);
      setScreenshot(picture);
    };
    look()
      .catch((thrown: unknown) => {
        if (!signal.aborted) setError(thrown instanceof Error ? thrown : new Error(String(thrown)));
      })
      .finally(() => {
        if (running.current === abort) setIsLooking(false);
      });
  }, [rpc, profile, targetId, format, interactiveOnly]);

  useEffect(() => {
    take();
    return () => running.current?.abort();
  }, [take]);

  const takeOrTell = useRef<() => void>(() => {});
  takeOrTell.current = () => (picked === null ? take() : setHasChanged(true));
  const onActivity = useCallback(
    ({ entry }: { entry: BrowserFilmEntry }) => {
      // A person's own act is followed by a look of its own.
      const isOver = entry.result.kind !== "running" && entry.who.kind === "agent";
      if (isOver && entry.profile === profile && entry.targetId === targetId) takeOrTell.current();
    },
    [profile, targetId],
  );
  useRpcEvent("browser.activity", onActivity);
  // A page that was opened a moment ago had nothing to show yet.
  const isOfNothing = snapshot !== null && (snapshot.text === "" || snapshot.url === "about:blank");
  useEffect(() => {
    if (isOfNothing && snapshot.url !== url) takeOrTell.current();
  }, [isOfNothing, snapshot, url]);

  const lines = useMemo(() => (snapshot === null ? [] : snapshotLines(snapshot)), [snapshot]);
  return {
    snapshot,
    lines,
    screenshot,
    error,
    isLooking,
    isStale: snapshot !== null && (snapshot.url !== url || hasChanged),
    format,
    interactiveOnly,
    setFormat,
    setInteractiveOnly,
    take,
    hovered,
    hover,
    picked,
    pick,
  };
}
