/** On a computer without a browser the app's own Chromium is the managed one, with profile and guard like any other. */

import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { expect, test } from "@playwright/test";
import { thisSystem } from "../electron/runtime/browser/profiles/findBrowsers.ts";
import { openPage } from "../electron/runtime/browser/profiles/openPage.ts";
import { freePorts, startTestBrowsers } from "../electron/runtime/browser/profiles/testBrowsers.ts";
import { makeTestFolder } from "../electron/runtime/storage/testFolder.ts";
import { electronPath, rootDir } from "./fixtures/programs.ts";

for (const isStrict of [false, true]) {
  test(`the app's own Chromium is a managed browser, ${isStrict ? "held" : "free"}`, async () => {
    const { folder, remove } = await makeTestFolder();
    const site = createServer((_request, response) => response.end("<title>site</title>"));
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    const address = site.address();
    const sitePort = typeof address === "object" ? address?.port : 0;
    const [port = 0] = await freePorts(1);
    const env = {
      PATH: process.env.PATH ?? "",
      HOME: folder,
      TMPDIR: tmpdir(),
      DISPLAY: process.env.DISPLAY ?? "",
    };
    const nothingInstalled = { ...thisSystem(env, folder), isProgram: () => false };
    const browsers = await startTestBrowsers(
      {
        executablePath: "",
        cdpPortRangeStart: port,
        ssrfPolicy: { allowPrivateNetwork: !isStrict, allowedHostnames: ["open.test"] },
      },
      {
        env,
        system: nothingInstalled,
        // As the app names itself: its own folder, and the word that makes it a browser and nothing else.
        embeddedBrowser: { executable: electronPath(), args: [rootDir, "--embedded-browser"] },
        resolve: async () => [{ address: "127.0.0.1", family: 4 }],
      },
    );
    try {
      const connection = await browsers.profiles.connect("openclaw", {});
      expect(connection.guardedBy).toBe(isStrict ? "proxy" : "none");
      const page = await openPage(connection.context);
      await page.goto(isStrict ? `http://open.test:${sitePort}/` : `http://127.0.0.1:${sitePort}/`);
      expect(await page.title()).toBe("site");
      expect(await page.evaluate("typeof require + typeof process")).toBe("undefinedundefined");
      await page.goto(`http://localhost:${sitePort}/`);
      if (isStrict) await expect(page).toHaveURL("about:blank");
      else expect(await page.title()).toBe("site");
      expect(await browsers.profiles.stop("openclaw")).toEqual({ stopped: true });
    } finally {
      await browsers.dispose();
      site.close();
      site.closeAllConnections();
      await remove();
    }
  });
}
