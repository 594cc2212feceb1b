/** For tests: speech on local servers and in a folder of its own, with config, environment and clock in hand. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Hardening } from "../../../shared/hardening/rules.ts";
import { allSpeechHardening } from "../../../shared/speech/index.ts";
import { createManualClock, type ManualClock } from "../clock.ts";
import { silentLogger } from "../logging/logger.ts";
import { createGuardedFetch, type GuardedFetch } from "../net/guardedFetch.ts";
import { startTestServer, type TestHandler, type TestServer, testResolver } from "../net/testServer.ts";
import { createSpeech, type Speech, type SpeechDeps } from "./createSpeech.ts";
import type { SystemEngine } from "./systemEngines.ts";

export interface TestSpeech {
  /** Change it between calls. */
  settings: { config: unknown; hardening: Hardening; env: Record<string, string> };
  clock: ManualClock;
  stateDir: string;
  speech: Speech;
  /** What went to the ledger. */
  records: { kind: string; by: string; data: Record<string, unknown> }[];
}

/** No speech program on this computer: tests that want one say so. */
const noEngine: SystemEngine = {
  name: "none",
  find: async () => null,
  command: () => {
    throw new Error("There is no engine.");
  },
};

const cleanUps: (() => unknown)[] = [];

/** For `afterEach`. */
export async function cleanUpSpeech(): Promise<void> {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
}

/** @param origins where requests to real services go instead: `https://api.example.com` to a local origin */
export function makeTestSpeech(
  over: Partial<SpeechDeps> = {},
  origins: ReadonlyMap<string, string> = new Map(),
): TestSpeech {
  const settings: TestSpeech["settings"] = { config: {}, hardening: allSpeechHardening, env: {} };
  const clock = createManualClock();
  const records: TestSpeech["records"] = [];
  const stateDir = makeFolder();
  const guarded = createGuardedFetch({ resolve: testResolver });
  const fetch: GuardedFetch = (request) => {
    const { origin } = new URL(request.url);
    const local = origins.get(origin);
    return guarded(local === undefined ? request : { ...request, url: request.url.replace(origin, local) });
  };
  const speech = createSpeech({
    config: () => settings.config,
    hardening: () => settings.hardening,
    env: settings.env,
    stateDir,
    homeDir: stateDir,
    clock,
    logger: silentLogger,
    record: (kind, by, data) => records.push({ kind, by, data }),
    fetch,
    engine: noEngine,
    // Nobody listens there: tests that want the service bring one.
    readAloudUrl: "ws://127.0.0.1:1/",
    ...over,
  });
  cleanUps.push(() => speech.dispose());
  return { settings, clock, stateDir, speech, records };
}

export function makeFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "sallyport-speech-test-"));
  cleanUps.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export async function serve(handle: TestHandler): Promise<TestServer> {
  const server = await startTestServer(handle);
  cleanUps.push(() => server.close());
  return server;
}

export function onCleanUp(run: () => unknown): void {
  cleanUps.push(run);
}

/** One second of MPEG 2 layer III at 48 kbit/s, silent. */
export const mp3Second = Buffer.concat([Buffer.from([0xff, 0xf3, 0x64, 0xc4]), Buffer.alloc(5996)]);

/** An Ogg stream with the head of Opus and a last page at two seconds. */
export const opusTwoSeconds = Buffer.concat([
  oggPage(0n, Buffer.from("OpusHead\u0001\u0001\0\0\u0080\u00bb\0\0\0\0\0", "latin1")),
  oggPage(96_000n, Buffer.alloc(40)),
]);

function oggPage(granule: bigint, body: Buffer): Buffer {
  const head = Buffer.alloc(28);
  head.write("OggS", 0, "latin1");
  head.writeBigInt64LE(granule, 6);
  head[26] = 1;
  head[27] = body.length;
  return Buffer.concat([head, body]);
}

/** A WAV file of 16-bit samples with so many milliseconds of silence. */
function wavOf(durationMs: number): Buffer {
  const data = Buffer.alloc(Math.round((durationMs * 44_100) / 1000 / 2) * 2);
  const head = Buffer.alloc(44);
  head.write("RIFF", 0, "latin1");
  head.writeUInt32LE(36 + data.length, 4);
  head.write("WAVEfmt ", 8, "latin1");
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(22_050, 24);
  head.writeUInt32LE(44_100, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write("data", 36, "latin1");
  head.writeUInt32LE(data.length, 40);
  return Buffer.concat([head, data]);
}

/**
 * A program that records its arguments, input and environment as JSON in `<folder>/calls.jsonl` and copies a given WAV
 * file to where `outFile` says.
 * @param outFile expression of the script for the path of the recording
 * @returns absolute path of the program
 */
export function makeRecordingProgram(folder: string, name: string, outFile: string): string {
  mkdirSync(folder, { recursive: true });
  const wav = path.join(folder, "answer.wav");
  writeFileSync(wav, wavOf(500));
  const script = `#!${process.execPath}
const fs = require("node:fs");
const stdin = fs.readFileSync(0, "utf8");
const args = process.argv.slice(2);
const env = process.env;
fs.appendFileSync(${JSON.stringify(path.join(folder, "calls.jsonl"))}, JSON.stringify({ args, stdin, env }) + "\\n");
if (args[0] === "-v" && args[1] === "?") {
  process.stdout.write("Alex                en_US    # Most people recognize me\\nTing-Ting (Premium)  zh_CN    # 你好\\n");
  process.exit(0);
}
fs.copyFileSync(${JSON.stringify(wav)}, ${outFile});
`;
  const file = path.join(folder, name);
  writeFileSync(file, script, { mode: 0o755 });
  return file;
}
