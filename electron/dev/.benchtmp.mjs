import { build } from "vite"; import path from "node:path"; import { benchTarget } from "./build/targets.mjs"; import { pathToFileURL } from "node:url"; import {rm} from "node:fs/promises";
const root = path.resolve(import.meta.dirname, "../.."); const out = path.join(root, "node_modules/.benchtmp");
await build(benchTarget(root, out, ["policy.bench.ts"]));
const { benchmarks } = await import(pathToFileURL(path.join(out, "policy.bench.js")).href);
for (const b of benchmarks) { const r = await b.run(); console.log(r.ratio <= r.goal ? "ok " : "MISS", b.name, r.ratio.toFixed(2), r.unit, "goal", r.goal); }
await rm(out, { recursive: true });
