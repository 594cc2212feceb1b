import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeTestFolder } from "../../storage/testFolder.ts";
import { moveToTrash, type TrashDeps } from "./moveToTrash.ts";

let folder = "";
let removeFolder: () => Promise<void>;
beforeEach(async () => {
  ({ folder, remove: removeFolder } = await makeTestFolder());
});
afterEach(() => removeFolder());

async function target(): Promise<string> {
  const made = path.join(folder, "profiles", "wörk 1");
  await mkdir(made, { recursive: true });
  await writeFile(path.join(made, "Cookies"), "x");
  return made;
}

const deps = (over: Partial<TrashDeps> = {}): TrashDeps => ({
  platform: "linux",
  env: { PATH: path.join(folder, "bin") },
  homeDir: folder,
  nowMs: () => 1_800_000_000_000,
  ...over,
});

test("on Linux the folder lies in the desktop's trash and can be restored", async () => {
  const from = await target();
  const done = await moveToTrash(from, deps());
  const trash = path.join(folder, ".local", "share", "Trash");
  expect(path.dirname(done?.to ?? "")).toBe(path.join(trash, "files"));
  expect(await readFile(path.join(done?.to ?? "", "Cookies"), "utf8")).toBe("x");
  const info = await readFile(path.join(trash, "info", `${path.basename(done?.to ?? "")}.trashinfo`), "utf8");
  expect(info).toMatch(/^\[Trash Info\]\nPath=.*\/profiles\/w%C3%B6rk%201\nDeletionDate=\d{4}-\d\d-\d\dT/);
  await expect(stat(from)).rejects.toThrow("ENOENT");
});

test("two of the same name lie beside each other", async () => {
  const first = await moveToTrash(await target(), deps());
  const second = await moveToTrash(await target(), deps());
  expect(first?.to).not.toBe(second?.to);
});

test("on macOS it lies in ~/.Trash", async () => {
  const done = await moveToTrash(await target(), deps({ platform: "darwin" }));
  expect(path.dirname(done?.to ?? "")).toBe(path.join(folder, ".Trash"));
});

test("a trash command is used when there is one, and one that fails is not the end", async () => {
  const bin = path.join(folder, "bin");
  await mkdir(bin);
  const program = path.join(bin, "trash");
  await writeFile(program, `#!/bin/sh\nexec /bin/mv "$1" ${JSON.stringify(path.join(folder, "taken"))}\n`);
  await chmod(program, 0o755);
  expect(await moveToTrash(await target(), deps())).toEqual({ to: null });
  expect(await readdir(path.join(folder, "taken"))).toEqual(["Cookies"]);
  await writeFile(program, "#!/bin/sh\nexit 1\n");
  expect((await moveToTrash(await target(), deps()))?.to).toContain(path.join("Trash", "files"));
});

test("nothing there is nothing to move, and a trash that cannot be used leaves it in place", async () => {
  expect(await moveToTrash(path.join(folder, "nothing"), deps())).toBeNull();
  const from = await target();
  await writeFile(path.join(folder, ".local"), "a file in the way");
  await expect(moveToTrash(from, deps())).rejects.toMatchObject({ code: "UNAVAILABLE" });
  expect(await readdir(from)).toEqual(["Cookies"]);
});
