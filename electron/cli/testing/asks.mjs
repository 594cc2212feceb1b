/** For tests: asks one question on its terminal as soon as the file of its first argument is there. */

import { existsSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";

const source = fileURLToPath(new URL("../io.ts", import.meta.url));
const { processIo } = (await runnerImport(source, { configFile: false, logLevel: "error" })).module;
process.stdout.write("waits\n");
for (let rounds = 0; rounds < 2000 && !existsSync(process.argv[2]); rounds += 1) await setTimeout(10);
const answer = await processIo(process.cwd()).ask("Start? ");
process.stdout.write(`\nanswer ${JSON.stringify(answer)}\n`);
