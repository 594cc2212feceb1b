/** Addresses live behind `#`, query included, so that the same links work under a custom scheme and over http. */

import { useSyncExternalStore } from "react";

const subscribe = (onChange: () => void) => {
  window.addEventListener("hashchange", onChange);
  return () => window.removeEventListener("hashchange", onChange);
};

const currentHash = () => {
  const hash = window.location.hash.replace(/^#\/?/, "");
  return `/${hash}`;
};
const currentPath = () => currentHash().split("?", 1)[0] ?? "/";
const currentSearch = () => {
  const hash = currentHash();
  const at = hash.indexOf("?");
  return at < 0 ? "" : hash.slice(at + 1);
};

/** @param to path with an optional query, for example `/policy/why/browser?agent=support` */
export function navigateTo(to: string, options: { replace?: boolean } = {}): void {
  const address = `#${to.startsWith("/") ? to : `/${to}`}`;
  if (address === window.location.hash) return;
  if (options.replace === true) window.history.replaceState(null, "", address);
  else window.history.pushState(null, "", address);
  // pushState tells nobody; wouter and the listeners above wait for this event.
  window.dispatchEvent(new Event("hashchange"));
}

/** The location hook of wouter's Router. */
export const useHashPath = (): [string, typeof navigateTo] => [
  useSyncExternalStore(subscribe, currentPath),
  navigateTo,
];
useHashPath.hrefs = (href: string) => `#${href}`;

/** The search hook of wouter's Router: the query behind the hash, without `?`. */
export const useHashSearch = (): string => useSyncExternalStore(subscribe, currentSearch);
