/** Client of the read-aloud service of Microsoft Edge: one text in, audio out, over one WebSocket. */

import { createHash, randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import { type RawData, WebSocket } from "ws";
import { AppError } from "../../../shared/errors/index.ts";
import { getIn, getList } from "../../../shared/policy/configRecord.ts";
import { netProblem } from "../net/netProblem.ts";
import { maxAudioBytes, type Subtitle } from "./speechTypes.ts";

export const readAloudUrl = "wss://speech.platform.bing.com/consumer/speech/synthesize/readaloud/edge/v1";

/** What the browser that the service is made for sends; the same for everybody. */
const clientToken = "6A5AA1D4EAFF4E9FB37E23D68491D6F4";
const browserVersion = "143.0.3650.75";
const browserMajor = browserVersion.split(".")[0];
/** Seconds between the epochs of Windows and of Unix; the proof changes every five minutes. */
const windowsEpochSeconds = 11_644_473_600;
const proofPeriodSeconds = 300;

/** More words than a text that can be spoken has. */
const maxSubtitles = 50_000;
/** What a message costs at least, whatever is in it. */
const minCountedBytes = 100;

export interface ReadAloudRequest {
  /** `wss:` or, in tests, `ws:`; without a query. */
  baseUrl: string;
  text: string;
  voice: string;
  lang: string;
  rate: string;
  pitch: string;
  volume: string;
  outputFormat: string;
  wantsSubtitles: boolean;
  nowMs: number;
  /** Connected already, through a proxy for instance; absent: connects itself. */
  socket?: Socket;
  timeoutMs: number;
  signal: AbortSignal;
}

export interface ReadAloudAnswer {
  bytes: Buffer;
  subtitles: Subtitle[];
}

/** @throws AppError TIMEOUT or TOOL_FAILED; the signal's reason when the caller cancelled */
export function readAloud(request: ReadAloudRequest): Promise<ReadAloudAnswer> {
  return new Promise((resolve, reject) => {
    const given = request.socket;
    if (request.signal.aborted) {
      given?.destroy();
      return reject(request.signal.reason);
    }
    const socket = new WebSocket(addressOf(request), {
      origin: "chrome-extension://jdiccldimpdaibmpdkjnbmckianbfold",
      headers: {
        Pragma: "no-cache",
        "Cache-Control": "no-cache",
        "User-Agent": `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${browserMajor}.0.0.0 Safari/537.36 Edg/${browserMajor}.0.0.0`,
        "Accept-Language": "en-US,en;q=0.9",
      },
      maxPayload: maxAudioBytes,
      followRedirects: false,
      ...(given === undefined ? {} : { createConnection: () => given }),
    });
    const chunks: Buffer[] = [];
    const subtitles: Subtitle[] = [];
    let sizeBytes = 0;

    const end = (finish: () => void) => {
      clearTimeout(timer);
      request.signal.removeEventListener("abort", onAbort);
      // An answer that nobody waits for any more must not keep the connection open.
      socket.terminate();
      finish();
    };
    const fail = (error: unknown) => end(() => reject(error));
    const onAbort = () => fail(request.signal.reason);
    request.signal.addEventListener("abort", onAbort, { once: true });
    const timer = setTimeout(() => {
      const seconds = request.timeoutMs / 1000;
      fail(new AppError("TIMEOUT", `The read-aloud service did not answer within ${seconds} seconds.`));
    }, request.timeoutMs);

    socket.on("open", () => {
      socket.send(configMessage(request));
      socket.send(speechMessage(request));
    });
    socket.on("message", (data, isBinary) => {
      const bytes = bufferOf(data);
      // Everything counts: empty frames and texts without end would fill the memory as well.
      sizeBytes += Math.max(bytes.length, minCountedBytes);
      if (sizeBytes > maxAudioBytes) {
        return fail(netProblem("too_large", "The read-aloud service sent more than 32 MB."));
      }
      if (isBinary) {
        chunks.push(audioOf(bytes));
        return;
      }
      const message = bytes.toString("utf8");
      const path = pathOf(message);
      if (path === "audio.metadata" && request.wantsSubtitles) {
        for (const subtitle of subtitlesOf(message)) {
          if (subtitles.length < maxSubtitles) subtitles.push(subtitle);
        }
      }
      if (path === "turn.end") end(() => resolve({ bytes: Buffer.concat(chunks), subtitles }));
    });
    socket.on("unexpected-response", (_clientRequest, response) => {
      response.destroy();
      fail(
        netProblem("http_error", `The read-aloud service refused with status ${response.statusCode ?? 0}.`),
      );
    });
    socket.on("error", (cause) =>
      fail(netProblem("connect", "The read-aloud service cannot be reached.", { cause })),
    );
    socket.on("close", (code) =>
      fail(netProblem("bad_answer", `The read-aloud service ended the connection early (${code}).`)),
    );
  });
}

function addressOf({ baseUrl, nowMs }: ReadAloudRequest): string {
  const url = new URL(baseUrl);
  url.searchParams.set("TrustedClientToken", clientToken);
  url.searchParams.set("Sec-MS-GEC", timeProof(nowMs));
  url.searchParams.set("Sec-MS-GEC-Version", `1-${browserVersion}`);
  return url.href;
}

/** SHA-256 over the token and the time in steps of five minutes, as ticks of 100 nanoseconds since 1601. */
export function timeProof(nowMs: number): string {
  const seconds = Math.floor(nowMs / 1000) + windowsEpochSeconds;
  const ticks = BigInt(seconds - (seconds % proofPeriodSeconds)) * 10_000_000n;
  return createHash("sha256").update(`${ticks}${clientToken}`, "ascii").digest("hex").toUpperCase();
}

function configMessage({ outputFormat, wantsSubtitles }: ReadAloudRequest): string {
  const config = {
    context: {
      synthesis: {
        audio: {
          metadataoptions: {
            sentenceBoundaryEnabled: "false",
            wordBoundaryEnabled: wantsSubtitles ? "true" : "false",
          },
          outputFormat,
        },
      },
    },
  };
  return `Content-Type:application/json; charset=utf-8\r\nPath:speech.config\r\n\r\n${JSON.stringify(config)}`;
}

function speechMessage(request: ReadAloudRequest): string {
  const { voice, lang, rate, pitch, volume, text } = request;
  const id = randomBytes(16).toString("hex");
  const ssml =
    `<speak version="1.0" xmlns="http://www.w3.org/2001/10/synthesis" xml:lang="${xml(lang)}">` +
    `<voice name="${xml(voice)}"><prosody rate="${xml(rate)}" pitch="${xml(pitch)}" volume="${xml(volume)}">` +
    `${xml(text)}</prosody></voice></speak>`;
  return `X-RequestId:${id}\r\nContent-Type:application/ssml+xml\r\nPath:ssml\r\n\r\n${ssml}`;
}

const entities: ReadonlyMap<string, string> = new Map([
  ["<", "&lt;"],
  [">", "&gt;"],
  ["&", "&amp;"],
  ['"', "&quot;"],
  ["'", "&apos;"],
]);

/** Characters that no XML may hold, halves of pairs among them, become blanks. */
function xml(text: string): string {
  return text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff\ud800-\udfff]/gu, " ")
    .replace(/[<>&"']/g, (character) => entities.get(character) ?? character);
}

function bufferOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}

/** Two bytes with the length of the head, the head, then audio. */
function audioOf(frame: Buffer): Buffer {
  if (frame.length < 2) return Buffer.alloc(0);
  const headEnd = 2 + frame.readUInt16BE(0);
  const head = frame.subarray(2, headEnd).toString("latin1");
  return pathOf(`${head}\r\n\r\n`) === "audio" ? frame.subarray(headEnd) : Buffer.alloc(0);
}

function pathOf(message: string): string {
  const head = message.slice(0, Math.max(0, message.indexOf("\r\n\r\n")));
  return /^path:\s*(\S+)$/im.exec(head.replaceAll("\r", ""))?.[1]?.toLowerCase() ?? "";
}

const ticksPerMs = 10_000;

function subtitlesOf(message: string): Subtitle[] {
  let body: unknown;
  try {
    body = JSON.parse(message.slice(message.indexOf("\r\n\r\n") + 4));
  } catch {
    // Subtitles are an extra: broken ones are left out, and the audio counts.
    return [];
  }
  return (getList(body, "Metadata") ?? []).flatMap((item) => {
    const part = getIn(item, "Data", "text", "Text");
    const offset = getIn(item, "Data", "Offset");
    const duration = getIn(item, "Data", "Duration");
    if (typeof part !== "string" || typeof offset !== "number" || typeof duration !== "number") return [];
    const start = Math.floor(offset / ticksPerMs);
    return [{ part, start, end: Math.floor((offset + duration) / ticksPerMs) }];
  });
}
