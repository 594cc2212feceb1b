/** The views of the rail, in the order of Ctrl 1…9. */

import type { IconName } from "../ui/Icon.tsx";

export interface ViewEntry {
  id: "approvals" | "processes" | "browser" | "policy" | "tools" | "clients" | "settings";
  path: string;
  icon: IconName;
  group: "work" | "rules" | "house" | "end";
}

export const views: readonly ViewEntry[] = [
  { id: "approvals", path: "/approvals", icon: "approvals", group: "work" },
  { id: "processes", path: "/processes", icon: "processes", group: "work" },
  { id: "browser", path: "/browser", icon: "browser", group: "work" },
  { id: "policy", path: "/policy", icon: "policy", group: "rules" },
  { id: "tools", path: "/tools", icon: "tools", group: "rules" },
  { id: "clients", path: "/clients", icon: "clients", group: "house" },
  { id: "settings", path: "/settings", icon: "settings", group: "end" },
];

/** @returns the view that an address belongs to */
export function viewOf(path: string): ViewEntry | undefined {
  return views.find((view) => path === view.path || path.startsWith(`${view.path}/`));
}
