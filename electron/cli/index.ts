/** Entry of `sallyport`. */

import { existsSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import packageInfo from "../../package.json" with { type: "json" };
import { builtPanelDir } from "../headless/panelDir.ts";
import { processIo } from "./io.ts";
import { runCli } from "./runCli.ts";

const headlessEntry = path.join(path.dirname(fileURLToPath(import.meta.url)), "..", "headless", "index.js");

process.exitCode = await runCli(process.argv.slice(2), {
  io: processIo(os.homedir()),
  version: packageInfo.version,
  panelDir: builtPanelDir(import.meta.url),
  startCommand: existsSync(headlessEntry)
    ? { file: process.execPath, args: [headlessEntry, "--json"] }
    : null,
});
