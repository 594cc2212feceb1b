/** Pictures and documents that were made of pages: one private folder, a bounded number of files. */

import { randomUUID } from "node:crypto";
import { chmod, mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

const maxFiles = 300;
const ownName = /^[0-9a-f-]{36}\.(?:png|jpg|pdf)$/;

export interface MediaStore {
  /** @returns the absolute path */
  save(bytes: Uint8Array, ending: "png" | "jpg" | "pdf"): Promise<string>;
}

export function createMediaStore(stateDir: string): MediaStore {
  const media = join(stateDir, "media");
  const folder = join(media, "browser");
  const tidy = async () => {
    const names = (await readdir(folder)).filter((name) => ownName.test(name));
    if (names.length <= maxFiles) return;
    const aged = await Promise.all(
      names.map(async (name) => ({ name, atMs: (await stat(join(folder, name))).mtimeMs })),
    );
    aged.sort((a, b) => a.atMs - b.atMs);
    for (const { name } of aged.slice(0, aged.length - maxFiles))
      await rm(join(folder, name), { force: true });
  };
  return {
    async save(bytes, ending) {
      await mkdir(media, { recursive: true, mode: 0o700 });
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await chmod(folder, 0o700);
      const path = join(folder, `${randomUUID()}.${ending}`);
      await writeFile(path, bytes, { mode: 0o600, flag: "wx" });
      await tidy();
      return path;
    },
  };
}
