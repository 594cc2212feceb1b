/** Entry of the headless program: the Gateway with the same panel, on plain Node. */

import { Command, InvalidArgumentError } from "commander";
import packageInfo from "../../package.json" with { type: "json" };
import { builtPanelDir } from "./panelDir.ts";
import { runHeadless } from "./runHeadless.ts";

const program = new Command("sallyport-headless")
  .description("Run Sallyport without a window: the Gateway, and the panel for a browser.")
  .version(packageInfo.version)
  .option("--port <number>", "port to listen on; 0 takes any free one", parsePort)
  .option("--panel", "serve the panel and print a URL that opens it once (the default)")
  .option("--no-panel", "serve no panel")
  .option("--json", "print one JSON line when ready")
  .parse();

const options = program.opts<{ port?: number; panel?: boolean; json?: boolean }>();

process.exitCode = await runHeadless({
  env: process.env,
  panelDir: options.panel === false ? null : builtPanelDir(import.meta.url),
  version: packageInfo.version,
  json: options.json === true,
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
  ...(options.port === undefined ? {} : { port: options.port }),
});

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new InvalidArgumentError("A port is a number from 0 to 65535.");
  return port;
}
