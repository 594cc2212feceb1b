/** Small facts about processes. */
import { readFileSync } from "node:fs";

/**
 * @param {number} pid
 * @returns {boolean} whether a process with this id runs, whoever owns it; one that has ended but was not yet
 *   collected by its parent (usual in containers without an init) does not
 */
export function isRunning(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error.code === "EPERM";
  }
  return !isZombie(pid);
}

function isZombie(pid) {
  if (process.platform !== "linux") return false;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z");
  } catch {
    // Gone between the two questions, or no /proc: the answer to the first one stands.
    return false;
  }
}
