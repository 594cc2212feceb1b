/** The bridge's own token: made once through the operator's connection, kept in a private file of the state directory. */

import path from "node:path";
import type { RpcClient } from "../../../shared/rpc/index.ts";
import type { ServedContract } from "../../gateway/gatewayContract.ts";
import { readTextFile, withFileLock, writeFileAtomic } from "../../runtime/storage/index.ts";
import type { Place } from "../access.ts";

/** @returns the file that keeps the token of the client with this name */
export function tokenFileOf(place: Place, name: string): string {
  // Letters that may stand in file names everywhere; the name itself is checked by the caller.
  return path.join(place.stateDir, `sallyport-mcp-${name}.token`);
}

/**
 * @param refused a token that the Gateway no longer takes; it is replaced
 * @returns a token that is valid as far as the Gateway's list says. A client that is new is unmapped: the person is
 *   shown it, and it knows what profile `minimal` names until it is mapped
 */
export async function ensureClientToken(
  place: Place,
  name: string,
  rpc: RpcClient<ServedContract>,
  refused: string | null = null,
): Promise<string> {
  const file = tokenFileOf(place, name);
  // Two bridges of one name may start at once: the second must find the first one's token, not rotate it away.
  return withFileLock(file, async () => {
    const kept = (await readTextFile(file))?.trim() ?? "";
    const { clients } = await rpc.call("clients.list", {});
    const client = clients.find((candidate) => candidate.name === name);
    if (kept !== "" && kept !== refused && client?.tokenHint === kept.slice(-4)) return kept;
    const { token } =
      client === undefined
        ? await rpc.call("clients.create", { name })
        : await rpc.call("clients.rotateToken", { id: client.id });
    await writeFileAtomic(file, `${token}\n`);
    return token;
  });
}
