/** `sallyport tts status|say|auto|provider`: speech from a terminal. */

import { type FileHandle, open, rm } from "node:fs/promises";
import path from "node:path";
import { Command } from "commander";
import { AppError, messageOf } from "../../../shared/errors/index.ts";
import {
  isSpeechProvider,
  modeOf,
  normalizeSpeechProvider,
  type SpeechProviderId,
  speechModes,
} from "../../../shared/speech/index.ts";
import { statusText } from "../../runtime/speech/ttsCommandDesk.ts";
import { type Access, openAccess } from "../access.ts";
import { type CliContext, print } from "../context.ts";
import { safeText } from "../io.ts";
import { refuseSelfApproval } from "../selfApproval.ts";

interface SayOptions {
  out?: string;
  provider?: string;
  json?: boolean;
}

interface SessionOptions {
  session?: string;
  json?: boolean;
}

export function ttsCommand(context: CliContext): Command {
  return new Command("tts")
    .description("Speech: who speaks, when replies are read aloud, and a text as a recording")
    .addCommand(
      new Command("status")
        .description("Show what counts now")
        .option("--session <key>", "for this conversation; absent: for those without a switch of their own")
        .option("--json", "print JSON")
        .action((options: SessionOptions) => status(context, options)),
    )
    .addCommand(
      new Command("say")
        .description("Write a text as a recording; without a text it is read from standard input")
        .argument("[text...]")
        .requiredOption("--out <file>", "write this new file; an existing one is left alone")
        .option("--provider <id>", "who speaks first: openai, elevenlabs, microsoft or system")
        .option("--json", "print JSON")
        .action((words: string[], options: SayOptions) => say(context, words, options)),
    )
    .addCommand(
      new Command("auto")
        .description("Choose when replies are read aloud")
        .argument("<mode>", speechModes.join(", "))
        .option("--session <key>", "for this conversation alone")
        .option("--json", "print JSON")
        .action((mode: string, options: SessionOptions) => auto(context, mode, options)),
    )
    .addCommand(
      new Command("provider")
        .description("Choose who speaks first; `auto` leaves it to Sallyport")
        .argument("<id>", "openai, elevenlabs, microsoft, system or auto")
        .option("--json", "print JSON")
        .action((id: string, options: SessionOptions) => provider(context, id, options)),
    );
}

async function withAccess<T>(context: CliContext, run: (access: Access) => Promise<T>): Promise<T> {
  const access = await openAccess(context.io, context.version);
  try {
    return await run(access);
  } finally {
    await access.close();
  }
}

function status(context: CliContext, { session, json }: SessionOptions): Promise<void> {
  return withAccess(context, async ({ rpc }) => {
    const view = await rpc.call("speech.settings", session === undefined ? {} : { sessionKey: session });
    print(context, json, view, [safeText(statusText(view))]);
  });
}

function auto(context: CliContext, given: string, { session, json }: SessionOptions): Promise<void> {
  const mode = modeOf(given);
  if (mode === undefined) throw wrongUse(`${given} is no mode. Use ${speechModes.join(", ")}.`);
  refuseSelfApproval(context.io.env, "change when replies are read aloud");
  return withAccess(context, async ({ rpc }) => {
    const view =
      session === undefined
        ? await rpc.call("speech.set", { auto: mode })
        : await rpc.call("speech.setSession", { sessionKey: session, mode });
    print(context, json, view, [safeText(statusText(view))]);
  });
}

function provider(context: CliContext, given: string, { json }: SessionOptions): Promise<void> {
  const chosen = given.trim().toLowerCase() === "auto" ? null : providerOf(given);
  // The choice is a person's consent to what leaves this computer.
  refuseSelfApproval(context.io.env, "choose who gets the texts that are spoken");
  return withAccess(context, async ({ rpc }) => {
    const view = await rpc.call("speech.set", { provider: chosen });
    print(context, json, view, [safeText(statusText(view))]);
  });
}

async function say(context: CliContext, words: string[], options: SayOptions): Promise<void> {
  const { io } = context;
  const text = words.length > 0 ? words.join(" ") : await io.readStdin();
  const first = options.provider === undefined ? undefined : providerOf(options.provider);
  const file = path.resolve(io.cwd, options.out ?? "");
  await withAccess(context, async ({ rpc }) => {
    // Before anything is spoken: a service may take money for a recording that has no place then.
    const handle = await open(file, "wx", 0o600).catch((cause: unknown) => {
      throw new AppError("UNAVAILABLE", `${file} cannot be written: ${messageOf(cause)}.`, { cause });
    });
    const outcome = await speakInto(handle, rpc, { text, first, signal: io.signal }).catch(
      async (error: unknown) => {
        await rm(file, { force: true });
        throw error;
      },
    );
    const { audio, provider: speaker } = outcome;
    const length = audio.durationMs === null ? "" : `, ${(audio.durationMs / 1000).toFixed(1)} s`;
    print(context, options.json, { ...outcome, file }, [
      `Spoken by ${speaker}${length}: ${safeText(file)} (${audio.mimeType}, ${audio.sizeBytes} bytes).`,
    ]);
  });
}

/** Speaks, and writes the recording part by part; the file is closed whatever happens. */
async function speakInto(
  handle: FileHandle,
  rpc: Access["rpc"],
  { text, first, signal }: { text: string; first: SpeechProviderId | undefined; signal: AbortSignal },
) {
  try {
    const asked = { text, ...(first === undefined ? {} : { provider: first }) };
    const outcome = await rpc.call("speech.say", asked, { signal });
    if (outcome.kind === "failed") throw new AppError("TOOL_FAILED", outcome.error);
    const { id } = outcome.audio;
    for (let offset: number | null = 0; offset !== null; ) {
      const part: { data: string; nextOffset: number | null } = await rpc.call("speech.audio", {
        id,
        offset,
      });
      await handle.writeFile(Buffer.from(part.data, "base64"));
      offset = part.nextOffset;
    }
    return outcome;
  } finally {
    await handle.close();
  }
}

function providerOf(given: string) {
  const id = normalizeSpeechProvider(given) ?? "";
  if (isSpeechProvider(id)) return id;
  throw wrongUse(`${given} is no speech provider. Use openai, elevenlabs, microsoft or system.`);
}

function wrongUse(message: string): AppError {
  return new AppError("INVALID_INPUT", message, { data: { usage: true } });
}
