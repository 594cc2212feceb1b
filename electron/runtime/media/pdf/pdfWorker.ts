/** Entry of the worker thread that reads one PDF and ends. */

import { parentPort } from "node:worker_threads";
import { type PdfRequest, readPdf } from "./readPdf.ts";

parentPort?.once("message", (request: PdfRequest) => {
  void readPdf(request, (page) => parentPort?.postMessage({ kind: "page", page })).then((outcome) => {
    parentPort?.postMessage({ kind: "done", outcome });
  });
});
