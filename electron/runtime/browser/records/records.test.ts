/** The records of a page and the files that pass, without a browser. */

import { link, mkdir, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Dialog } from "playwright-core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createManualClock } from "../../clock.ts";
import { makeTestFolder } from "../../storage/testFolder.ts";
import { createDialogDesk } from "./dialogs.ts";
import { checkedDownloadPath, checkedUploads, type FileRoots, openFileRoots } from "./fileRoots.ts";
import { hideSecretsIn, mask } from "./hideSecrets.ts";
import { createPageRecords } from "./pageRecords.ts";
import { safeFileName } from "./safeNames.ts";

describe("records", () => {
  it("keep the newest, count all, and give what came behind a mark", () => {
    const records = createPageRecords(() => {});
    const add = (text: string) => records.add("console", { atMs: 1, type: "log", text, location: null });
    for (let count = 0; count < 600; count += 1) add(`line ${count}`);
    const mark = records.mark();
    add("behind");
    expect(records.list("console")).toHaveLength(500);
    expect(records.counts().console).toBe(601);
    expect(records.since("console", mark).map((entry) => entry.text)).toEqual(["behind"]);
    records.clear("console");
    expect(records.list("console")).toEqual([]);
  });
});

describe("secrets in texts", () => {
  it("leave nothing of a longer one that begins with a shorter one, as after a slip", () => {
    const secrets = ["hunt", "hunter 22"];
    const text = "hunter 22, ?q=hunter+22 and hunter%2022; hunt";
    expect(hideSecretsIn(text, secrets)).toBe(`${mask}, ?q=${mask} and ${mask}; ${mask}`);
    expect(hideSecretsIn(text, [...secrets].reverse())).toBe(hideSecretsIn(text, secrets));
  });

  it.each([
    ["http://a.test/?password=a;b=c&page=2#x", `http://a.test/?password=${mask}&page=2#x`],
    ["http://a.test/?page=1;password=two;three", `http://a.test/?page=1;password=${mask}`],
    ["password=first&page=2&token=third", `password=${mask}&page=2&token=${mask}`],
    ["http://a.test/?password=&page=2", "http://a.test/?password=&page=2"],
    ["http://a.test/?q=a=b;c", "http://a.test/?q=a=b;c"],
  ])("hides what an address or a form calls a secret, whole: %s", (text, shown) => {
    expect(hideSecretsIn(text, [])).toBe(shown);
  });
});

describe("dialogs", () => {
  const fakeDialog = () => {
    const answers: string[] = [];
    const dialog = {
      type: () => "confirm",
      message: () => "Sure?",
      accept: async (text?: string) => void answers.push(`accept ${text ?? ""}`),
      dismiss: async () => void answers.push("dismiss"),
    } as unknown as Dialog;
    return { dialog, answers };
  };

  it("of a tab that a person works in are left to the person", () => {
    const records = createPageRecords(() => {});
    const desk = createDialogDesk({
      clock: createManualClock(),
      records,
      isOurs: () => false,
      onFlood: () => {},
    });
    const { dialog, answers } = fakeDialog();
    desk.handle(dialog);
    expect(answers).toEqual([]);
    expect(records.list("dialogs")).toEqual([]);
  });

  it("are answered once as armed, and dismissed when the time is over", () => {
    const clock = createManualClock();
    const records = createPageRecords(() => {});
    const desk = createDialogDesk({ clock, records, isOurs: () => true, onFlood: () => {} });
    const { dialog, answers } = fakeDialog();
    desk.arm({ accept: true, promptText: "yes" }, 1000);
    desk.handle(dialog);
    desk.handle(dialog);
    desk.arm({ accept: true }, 1000);
    clock.advance(1001);
    desk.handle(dialog);
    expect(answers).toEqual(["accept yes", "dismiss", "dismiss"]);
  });
});

describe("names of downloads", () => {
  it.each([
    ["../../etc/passwd", "passwd"],
    ["C:\\temp\\a.txt", "a.txt"],
    ["..", "download"],
    ["", "download"],
    ["a\u0000b\u202Etxt.exe", "abtxt.exe"],
    [".bashrc", "bashrc"],
    [`${"x".repeat(300)}.pdf`, `${"x".repeat(196)}.pdf`],
  ])("%j is saved as %j", (suggested, safe) => {
    expect(safeFileName(suggested)).toBe(safe);
  });
});

describe("roots", () => {
  let folder = "";
  let remove: () => Promise<void>;
  let roots: FileRoots;

  beforeEach(async () => {
    ({ folder, remove } = await makeTestFolder());
    roots = await openFileRoots(folder, process.getuid?.() ?? null);
  });
  afterEach(() => remove());

  it("are private, and another user's or an open folder is not taken", async () => {
    expect((await stat(roots.uploads)).mode & 0o777).toBe(0o700);
    const open = join(folder, "open");
    await mkdir(join(open, "openclaw"), { recursive: true });
    const { chmod } = await import("node:fs/promises");
    await chmod(join(open, "openclaw"), 0o777);
    expect((await openFileRoots(open, 4242)).uploads).not.toContain(join("openclaw", "uploads"));
  });

  it("refuse hard links, links on the way, and folders", async () => {
    await writeFile(join(folder, "outside.txt"), "secret");
    await link(join(folder, "outside.txt"), join(roots.uploads, "hard.txt"));
    await symlink(folder, join(roots.uploads, "way"));
    await mkdir(join(roots.uploads, "inner"));
    await expect(checkedUploads(roots.uploads, ["hard.txt"])).rejects.toThrow(/hard link/);
    await expect(checkedUploads(roots.uploads, ["way/outside.txt"])).rejects.toThrow(/symbolic link/);
    await expect(checkedUploads(roots.uploads, ["inner"])).rejects.toThrow(/is no file/);
    await expect(checkedDownloadPath(roots.downloads, "way/x")).rejects.toThrow(/no folder|symbolic/);
    await writeFile(join(roots.uploads, "good.txt"), "ok");
    expect(await checkedUploads(roots.uploads, ["good.txt"])).toHaveLength(1);
  });
});
