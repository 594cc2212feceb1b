import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { Writable } from "node:stream";
import { crc32 } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createProgress } from "../progress.mjs";
import { placeInRuntime } from "./fallback.mjs";
import { describeRelease, executableName, whyUnreachable } from "./official.mjs";
import { resolveElectron } from "./resolveElectron.mjs";
import { unpackZip } from "./unpackZip.mjs";

const VERSION = "99.1.2";

/** A zip with stored (not compressed) files and their POSIX modes. */
function storedZip(files: { name: string; text: string; mode: number }[]): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, text, mode } of files) {
    const data = Buffer.from(text);
    const nameBytes = Buffer.from(name);
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt32LE(crc32(data), 10);
    shared.writeUInt32LE(data.length, 14);
    shared.writeUInt32LE(data.length, 18);
    shared.writeUInt16LE(nameBytes.length, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), shared, nameBytes, data]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE((mode << 16) >>> 0, 6);
    tail.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from("PK\x01\x02"), Buffer.from([20, 3]), shared, tail, nameBytes]));
    bodies.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06");
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, central, end]);
}

const release = describeRelease(VERSION, {});
const archive = storedZip([
  { name: executableName(), text: "#!/bin/sh\necho v99.1.2\n", mode: 0o100755 },
  { name: "resources/readme.txt", text: "a file", mode: 0o100644 },
]);
const archiveSha256 = createHash("sha256").update(archive).digest("hex");

let root: string;
let mirror: Server;
let mirrorUrl: string;
let checksums: string;
let asked: string[];
let lines: string[];

const progress = createProgress(
  new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  }),
);
const mirrorEnv = () => ({ ELECTRON_MIRROR: mirrorUrl, electron_use_remote_checksums: "1" });
const cacheEntries = () => readdirSync(path.join(root, ".cache", "electron"));

beforeEach(async () => {
  lines = [];
  asked = [];
  checksums = `${archiveSha256} *${release.fileName}\n`;
  root = mkdtempSync(path.join(tmpdir(), "sallyport-electron-"));
  writeFileSync(path.join(root, "package.json"), JSON.stringify({ devDependencies: { electron: VERSION } }));
  mirror = createServer((request, response) => {
    asked.push(request.url ?? "");
    if (request.url === `/v${VERSION}/${release.fileName}`) response.end(archive);
    else if (request.url === `/v${VERSION}/SHASUMS256.txt`) response.end(checksums);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => mirror.listen(0, "127.0.0.1", resolve));
  mirrorUrl = `http://127.0.0.1:${(mirror.address() as AddressInfo).port}/`;
});

afterEach(async () => {
  mirror.closeAllConnections();
  await new Promise((resolve) => mirror.close(resolve));
  rmSync(root, { recursive: true, force: true });
});

describe("the official Electron", () => {
  it("is fetched from ELECTRON_MIRROR, checked, unpacked, and not fetched again", async () => {
    const first = await resolveElectron(root, progress, { env: mirrorEnv() });
    expect(first).toMatchObject({ kind: "runtime", origin: "official", version: VERSION });
    const executable = first.kind === "runtime" ? first.executable : "";
    expect(statSync(executable).mode & 0o111).not.toBe(0);
    expect(lines.join("")).toContain(`Downloading Electron ${VERSION} from ${mirrorUrl}v${VERSION}/`);

    asked = [];
    expect(await resolveElectron(root, progress, { env: mirrorEnv() })).toEqual(first);
    expect(asked).toEqual([]);
  });

  it("is refused when its checksum is another, and nothing of it stays", async () => {
    checksums = `${"0".repeat(64)} *${release.fileName}\n`;
    await expect(resolveElectron(root, progress, { env: mirrorEnv() })).rejects.toMatchObject({
      name: "SetupProblem",
      message: expect.stringContaining("does not have the expected checksum"),
      nextStep: expect.stringContaining("ELECTRON_MIRROR"),
    });
    expect(cacheEntries()).toEqual([]);
  });

  it("is refused when the mirror has no checksum for it", async () => {
    checksums = `${archiveSha256} *another-file.zip\n`;
    await expect(resolveElectron(root, progress, { env: mirrorEnv() })).rejects.toMatchObject({
      message: expect.stringContaining("no checksum"),
    });
  });

  it("counts as out of reach at once when nobody listens, and soon when nobody answers", async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const port = (silent.address() as AddressInfo).port;
    const silentRelease = describeRelease(VERSION, { ELECTRON_MIRROR: `http://127.0.0.1:${port}` });
    expect(await whyUnreachable(silentRelease, 100)).toContain("did not answer");
    silent.closeAllConnections();
    await new Promise((resolve) => silent.close(resolve));
    expect(await whyUnreachable(silentRelease, 5000)).toContain("ECONNREFUSED");
  });

  it("follows the addresses that Electron's own installer follows", () => {
    expect(release.url).toBe(
      `https://github.com/electron/electron/releases/download/v${VERSION}/${release.fileName}`,
    );
    const custom = { ELECTRON_MIRROR: "https://mirror.example/e", ELECTRON_CUSTOM_DIR: "{{ version }}" };
    expect(describeRelease(VERSION, custom).url).toBe(
      `https://mirror.example/e/${VERSION}/${release.fileName}`,
    );
  });
});

describe("ELECTRON_OVERRIDE_DIST_PATH", () => {
  it("wins over everything, without asking the network", async () => {
    writeFileSync(path.join(root, path.basename(executableName())), "");
    writeFileSync(path.join(root, "version"), "v12.3.4");
    const choice = await resolveElectron(root, progress, {
      env: { ...mirrorEnv(), ELECTRON_OVERRIDE_DIST_PATH: root },
    });
    expect(choice).toMatchObject({ kind: "runtime", origin: "override", version: "12.3.4" });
    expect(asked).toEqual([]);
  });

  it("is an error when there is no Electron in it", async () => {
    const env = { ELECTRON_OVERRIDE_DIST_PATH: path.join(root, "nowhere") };
    await expect(resolveElectron(root, progress, { env })).rejects.toMatchObject({ name: "SetupProblem" });
  });
});

describe("unpacking", () => {
  it("leaves out what is not wanted and renames the rest", async () => {
    const zip = path.join(root, "a.zip");
    writeFileSync(zip, archive);
    const target = path.join(root, "out");
    await unpackZip(zip, target, (name: string) => (name.startsWith("resources/") ? null : "renamed"));
    expect(readdirSync(target)).toEqual(["renamed"]);
  });

  it("refuses a place outside of its folder", async () => {
    const zip = path.join(root, "a.zip");
    writeFileSync(zip, archive);
    await expect(unpackZip(zip, path.join(root, "out"), () => "../escaped")).rejects.toThrow("outside");
    expect(existsSync(path.join(root, "escaped"))).toBe(false);
  });
});

describe("the registry's Electron", () => {
  it("keeps the runtime and drops the app that was in it", () => {
    expect(placeInRuntime("Cypress/Cypress")).toBe("electron");
    expect(placeInRuntime("Cypress/locales/de.pak")).toBe("locales/de.pak");
    for (const dropped of [
      "Cypress/resources/app/package.json",
      "Cypress/resources/app-update.yml",
      "Cypress/browser_v8_context_snapshot.bin",
      "elsewhere/file",
    ]) {
      expect(placeInRuntime(dropped)).toBeNull();
    }
  });
});
