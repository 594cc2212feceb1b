/** Where pictures and documents come from: files within an agent's limits, public addresses, data: addresses. */

import { lstat, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { AppError } from "../../../shared/errors/index.ts";
import { clip, sizeText } from "../../../shared/files/index.ts";
import { type AddressPolicy, strictAddresses } from "../../../shared/web/index.ts";
import type { GuardedFetch } from "../net/guardedFetch.ts";
import { netProblem, shownUrl } from "../net/netProblem.ts";
import type { ToolCallContext } from "../tools/defineTool.ts";
import { guardWorkspace, isWithin, locate, requireRegular, type Target } from "../tools/files/locate.ts";
import { fileProblem } from "../tools/files/problems.ts";
import type { ProtectedPaths } from "../tools/files/protectedPaths.ts";
import { readLocated } from "../tools/files/readFile.ts";
import { locateInSandbox, type SandboxView } from "../tools/files/sandboxPaths.ts";
import { mediaProblem } from "./problems.ts";

export interface SourceDeps {
  workspaceOf(agentId: string): string;
  isWorkspaceOnly(agentId: string): boolean;
  /** What the sandbox of a session shows; null for sessions outside of one. */
  sandboxOf(agentId: string, sessionKey: string): Promise<SandboxView | null>;
  homeDir: string;
  stateDir: string;
  protectedPaths: ProtectedPaths;
  fetch: GuardedFetch;
  /** Tests on loopback servers only; absent: public addresses. */
  addresses?: AddressPolicy;
}

/** A reference as the model gave it, taken apart. */
export type Reference =
  | { kind: "path"; given: string; path: string }
  | { kind: "url"; given: string; url: string }
  | { kind: "data"; given: string; mediaType: string; base64: string }
  | { kind: "unsupported"; given: string; scheme: string };

export interface Loaded {
  bytes: Buffer;
  /** For messages: path, address without query, or a word for data: addresses. */
  name: string;
  /** The path as given, when the file was found in the sandbox's inbox instead. */
  rewrittenFrom?: string;
}

export interface LoadOptions {
  /** `picture` or `document`, for messages. */
  what: string;
  maxBytes: number;
  /** For addresses: pictures shrink after loading, so more may be loaded. */
  maxDownloadBytes: number;
  accept: string;
  context: LoadContext;
}

/** On whose behalf, and until when. */
export type LoadContext = Pick<ToolCallContext, "agentId" | "sessionKey" | "signal">;

export interface Sources {
  /** @throws AppError with a kind that names the problem; the signal's reason on cancel */
  load(reference: Reference, options: LoadOptions): Promise<Loaded>;
  /**
   * A file that the product itself made, for a person to look at: in `<state>/media` and nowhere else.
   * @throws AppError as `load`
   */
  loadKept(file: string, options: LoadOptions): Promise<Loaded>;
}

const downloadTimeoutMs = 60_000;
const maxRedirects = 3;
const schemePattern = /^([a-z][a-z0-9+.-]+):/i;
const dataPattern = /^data:([^,;]{0,100})((?:;[^,;]{0,100}){0,10}),/i;

/** @param given with a leading `@` or `MEDIA:` as people and other programs write them */
export function parseReference(given: string): Reference {
  const text = given
    .trim()
    .replace(/^@/, "")
    .replace(/^MEDIA:\s*/, "")
    .trim();
  const scheme = schemePattern.exec(text)?.[1]?.toLowerCase() ?? null;
  if (scheme === null) return { kind: "path", given, path: text };
  if (scheme === "http" || scheme === "https") return { kind: "url", given, url: text };
  if (scheme === "file") return { kind: "path", given, path: pathOfFileUrl(text) };
  if (scheme !== "data") return { kind: "unsupported", given, scheme };
  const head = dataPattern.exec(text);
  const isBase64 = /;\s*base64\s*$/i.test(head?.[2] ?? "");
  if (head === null || !isBase64) return { kind: "unsupported", given, scheme: "data: without base64" };
  return {
    kind: "data",
    given,
    mediaType: (head[1] ?? "").trim().toLowerCase(),
    base64: text.slice(head[0].length),
  };
}

/** @returns the reference short enough for details and messages; the content of a data: address is left out */
export function shownReference(reference: Reference): string {
  if (reference.kind !== "data") return clip(reference.given, 2000);
  return `data:${reference.mediaType};base64,… (${sizeText(Math.floor((reference.base64.length * 3) / 4))})`;
}

export function createSources(deps: SourceDeps): Sources {
  const addresses = deps.addresses ?? strictAddresses;

  const fromUrl = async (url: string, options: LoadOptions): Promise<Loaded> => {
    const { signal } = options.context;
    const name = shownUrl(url);
    const answer = await deps.fetch({
      url,
      headers: { accept: options.accept },
      timeoutMs: downloadTimeoutMs,
      maxRedirects,
      maxBytes: options.maxDownloadBytes,
      signal,
      policy: addresses,
    });
    if (answer.status < 200 || answer.status >= 300) {
      throw netProblem("http_error", `${name} answered with status ${answer.status}. Check the address.`, {
        data: { status: answer.status },
      });
    }
    if (answer.isCut) throw tooLarge(name, options.what, null, options.maxDownloadBytes);
    return { bytes: answer.bytes, name };
  };

  const fromPath = async (given: string, options: LoadOptions): Promise<Loaded> => {
    const { agentId } = options.context;
    if (/^(?:\\\\|\/\/)/.test(given)) {
      throw mediaProblem("bad_reference", "Files of network shares are not loaded. Copy the file first.");
    }
    const workspace = deps.workspaceOf(agentId);
    const target = await locate(given, { workspace, home: deps.homeDir });
    await requireOpen(given, target);
    if (deps.isWorkspaceOnly(agentId)) guardWorkspace(target, "read");
    else await requireRoot(given, target.realPath, workspace);
    return readTarget(given, target, options);
  };

  const fromSandbox = async (given: string, view: SandboxView, options: LoadOptions): Promise<Loaded> => {
    const plain = { isLinkItself: false, isExact: false };
    let target = await locateInSandbox(given, view, "read", plain).catch((error: unknown) => {
      // Not there: what a channel delivered may still be in the inbox under its name.
      if (error instanceof AppError && error.data?.kind === "path_escape") return null;
      throw error;
    });
    let rewrittenFrom: string | undefined;
    if (target === null || target.facts === null) {
      const inbox = path.posix.join(view.workdir, "media", "inbound", path.posix.basename(given));
      const other = await locateInSandbox(inbox, view, "read", plain);
      if (other.facts === null) {
        target ??= await locateInSandbox(given, view, "read", plain);
      } else {
        target = other;
        rewrittenFrom = given;
      }
    }
    await requireOpen(given, target);
    const loaded = await readTarget(target.given, target, options);
    return rewrittenFrom === undefined ? loaded : { ...loaded, rewrittenFrom };
  };

  const requireOpen = async (given: string, target: Target) => {
    const why = await deps.protectedPaths.whyRefused(target.realPath, target.facts, "read");
    if (why === null) return;
    throw fileProblem("protected", `${given} is out of bounds: ${why}.`, { data: { path: given } });
  };

  const readTarget = async (given: string, target: Target, options: LoadOptions): Promise<Loaded> => {
    if (target.facts === null) throw fileProblem("not_found", `There is no file ${given}. Check the path.`);
    requireRegular(target);
    if (target.facts.size > BigInt(options.maxBytes)) {
      throw tooLarge(given, options.what, Number(target.facts.size), options.maxBytes);
    }
    const { bytes } = await readLocated(target, options.maxBytes, options.context.signal);
    return { bytes, name: given };
  };

  /** Unlike read, these tools send what they read to a service: only from where agents work. */
  const requireRoot = async (given: string, realPath: string, workspace: string) => {
    const folders = [
      workspace,
      ...["media", "workspace", "sandboxes"].map((name) => path.join(deps.stateDir, name)),
    ];
    const roots = [...(await existing(folders)), ...(await ownTempFolders())];
    const isAllowed = roots.some((root) => path.dirname(root) !== root && isWithin(root, realPath));
    if (isAllowed) return;
    throw mediaProblem(
      "outside_roots",
      `${given} lies outside the folders whose files may be sent to a model: the workspace ${workspace}, ${path.join(deps.stateDir, "media")} and the temporary folder of OpenClaw. Copy it into the workspace, or ask the operator.`,
      { data: { path: given } },
    );
  };

  return {
    async load(reference, options) {
      const { agentId, sessionKey, signal } = options.context;
      signal.throwIfAborted();
      const sandbox = await deps.sandboxOf(agentId, sessionKey);
      switch (reference.kind) {
        case "data":
          return fromData(reference.base64, options);
        case "url":
          if (sandbox !== null) {
            throw mediaProblem(
              "no_sandbox",
              `This session runs in a sandbox, where no ${options.what} is loaded from an address. Give a file of the sandbox, or a data: address.`,
            );
          }
          return fromUrl(reference.url, options);
        case "path":
          if (sandbox !== null) return fromSandbox(reference.path, sandbox, options);
          return fromPath(reference.path, options);
        case "unsupported":
          throw mediaProblem(
            "bad_reference",
            `${shownReference(reference)} is no path and no address that is loaded.`,
          );
      }
    },
    async loadKept(file, options) {
      const media = path.join(deps.stateDir, "media");
      const target = await locate(file, { workspace: media, home: deps.homeDir, isExact: true });
      await requireOpen(file, target);
      const [folder] = await existing([media]);
      if (folder === undefined || !isWithin(folder, target.realPath)) {
        throw mediaProblem("outside_roots", `${file} is no longer a file of ${media}.`, {
          data: { path: file },
        });
      }
      return readTarget(file, target, options);
    },
  };
}

function fromData(base64: string, options: LoadOptions): Loaded {
  const name = "The data: address";
  const compact = /\s/.test(base64) ? base64.replace(/\s+/g, "") : base64;
  if (compact === "" || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(compact)) {
    throw mediaProblem("bad_reference", "The data: address holds no valid base64. Encode the file again.");
  }
  const sizeBytes = Math.floor((compact.length * 3) / 4);
  if (sizeBytes > options.maxBytes) throw tooLarge(name, options.what, sizeBytes, options.maxBytes);
  return { bytes: Buffer.from(compact, "base64"), name };
}

function pathOfFileUrl(text: string): string {
  try {
    return fileURLToPath(text);
  } catch (cause) {
    throw mediaProblem("bad_reference", `${clip(text, 200)} names no file of this computer.`, { cause });
  }
}

function tooLarge(name: string, what: string, sizeBytes: number | null, maxBytes: number) {
  const size = sizeBytes === null ? "is larger" : `has ${sizeText(sizeBytes)}, more`;
  return mediaProblem(
    "too_large",
    `${name} ${size} than the ${sizeText(maxBytes)} that a ${what} may have here. Give a smaller one, or a larger maxBytesMb.`,
    { data: { maxBytes, ...(sizeBytes === null ? {} : { sizeBytes }) } },
  );
}

async function existing(folders: readonly string[]): Promise<string[]> {
  const found = await Promise.all(folders.map((folder) => realpath(folder).catch(() => null)));
  // A folder that is not there holds no file.
  return found.filter((folder) => folder !== null);
}

/** OpenClaw's temporary folders, when nobody else could have put files there. */
async function ownTempFolders(): Promise<string[]> {
  const uid = process.getuid?.();
  const names = uid === undefined ? ["openclaw"] : ["openclaw", `openclaw-${uid}`];
  const folders: string[] = [];
  for (const name of names) {
    const folder = path.join(tmpdir(), name);
    const facts = await lstat(folder).catch(() => null);
    if (facts === null || !facts.isDirectory()) continue;
    const isOwn = uid === undefined || (facts.uid === uid && (facts.mode & 0o022) === 0);
    if (isOwn) folders.push(await realpath(folder));
  }
  return folders;
}
