/** Finds the debugging endpoint of the person's own running browser. Never starts one. */

import { readFile } from "node:fs/promises";
import path from "node:path";
import type { ProfileFacts } from "../../../../shared/browser/index.ts";
import { AppError } from "../../../../shared/errors/index.ts";

/** Where the browsers keep their profiles by default, the most common first. */
export function defaultUserDataDirs(
  platform: NodeJS.Platform,
  homeDir: string,
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  if (platform === "darwin") {
    const root = path.join(homeDir, "Library", "Application Support");
    return ["Google/Chrome", "BraveSoftware/Brave-Browser", "Microsoft Edge", "Chromium"].map((name) =>
      path.join(root, name),
    );
  }
  if (platform === "win32") {
    const root = env.LOCALAPPDATA ?? path.join(homeDir, "AppData", "Local");
    return [
      ["Google", "Chrome"],
      ["BraveSoftware", "Brave-Browser"],
      ["Microsoft", "Edge"],
      ["Chromium"],
    ].map((parts) => path.join(root, ...parts, "User Data"));
  }
  const root = env.XDG_CONFIG_HOME || path.join(homeDir, ".config");
  return ["google-chrome", "BraveSoftware/Brave-Browser", "microsoft-edge", "chromium"].map((name) =>
    path.join(root, name),
  );
}

/**
 * `cdpUrl` or `cdpPort` as configured, else what the browser wrote into `DevToolsActivePort` of its folder.
 * @throws AppError UNAVAILABLE that tells how to let the browser be attached to
 */
export async function existingEndpoint(profile: ProfileFacts, folders: readonly string[]): Promise<string> {
  if (profile.cdpUrl !== null) return profile.cdpUrl;
  if (profile.cdpPort !== null) return `http://127.0.0.1:${profile.cdpPort}`;
  for (const folder of folders) {
    const text = await readFile(path.join(folder, "DevToolsActivePort"), "utf8").catch(() => null);
    const match = /^(\d{1,5})\r?\n(\/[\w/-]+)/.exec(text ?? "");
    if (match !== null) return `ws://127.0.0.1:${match[1]}${match[2]}`;
  }
  throw new AppError(
    "UNAVAILABLE",
    `No running browser of yours allows remote debugging. Open chrome://inspect/#remote-debugging in it and allow it, or start it with --remote-debugging-port and set browser.profiles.${profile.name}.cdpPort. Sallyport never starts this browser itself.`,
    { data: { kind: "unreachable", status: 409, profile: profile.name } },
  );
}
