/** Keys of the view on screen: single letters only while nobody types, listed under `?`. */

import { useEffect, useRef } from "react";
import { createStore } from "zustand/vanilla";
import { useLive } from "../rpc/hooks.ts";

export interface ViewKey {
  /** From the catalogue; read in the list of keys. */
  label: string;
  run: (event: KeyboardEvent) => void;
}
/** By `KeyboardEvent.key` with modifiers in front: `w`, `/`, `Ctrl+Shift+F`. */
export type ViewKeys = Record<string, ViewKey>;

/** The keys that mounted components registered, newest last. */
export const viewKeyStore = createStore<{ sets: readonly ViewKeys[] }>(() => ({ sets: [] }));

/** @returns whether keys typed here are text: fields, editors, terminals. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable) return true;
  if (target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  if (target instanceof HTMLInputElement) {
    return !["checkbox", "radio", "button", "submit", "range"].includes(target.type);
  }
  return target.closest(".xterm, .monaco-editor") !== null;
}

/** @returns the name of a key press as ViewKeys writes it; Cmd counts as Ctrl on macOS. */
export function keyName(event: KeyboardEvent): string {
  const isMac = /mac/i.test(navigator.platform);
  const hasCtrl = event.ctrlKey || (isMac && event.metaKey);
  const isChord = hasCtrl || event.altKey;
  const key = event.key.length === 1 && isChord ? event.key.toUpperCase() : event.key;
  return [
    hasCtrl ? "Ctrl+" : "",
    event.altKey ? "Alt+" : "",
    // A shifted letter or sign already is another key; only chords and named keys say Shift.
    event.shiftKey && (isChord || event.key.length > 1) ? "Shift+" : "",
    key,
  ].join("");
}

/** Lists keys under `?` that a component handles itself. */
export function useKeyHelp(labels: Record<string, string>): void {
  const text = JSON.stringify(labels);
  useEffect(() => {
    const listed: Record<string, string> = JSON.parse(text);
    const own: ViewKeys = Object.fromEntries(
      Object.entries(listed).map(([key, label]) => [key, { label, run: () => {} }]),
    );
    viewKeyStore.setState(({ sets }) => ({ sets: [...sets, own] }));
    return () => viewKeyStore.setState(({ sets }) => ({ sets: sets.filter((set) => set !== own) }));
  }, [text]);
}

/**
 * Registers keys for as long as the component lives. A dialog that is open gets its keys alone.
 * @param keys may change on every render
 */
export function useViewKeys(keys: ViewKeys): void {
  const singleKeys = useLive((state) => state.settings.singleKeys);
  const current = useRef(keys);
  current.current = keys;
  const names = Object.keys(keys).join(" ");
  // biome-ignore lint/correctness/useExhaustiveDependencies: registered again only when the set of keys changes
  useEffect(() => {
    const own = current.current;
    viewKeyStore.setState(({ sets }) => ({ sets: [...sets, own] }));
    return () => viewKeyStore.setState(({ sets }) => ({ sets: sets.filter((set) => set !== own) }));
  }, [names]);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const name = keyName(event);
      const entry = Object.hasOwn(current.current, name) ? current.current[name] : undefined;
      if (entry === undefined || document.querySelector("dialog[open]") !== null) return;
      const isChord = event.ctrlKey || event.altKey || event.metaKey;
      if (!isChord && isTyping(event.target)) return;
      if (name.length === 1 && !singleKeys) return;
      event.preventDefault();
      entry.run(event);
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [singleKeys]);
}
