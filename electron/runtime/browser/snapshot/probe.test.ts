import { readdirSync, writeFileSync, mkdirSync } from "node:fs";
import { chromium } from "playwright-core";
import { test } from "vitest";
import { allHardening } from "../../../../shared/hardening/index.ts";
import { createSnapshotEngine } from "./createSnapshotEngine.ts";
test("probe", async () => {
  const b = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-background-networking", "--no-first-run"] });
  const engine = createSnapshotEngine({ hardening: () => allHardening });
  mkdirSync("/tmp/snap/out", { recursive: true });
  for (const [dir, kind] of [["/work/shared/corpus", "c"], ["/work/shared/vectors/browser/pages", "v"]] as const)
  for (const f of readdirSync(dir).filter((x) => x.endsWith("html") && (process.env.PF === undefined || new RegExp(process.env.PF).test(x)))) {
    const p = await b.newPage();
    await p.goto(`file://${dir}/${f}`);
    const pw = await p.ariaSnapshot({ mode: "ai" });
    const inner = await p.evaluate(() => document.body.innerText);
    const pwRole = await p.locator(":root").ariaSnapshot();
    const out: string[] = [];
    for (const r of [{ format: "dense" }, { format: "dense", interactive: true }, { format: "ai" }, { format: "role" }] as const) {
      const t = performance.now();
      const s = await engine.take(p, { ...r, viewer: "v", maxChars: 1e7 });
      out.push(`${(performance.now() - t).toFixed(1)}ms ${s.text.length} refs ${s.refs.size}`);
      writeFileSync(`/tmp/snap/out/${kind}-${f}.${r.format}${"interactive" in r ? "-i" : ""}.txt`, s.text);
    }
    writeFileSync(`/tmp/snap/out/${kind}-${f}.pw.txt`, pw);
    writeFileSync(`/tmp/snap/out/${kind}-${f}.pwrole.txt`, pwRole);
    console.log(f, "inner", inner.length, "pw", pw.length, out.join(" | "));
    await p.close();
  }
  await b.close();
}, 400000);
