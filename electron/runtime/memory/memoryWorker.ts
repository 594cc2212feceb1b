/** Entry of the worker thread that keeps and searches one agent's notes. */

import { parentPort } from "node:worker_threads";
import { createGuardedFetch } from "../net/guardedFetch.ts";
import { systemResolver } from "../net/hostResolver.ts";
import { serveEngine } from "./serveEngine.ts";

if (parentPort !== null) serveEngine(parentPort, createGuardedFetch({ resolve: systemResolver }));
