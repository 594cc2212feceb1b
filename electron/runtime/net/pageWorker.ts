/** Entry of the worker thread that reads pages. */

import { parentPort } from "node:worker_threads";
import { type PageRequest, readPage } from "./readPage.ts";

parentPort?.on("message", (request: PageRequest) => {
  parentPort?.postMessage(readPage(request));
});
