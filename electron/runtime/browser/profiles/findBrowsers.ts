/** Finds installed Chromium-based browsers on Linux, macOS and Windows, without starting one. */

import { execFile } from "node:child_process";
import { accessSync, constants, readFileSync, statSync } from "node:fs";
import path from "node:path";

export type BrowserBrand = "chrome" | "brave" | "edge" | "chromium" | "canary" | "custom" | "embedded";

export interface FoundBrowser {
  brand: BrowserBrand;
  /** Absolute. */
  executable: string;
}

/** The computer as far as the search looks at it; tests describe other ones. */
export interface BrowserSystem {
  platform: NodeJS.Platform;
  env: Readonly<Record<string, string | undefined>>;
  homeDir: string;
  /** True for a file that may be started. */
  isProgram(file: string): boolean;
  readText(file: string): string | null;
  /** Output of a program that answers at once; null when it is missing or fails. */
  ask(program: string, args: readonly string[]): Promise<string | null>;
}

const askTimeoutMs = 3_000;

export function thisSystem(
  env: Readonly<Record<string, string | undefined>>,
  homeDir: string,
): BrowserSystem {
  return {
    platform: process.platform,
    env,
    homeDir,
    isProgram(file) {
      try {
        accessSync(file, process.platform === "win32" ? constants.F_OK : constants.X_OK);
        return statSync(file).isFile();
      } catch {
        // Missing, or not ours to start: both mean that it is not there for us.
        return false;
      }
    },
    readText(file) {
      try {
        return readFileSync(file, "utf8");
      } catch {
        // The caller looks at several places; most of them are not there.
        return null;
      }
    },
    ask: (program, args) =>
      new Promise((resolve) => {
        execFile(program, [...args], { timeout: askTimeoutMs, encoding: "utf8" }, (error, stdout) =>
          resolve(error === null ? stdout.trim() : null),
        );
      }),
  };
}

const linuxPrograms: readonly [BrowserBrand, string][] = [
  ["chrome", "google-chrome"],
  ["chrome", "google-chrome-stable"],
  ["chrome", "chrome"],
  ["brave", "brave-browser"],
  ["brave", "brave-browser-stable"],
  ["brave", "brave"],
  ["edge", "microsoft-edge"],
  ["edge", "microsoft-edge-stable"],
  ["chromium", "chromium"],
  ["chromium", "chromium-browser"],
];
const linuxFixed: readonly [BrowserBrand, string][] = [
  ["chrome", "/opt/google/chrome/chrome"],
  ["brave", "/opt/brave.com/brave/brave"],
  ["brave", "/snap/bin/brave"],
  ["edge", "/opt/microsoft/msedge/msedge"],
  ["chromium", "/snap/bin/chromium"],
  ["chromium", "/usr/lib/chromium/chromium"],
];
const linuxFolders = ["/usr/bin", "/usr/local/bin"];

const macApps: readonly [BrowserBrand, string, string][] = [
  ["chrome", "Google Chrome", "com.google.chrome"],
  ["brave", "Brave Browser", "com.brave.browser"],
  ["edge", "Microsoft Edge", "com.microsoft.edgemac"],
  ["chromium", "Chromium", "org.chromium.chromium"],
  ["canary", "Google Chrome Canary", "com.google.chrome.canary"],
];

const windowsApps: readonly [BrowserBrand, string, string][] = [
  ["chrome", "Google\\Chrome\\Application\\chrome.exe", "ChromeHTML"],
  ["brave", "BraveSoftware\\Brave-Browser\\Application\\brave.exe", "BraveHTML"],
  ["edge", "Microsoft\\Edge\\Application\\msedge.exe", "MSEdgeHTM"],
  ["chromium", "Chromium\\Application\\chrome.exe", "ChromiumHTM"],
  ["canary", "Google\\Chrome SxS\\Application\\chrome.exe", "ChromeSSHTM"],
];

/** Every installed one in the order of preference, the system's default browser first when it is Chromium-based. */
export async function findBrowsers(system: BrowserSystem): Promise<FoundBrowser[]> {
  const listed = candidatesOf(system).filter(({ executable }) => system.isProgram(executable));
  const preferred = await defaultBrowser(system, listed);
  const ordered = preferred === null ? listed : [preferred, ...listed];
  const seen = new Set<string>();
  return ordered.filter(({ executable }) => !seen.has(executable) && seen.add(executable));
}

function candidatesOf(system: BrowserSystem): FoundBrowser[] {
  if (system.platform === "darwin") {
    const folders = ["/Applications", path.posix.join(system.homeDir, "Applications")];
    return macApps.flatMap(([brand, name]) =>
      folders.map((folder) => ({ brand, executable: `${folder}/${name}.app/Contents/MacOS/${name}` })),
    );
  }
  if (system.platform === "win32") {
    const roots = ["PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"].flatMap((name) => {
      const entry = Object.entries(system.env).find(([key]) => key.toUpperCase() === name);
      return entry?.[1] === undefined || entry[1] === "" ? [] : [entry[1]];
    });
    return windowsApps.flatMap(([brand, below]) =>
      roots.map((root) => ({ brand, executable: path.win32.join(root, below) })),
    );
  }
  const onPath = (system.env.PATH ?? "").split(":").filter((folder) => folder.startsWith("/"));
  const folders = [...new Set([...onPath, ...linuxFolders])];
  return [
    ...linuxPrograms.flatMap(([brand, name]) =>
      folders.map((folder) => ({ brand, executable: path.posix.join(folder, name) })),
    ),
    ...linuxFixed.map(([brand, executable]) => ({ brand, executable })),
  ];
}

/** What the person set as default browser; null when it is another kind, or the system does not say. */
async function defaultBrowser(
  system: BrowserSystem,
  listed: readonly FoundBrowser[],
): Promise<FoundBrowser | null> {
  if (system.platform === "darwin") {
    const plist = path.posix.join(
      system.homeDir,
      "Library/Preferences/com.apple.LaunchServices/com.apple.launchservices.secure.plist",
    );
    const text = await system.ask("plutil", ["-convert", "json", "-o", "-", plist]);
    const id = /"LSHandlerRoleAll"\s*:\s*"([^"]+)"[^{}]*"LSHandlerURLScheme"\s*:\s*"https"/i.exec(
      text ?? "",
    )?.[1];
    const app = macApps.find(([, , bundle]) => bundle === id?.toLowerCase());
    return app === undefined ? null : (listed.find(({ brand }) => brand === app[0]) ?? null);
  }
  if (system.platform === "win32") {
    const key = "HKCU\\Software\\Microsoft\\Windows\\Shell\\Associations\\UrlAssociations\\https\\UserChoice";
    const text = await system.ask("reg", ["query", key, "/v", "ProgId"]);
    const progId = /ProgId\s+REG_SZ\s+(\S+)/i.exec(text ?? "")?.[1]?.toLowerCase() ?? "";
    const app = windowsApps.find(([, , id]) => progId.startsWith(id.toLowerCase()));
    return app === undefined ? null : (listed.find(({ brand }) => brand === app[0]) ?? null);
  }
  const desktopId =
    (await system.ask("xdg-settings", ["get", "default-web-browser"])) ||
    (await system.ask("xdg-mime", ["query", "default", "x-scheme-handler/https"]));
  if (desktopId === null || !/^[\w.-]+\.desktop$/.test(desktopId)) return null;
  const brand = brandOfDesktopId(desktopId);
  if (brand === null) return null;
  const program = desktopFolders(system)
    .map((folder) => system.readText(path.posix.join(folder, desktopId)))
    .map((text) => /^Exec=(?:"([^"]+)"|(\S+))/m.exec(text ?? ""))
    .map((match) => match?.[1] ?? match?.[2])
    .find((word) => word !== undefined);
  const sameBrand = listed.find((one) => one.brand === brand) ?? null;
  if (program === undefined) return sameBrand;
  if (program.startsWith("/")) return system.isProgram(program) ? { brand, executable: program } : sameBrand;
  return listed.find(({ executable }) => path.posix.basename(executable) === program) ?? sameBrand;
}

function brandOfDesktopId(id: string): BrowserBrand | null {
  if (/^(?:com\.google\.chrome|google-chrome)/i.test(id)) return "chrome";
  if (/^(?:com\.brave|brave)/i.test(id)) return "brave";
  if (/^(?:com\.microsoft\.edge|microsoft-edge)/i.test(id)) return "edge";
  return /^(?:org\.chromium|chromium)/i.test(id) ? "chromium" : null;
}

function desktopFolders(system: BrowserSystem): string[] {
  return [
    path.posix.join(system.homeDir, ".local/share/applications"),
    "/usr/local/share/applications",
    "/usr/share/applications",
    "/var/lib/snapd/desktop/applications",
  ];
}

/** What to tell a person who has no browser that can be managed. */
export function installHint(platform: NodeJS.Platform): string {
  const how =
    platform === "darwin"
      ? "brew install --cask google-chrome"
      : platform === "win32"
        ? "winget install Google.Chrome"
        : "sudo apt-get install chromium (Debian, Ubuntu), sudo dnf install chromium (Fedora), sudo pacman -S chromium (Arch)";
  return `No supported browser was found (Chrome, Chromium, Edge or Brave). Install one: ${how}; or set browser.executablePath.`;
}
