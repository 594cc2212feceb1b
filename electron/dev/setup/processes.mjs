/** Small facts about processes. */

/**
 * @param {number} pid
 * @returns {boolean} whether a process with this id exists, whoever owns it
 */
export function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}
