/** For the crash test: changes one file again and again until it is killed. Arguments: home, tool. */

import { readFile } from "node:fs/promises";
import path from "node:path";
import { makeTestDesk } from "./testDesk.ts";

const [home = "", tool = ""] = process.argv.slice(2);
const desk = await makeTestDesk(home);
const file = path.join(desk.workspace, "big.txt");

for (let round = 1; ; round += 1) {
  const text = await readFile(file, "utf8");
  const marker = text.slice(0, text.indexOf("\n"));
  const next = `marker ${round} ${process.pid}`;
  if (tool === "write") await desk.call("write", { path: file, content: text.replace(marker, next) });
  if (tool === "edit") await desk.call("edit", { path: file, edits: [{ oldText: marker, newText: next }] });
  if (tool === "apply_patch") {
    const input = `*** Begin Patch\n*** Update File: big.txt\n@@\n-${marker}\n+${next}\n*** End Patch`;
    await desk.call("apply_patch", { input });
  }
  if (round === 1) process.stdout.write("working\n");
}
