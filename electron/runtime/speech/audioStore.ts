/** Recordings as private files that remove themselves after five minutes, and their bytes in parts for the panel. */

import { randomUUID } from "node:crypto";
import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { SpokenAudio } from "../../../shared/contract/index.ts";
import { AppError } from "../../../shared/errors/index.ts";
import type { AudioFacts } from "../../../shared/speech/index.ts";
import type { Clock } from "../clock.ts";
import type { Logger } from "../logging/logger.ts";
import type { Subtitle } from "./speechTypes.ts";

export interface AudioStore {
  save(
    bytes: Buffer,
    facts: AudioFacts,
    subtitles?: readonly Subtitle[],
  ): Promise<{ audio: SpokenAudio; audioPath: string }>;
  /** @throws AppError NOT_FOUND when it was removed, INVALID_INPUT when the offset lies behind its end */
  part(
    id: string,
    offset: number,
  ): Promise<{ data: string; mimeType: string; sizeBytes: number; nextOffset: number | null }>;
  /** Removes everything at once. */
  dispose(): Promise<void>;
}

const keptMs = 5 * 60_000;
/** A message of the contract stays well below what a connection takes. */
const partBytes = 1_000_000;
/** An agent that speaks without end must not fill the disk: the oldest recordings go first. */
const maxKeptBytes = 300_000_000;

interface Kept {
  audio: SpokenAudio;
  audioPath: string;
  folder: string;
  cancelRemoval(): void;
}

export function createAudioStore(deps: { clock: Clock; logger: Logger }): AudioStore {
  const { clock, logger } = deps;
  const kept = new Map<string, Kept>();

  const remove = async (id: string) => {
    const found = kept.get(id);
    if (found === undefined) return;
    kept.delete(id);
    found.cancelRemoval();
    await rm(found.folder, { recursive: true, force: true });
  };
  const removeQuietly = (id: string) => {
    remove(id).catch((error: unknown) => logger.warn("speech.notRemoved", { id, error }));
  };

  return {
    async save(bytes, facts, subtitles) {
      // Only the owner may enter a folder that mkdtemp makes.
      const folder = await mkdtemp(path.join(tmpdir(), "tts-"));
      try {
        const audioPath = path.join(folder, `voice-${clock.nowMs()}${facts.extension}`);
        await writeFile(audioPath, bytes, { mode: 0o600, flag: "wx" });
        if (subtitles !== undefined) {
          await writeFile(`${audioPath}.json`, JSON.stringify(subtitles, null, 2), {
            mode: 0o600,
            flag: "wx",
          });
        }
        const id = randomUUID();
        const audio: SpokenAudio = {
          id,
          mimeType: facts.mimeType,
          sizeBytes: bytes.length,
          durationMs: facts.durationMs,
          expiresAtMs: clock.nowMs() + keptMs,
        };
        kept.set(id, {
          audio,
          audioPath,
          folder,
          cancelRemoval: clock.after(keptMs, () => removeQuietly(id)),
        });
        let total = [...kept.values()].reduce((sum, one) => sum + one.audio.sizeBytes, 0);
        for (const [oldest, one] of [...kept]) {
          if (total <= maxKeptBytes || oldest === id) break;
          total -= one.audio.sizeBytes;
          await remove(oldest);
        }
        return { audio, audioPath };
      } catch (error) {
        await rm(folder, { recursive: true, force: true });
        throw error;
      }
    },
    async part(id, offset) {
      const found = kept.get(id);
      if (found === undefined) {
        throw new AppError("NOT_FOUND", "This recording was removed. They are kept for five minutes.");
      }
      const { sizeBytes, mimeType } = found.audio;
      if (offset > sizeBytes)
        throw new AppError("INVALID_INPUT", "The offset lies behind the recording's end.");
      const file = await open(found.audioPath, "r");
      try {
        const length = Math.min(partBytes, sizeBytes - offset);
        const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
        const end = offset + bytesRead;
        // A file that became shorter must not make anybody ask for ever.
        if (bytesRead < length) throw new AppError("UNAVAILABLE", "The recording was changed on the disk.");
        const nextOffset = end < sizeBytes ? end : null;
        return { data: buffer.toString("base64"), mimeType, sizeBytes, nextOffset };
      } finally {
        await file.close();
      }
    },
    async dispose() {
      await Promise.all([...kept.keys()].map((id) => remove(id)));
    },
  };
}
