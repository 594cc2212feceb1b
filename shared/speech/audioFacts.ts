/** What a recording is and how long it lasts, by its bytes: what a service says about its answer is not enough. */

export type AudioFormat = "mp3" | "ogg" | "wav" | "webm" | "flac";

export interface AudioFacts {
  format: AudioFormat;
  mimeType: string;
  /** With the dot. */
  extension: string;
  /** null: the format does not say it at a place that is read here. */
  durationMs: number | null;
}

const mimeTypes: Readonly<Record<AudioFormat, string>> = {
  mp3: "audio/mpeg",
  ogg: "audio/ogg",
  wav: "audio/wav",
  webm: "audio/webm",
  flac: "audio/flac",
};

/** @returns null when the bytes are no audio of a known kind */
export function audioFacts(bytes: Uint8Array): AudioFacts | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const format = formatOf(bytes);
  if (format === null) return null;
  const durationMs =
    format === "wav" ? wavMs(view) : format === "ogg" ? oggMs(view) : format === "mp3" ? mp3Ms(view) : null;
  // Whole opus files keep the name that voice messages go by.
  const extension = format === "ogg" ? ".opus" : `.${format}`;
  return { format, mimeType: mimeTypes[format], extension, durationMs };
}

function formatOf(bytes: Uint8Array): AudioFormat | null {
  const mark = text(bytes, 0, 4);
  if (mark === "RIFF" && text(bytes, 8, 4) === "WAVE") return "wav";
  if (mark === "OggS") return "ogg";
  if (mark === "fLaC") return "flac";
  if (bytes[0] === 0x1a && bytes[1] === 0x45 && bytes[2] === 0xdf && bytes[3] === 0xa3) return "webm";
  if (mark.startsWith("ID3") || frameAt(bytes, 0) !== null) return "mp3";
  return null;
}

function text(bytes: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + length));
}

/** RIFF: chunks with a name and a length; programs that stream leave lengths that are too large. */
function wavMs(view: DataView): number | null {
  let byteRate = 0;
  for (let at = 12; at + 8 <= view.byteLength; ) {
    const name = view.getUint32(at);
    const size = view.getUint32(at + 4, true);
    if (name === 0x666d7420 && at + 20 <= view.byteLength) byteRate = view.getUint32(at + 16, true);
    if (name === 0x64617461) {
      const dataBytes = Math.min(size, view.byteLength - at - 8);
      return byteRate === 0 ? null : Math.round((dataBytes / byteRate) * 1000);
    }
    at += 8 + size + (size % 2);
  }
  return null;
}

const opusSamplesPerSecond = 48_000;
/** The last page begins no farther from the end. */
const maxOggPageBytes = 65_307;

/** The position in the last page of an Opus stream counts samples at 48 kHz. */
function oggMs(view: DataView): number | null {
  const first = new Uint8Array(view.buffer, view.byteOffset, Math.min(view.byteLength, 64));
  if (!text(first, 0, first.length).includes("OpusHead")) return null;
  const from = Math.max(0, view.byteLength - maxOggPageBytes);
  for (let at = view.byteLength - 14; at >= from; at -= 1) {
    if (view.getUint32(at) !== 0x4f676753) continue;
    const samples = view.getBigInt64(at + 6, true);
    return samples > 0n ? Math.round((Number(samples) / opusSamplesPerSecond) * 1000) : null;
  }
  return null;
}

const kbitsMpeg1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const kbitsMpeg2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];

/** Speech services send a constant bit rate: the first frame tells it. */
function mp3Ms(view: DataView): number | null {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  let start = 0;
  if (text(bytes, 0, 3) === "ID3" && view.byteLength > 10) {
    const part = (index: number) => (bytes[index] ?? 0) & 0x7f;
    start = 10 + ((part(6) << 21) | (part(7) << 14) | (part(8) << 7) | part(9));
  }
  const kbits = frameAt(bytes, start);
  return kbits === null ? null : Math.round(((view.byteLength - start) * 8) / kbits);
}

/** @returns kilobits per second of the layer III frame that begins there; null when there is none */
function frameAt(bytes: Uint8Array, at: number): number | null {
  const [sync = 0, head = 0, rates = 0] = bytes.subarray(at, at + 3);
  if (sync !== 0xff || (head & 0xe0) !== 0xe0) return null;
  const version = (head >> 3) & 3;
  const isLayer3 = ((head >> 1) & 3) === 1;
  // Version 1 and sample rate 3 are reserved.
  if (!isLayer3 || version === 1 || ((rates >> 2) & 3) === 3) return null;
  const kbits = (version === 3 ? kbitsMpeg1 : kbitsMpeg2)[rates >> 4];
  return kbits === undefined || kbits === 0 ? null : kbits;
}
