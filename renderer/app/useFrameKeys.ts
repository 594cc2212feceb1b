/** Keys that work in every view: find, views, next approval, regions, help. */

import { useEffect, useRef } from "react";
import { useLive } from "../rpc/hooks.ts";
import { navigateTo } from "./hashLocation.ts";
import { isTyping, keyName } from "./viewKeys.ts";
import { views } from "./views.ts";

export interface FrameActs {
  openFind: () => void;
  openKeys: () => void;
}

export function useFrameKeys(acts: FrameActs): void {
  const singleKeys = useLive((state) => state.settings.singleKeys);
  const current = useRef(acts);
  current.current = acts;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || event.repeat) return;
      if (document.querySelector("dialog[open]") !== null) return;
      if (runKey(event, current.current, singleKeys)) event.preventDefault();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [singleKeys]);
}

function runKey(event: KeyboardEvent, acts: FrameActs, singleKeys: boolean): boolean {
  const name = keyName(event);
  if (name === "Ctrl+K") acts.openFind();
  else if (name === "Ctrl+Shift+A") goToApprovals();
  else if (name === "F6" || name === "Shift+F6") moveRegion(event.shiftKey ? -1 : 1);
  else if (/^Ctrl\+[1-9]$/.test(name)) {
    const view = views[Number(name.slice(-1)) - 1];
    if (view === undefined) return false;
    navigateTo(view.path);
  } else if (name === "?" && singleKeys && !isTyping(event.target)) acts.openKeys();
  else return false;
  return true;
}

function goToApprovals(): void {
  navigateTo("/approvals");
  // The view may have to be drawn first; when it is there already, only the focus moves.
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>(".approval-deny [data-region-start]")?.focus(),
  );
}

/** Panes inside the view take the place of the view itself, so that each region is met once. */
function moveRegion(step: 1 | -1): void {
  const all = [...document.querySelectorAll<HTMLElement>("[data-region]")];
  const regions = all.filter((region) => region.querySelector("[data-region]") === null);
  if (regions.length === 0) return;
  const at = regions.findIndex((region) => region.contains(document.activeElement));
  const start = at < 0 && step === -1 ? 0 : at;
  const next = regions[(start + step + regions.length) % regions.length];
  if (next === undefined) return;
  const first = next.querySelector<HTMLElement>("[data-region-start]:not(:disabled)") ?? firstFocusable(next);
  (first ?? next).focus();
}

function firstFocusable(region: HTMLElement): HTMLElement | null {
  return region.querySelector<HTMLElement>(
    'a[href], button:not(:disabled), input:not(:disabled), textarea, [tabindex="0"]',
  );
}
