/** A real Chromium inside bubblewrap. */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { sandboxSettingsOf } from "../../exec/hosts/sandboxSettings.ts";
import { makeTestFolder } from "../../storage/testFolder.ts";
import { sandboxLaunch } from "./sandboxLaunch.ts";
import { freePorts, startTestBrowsers } from "./testBrowsers.ts";

const wrapped = (network: string) =>
  sandboxLaunch({
    settings: () => sandboxSettingsOf({ agents: { defaults: { sandbox: { docker: { network } } } } }, "main"),
    baseEnv: { PATH: process.env.PATH ?? "" },
  });

test("a browser in the sandbox runs, is guarded, and does not see the person's files", async () => {
  const { folder, remove } = await makeTestFolder();
  await writeFile(path.join(folder, "private.txt"), "private");
  const [port = 0] = await freePorts(1);
  const browsers = await startTestBrowsers(
    { cdpPortRangeStart: port, ssrfPolicy: { allowPrivateNetwork: false } },
    { wrapLaunch: wrapped("host") },
  );
  try {
    const { context, guardedBy } = await browsers.profiles.connect("openclaw", {});
    expect(guardedBy).toBe("proxy");
    const page = await context.newPage();
    await page.goto("data:text/html,<title>inside</title>");
    expect(await page.title()).toBe("inside");
    await expect(page.goto(`file://${folder}/private.txt`)).rejects.toThrow(
      /ERR_(?:FILE_NOT_FOUND|ACCESS_DENIED)/,
    );
    expect(await browsers.profiles.stop("openclaw")).toEqual({ stopped: true });
  } finally {
    await browsers.dispose();
    await remove();
  }
});

test("a sandbox without network refuses, and says what to change", async () => {
  const [port = 0] = await freePorts(1);
  const browsers = await startTestBrowsers({ cdpPortRangeStart: port }, { wrapLaunch: wrapped("none") });
  await expect(browsers.profiles.connect("openclaw", {})).rejects.toThrow(/docker\.network/);
  await browsers.dispose();
});
