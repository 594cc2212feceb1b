/** Fetches the bytes of a recording part by part and makes one blob of them. */

import type { SpokenAudio } from "../../../shared/contract/index.ts";
import type { PanelRpc } from "../../rpc/connection.ts";

/** Only sound that a browser plays, whatever the runtime would call it. */
const playableTypes: ReadonlySet<string> = new Set([
  "audio/mpeg",
  "audio/ogg",
  "audio/wav",
  "audio/webm",
  "audio/flac",
]);
/** As large as a recording of the runtime can be. */
const maxBytes = 32_000_000;

/** @throws AppError NOT_FOUND when the runtime has removed it; Error when it is no recording that can be played */
export async function loadRecording(rpc: PanelRpc, audio: SpokenAudio, signal: AbortSignal): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let type = "";
  let loaded = 0;
  for (let offset: number | null = 0; offset !== null; ) {
    const part: { data: string; mimeType: string; nextOffset: number | null } = await rpc.call(
      "speech.audio",
      { id: audio.id, offset },
      { signal },
    );
    const bytes = bytesOf(part.data);
    loaded += bytes.length;
    // An end that never comes would fill the memory.
    if (loaded > maxBytes || (part.nextOffset !== null && part.nextOffset !== loaded)) {
      throw new Error(`recording ${audio.id} is larger than a recording can be`);
    }
    parts.push(bytes);
    type = part.mimeType;
    offset = part.nextOffset;
  }
  return new Blob(parts, { type: playableTypes.has(type) ? type : "application/octet-stream" });
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  return bytes;
}
