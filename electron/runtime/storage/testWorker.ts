/** What another process does in the tests of this folder: `node testWorker.js <job> <file> [text]`. */

import { systemClock } from "../clock.ts";
import { createSettingsStore } from "../config/settingsStore.ts";
import { silentLogger } from "../logging/logger.ts";
import { createApprovalsStore } from "./approvalsStore.ts";
import { writeFileAtomic } from "./atomicWrite.ts";
import { openDatabase } from "./database.ts";
import { withFileLock } from "./fileLock.ts";
import { acquireInstanceLock } from "./instanceLock.ts";
import { createLedger } from "./ledger.ts";

const [job = "", file = "", word = ""] = process.argv.slice(2);
const deps = { path: file, logger: silentLogger, clock: systemClock };

function hold(): void {
  console.log("ready");
  setInterval(() => {}, 60_000);
}

switch (job) {
  case "addPatterns": {
    const store = await createApprovalsStore(deps);
    for (let index = 0; index < 15; index += 1) await store.addAllowlist("main", `/bin/${word}-${index}`);
    await store.dispose();
    break;
  }
  case "addRules": {
    const store = await createSettingsStore(deps);
    for (let index = 0; index < 10; index += 1)
      await store.update([{ op: "set", path: ["hardening", "rules", `${word}.${index}`], value: true }]);
    await store.dispose();
    break;
  }
  case "rewriteForEver": {
    const texts = ["a", "b"].map((letter) => `${letter.repeat(400_000)}\n`);
    console.log("ready");
    for (let index = 0; ; index += 1) await writeFileAtomic(file, texts[index % 2] ?? "");
  }
  case "holdFileLock":
    await withFileLock(file, async () => {
      hold();
      await new Promise(() => {});
    });
    break;
  case "holdInstance":
    console.log(acquireInstanceLock(file, { shell: "test" }).ok ? "got it" : "refused");
    hold();
    break;
  case "appendForEver": {
    const ledger = createLedger(openDatabase(deps).db);
    console.log("ready");
    // A turn between two entries: SQLite's lock is not fair, and the other process must get its turn as well.
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      ledger.append({
        atMs: 1,
        kind: "test.happened",
        toolCallId: null,
        agentId: word,
        sessionKey: null,
        callerId: null,
        data: {},
      });
    }
  }
  default:
    throw new Error(`no job ${job}`);
}
