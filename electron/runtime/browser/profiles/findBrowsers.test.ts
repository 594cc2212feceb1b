import { describe, expect, test } from "vitest";
import { type BrowserSystem, findBrowsers, installHint } from "./findBrowsers.ts";

function pretend(
  platform: NodeJS.Platform,
  programs: readonly string[],
  over: Partial<BrowserSystem> = {},
): BrowserSystem {
  const there = new Set(programs);
  return {
    platform,
    env: { PATH: "/opt/bin:/usr/bin" },
    homeDir: "/home/me",
    isProgram: (file) => there.has(file),
    readText: () => null,
    ask: async () => null,
    ...over,
  };
}

const executables = async (system: BrowserSystem) =>
  (await findBrowsers(system)).map(({ brand, executable }) => `${brand} ${executable}`);

describe("on Linux", () => {
  test("the order of preference counts, and PATH comes first", async () => {
    const programs = [
      "/usr/bin/chromium",
      "/opt/bin/microsoft-edge",
      "/snap/bin/brave",
      "/usr/bin/google-chrome",
    ];
    expect(await executables(pretend("linux", programs))).toEqual([
      "chrome /usr/bin/google-chrome",
      "edge /opt/bin/microsoft-edge",
      "chromium /usr/bin/chromium",
      "brave /snap/bin/brave",
    ]);
  });

  test("the default browser goes before, when it is of this family", async () => {
    const programs = ["/usr/bin/chromium", "/usr/bin/google-chrome"];
    const asked = (id: string) => async (program: string) => (program === "xdg-settings" ? id : null);
    const readText = (file: string) =>
      file === "/usr/share/applications/chromium.desktop"
        ? "[Desktop Entry]\nExec=/usr/bin/chromium %U\n"
        : null;
    expect(
      (await executables(pretend("linux", programs, { ask: asked("chromium.desktop"), readText })))[0],
    ).toBe("chromium /usr/bin/chromium");
    expect((await executables(pretend("linux", programs, { ask: asked("firefox.desktop") })))[0]).toBe(
      "chrome /usr/bin/google-chrome",
    );
    // A name from outside never becomes a path of its own.
    expect((await executables(pretend("linux", programs, { ask: asked("../../chromium.desktop") })))[0]).toBe(
      "chrome /usr/bin/google-chrome",
    );
  });
});

test("on macOS applications of the system and of the person are found, the default first", async () => {
  const brave = "/home/me/Applications/Brave Browser.app/Contents/MacOS/Brave Browser";
  const chrome = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
  const handlers = '[{"LSHandlerRoleAll":"com.brave.browser","LSHandlerURLScheme":"https"}]';
  const ask = async (program: string) => (program === "plutil" ? handlers : null);
  expect(await executables(pretend("darwin", [brave, chrome], { ask }))).toEqual([
    `brave ${brave}`,
    `chrome ${chrome}`,
  ]);
});

test("on Windows program folders are searched, the default first", async () => {
  const chrome = "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe";
  const edge = "C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe";
  const env = { ProgramFiles: "C:\\Program Files", "ProgramFiles(x86)": "C:\\Program Files (x86)" };
  const ask = async (program: string) => (program === "reg" ? "    ProgId    REG_SZ    MSEdgeHTM" : null);
  expect(await executables(pretend("win32", [chrome, edge], { env, ask }))).toEqual([
    `edge ${edge}`,
    `chrome ${chrome}`,
  ]);
  expect(await executables(pretend("win32", [chrome, edge], { env }))).toEqual([
    `chrome ${chrome}`,
    `edge ${edge}`,
  ]);
});

test("with none installed the person is told what to install", async () => {
  expect(await findBrowsers(pretend("linux", []))).toEqual([]);
  expect(installHint("linux")).toContain("apt-get install chromium");
  expect(installHint("darwin")).toContain("brew install");
  expect(installHint("win32")).toContain("winget");
});
