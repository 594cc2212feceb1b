/** The image_generate tool: makes or changes pictures at a service and keeps them as files. */

import path from "node:path";
import { AppError } from "../../../../shared/errors/index.ts";
import { clip, sizeText, tokenEstimate } from "../../../../shared/files/index.ts";
import {
  generatorCapabilities,
  type ModelRef,
  pictureFacts,
  type Resolution,
  refText,
  resolutionFor,
  shownSize,
  unsupportedOf,
  withOverride,
} from "../../../../shared/media/index.ts";
import { stripControls, stripInvisible, wrapUntrusted } from "../../../../shared/web/index.ts";
import type { GeneratedPicture, Generator } from "../../media/generate/generatorTypes.ts";
import { generators } from "../../media/generate/index.ts";
import { refusalResult } from "../../media/mediaAnswer.ts";
import { type MediaDeps, modelsFor, overrideOf } from "../../media/mediaDeps.ts";
import { firstWorking } from "../../media/models/fallback.ts";
import { badAnswer, sendToModel } from "../../media/models/modelHttp.ts";
import { isReachable, type ReadyService, readyService } from "../../media/models/services.ts";
import { mediaProblem } from "../../media/problems.ts";
import { saveMedia } from "../../media/saveMedia.ts";
import { shownReference } from "../../media/sources.ts";
import { netProblem, shownUrl } from "../../net/netProblem.ts";
import { withProgress } from "../../net/slowProgress.ts";
import { defineTool, type ToolCallContext } from "../defineTool.ts";
import { imageCapBytes, type LoadedPicture, loadPictures, referencesOf } from "../image/tool.ts";
import { listServices } from "./listServices.ts";
import { imageGenerateInput } from "./schema.ts";

const maxReferences = 5;
/** Four pictures of 4K as base64. */
const maxAnswerBytes = 200 * 1024 * 1024;
const maxPictureBytes = 64 * 1024 * 1024;
const downloadTimeoutMs = 60_000;
const maxRevisedChars = 1000;

type Input = ReturnType<(typeof imageGenerateInput)["parse"]>;

interface Made {
  pictures: GeneratedPicture[];
  resolution: Resolution | undefined;
}

export function createImageGenerateTool(deps: MediaDeps) {
  return defineTool({
    name: "image_generate",
    title: "Make pictures",
    description:
      "Makes pictures from a description, or changes given ones, and saves them as files; the answer names the files. " +
      "action=list names the services and which sizes, shapes and counts each can do. What a service cannot do is an error.",
    promptLine: "Make or change pictures from a description",
    risk: "write",
    input: imageGenerateInput,
    async execute(input, context) {
      const config = deps.config();
      if (input.action === "list") return listServices((id) => isReachable(config, deps.keys, id));
      if (input.prompt === undefined) {
        throw new AppError("INVALID_INPUT", "Describe the picture: prompt is needed to generate.");
      }
      const { prompt } = input;
      const references = referencesOf(input.image, input.images);
      if (references.length > maxReferences) {
        throw new AppError(
          "INVALID_INPUT",
          `${references.length} reference pictures were given; at most ${maxReferences} are taken.`,
        );
      }
      const unsupported = references.find((reference) => reference.kind === "unsupported");
      if (unsupported !== undefined) {
        const image = shownReference(unsupported);
        return refusalResult("unsupported_image_reference", `${image} cannot be loaded.`, { image });
      }
      const candidates = withOverride(
        modelsFor("image_generate", config, deps.keys),
        overrideOf(config, input.model),
        true,
      );
      if (candidates.length === 0) {
        throw mediaProblem(
          "no_model",
          "No service for making pictures is set up. Set agents.defaults.imageGenerationModel, or give OpenAI, Google, fal or MiniMax a key.",
        );
      }
      const startedMs = deps.clock.nowMs();
      let doing = "Loading pictures";
      return withProgress(
        context.reportProgress,
        () => doing,
        async () => {
          const loaded = await loadPictures(deps, references, imageCapBytes(config), context, (text) => {
            doing = text;
          });
          const { value, model, attempts } = await firstWorking(candidates, context.signal, (candidate) => {
            doing = `Making ${input.count === 1 ? "a picture" : `${input.count} pictures`} with ${refText(candidate)}`;
            return make(candidate, prompt, input, loaded, context);
          });
          doing = "Saving";
          const saved = await save(value.pictures, input.filename);
          const shown = references.map((reference) => ({ image: shownReference(reference) }));
          return present(saved, {
            model,
            attempts,
            resolution: value.resolution,
            input,
            references: shown,
            tookMs: deps.clock.nowMs() - startedMs,
          });
        },
      );
    },
  });

  async function make(
    candidate: ModelRef,
    prompt: string,
    input: Input,
    loaded: readonly LoadedPicture[],
    context: ToolCallContext,
  ): Promise<Made> {
    const config = deps.config();
    const generator = generators.get(candidate.provider);
    const can = generatorCapabilities.get(candidate.provider);
    if (generator === undefined || can === undefined) {
      throw mediaProblem(
        "unknown_provider",
        `${clip(candidate.provider, 60)} makes no pictures here. Providers: ${[...generators.keys()].join(", ")}.`,
      );
    }
    const isOpen = input.size === undefined && input.resolution === undefined && loaded.length > 0;
    const resolution =
      isOpen && can.resolutions.length > 0 ? resolutionFor(longestSide(loaded)) : input.resolution;
    const { count, size, aspectRatio } = input;
    const wanted = { count, size, aspectRatio, resolution, references: loaded.length };
    const problem = unsupportedOf(generator.label, can, wanted);
    if (problem !== null) throw mediaProblem("unsupported", problem);
    const service = await readyService(config, deps.keys, candidate.provider);
    const pictures = await generator.generate({
      service,
      order: {
        ...wanted,
        model: candidate.model,
        prompt,
        references: loaded.map(({ picture }) => ({
          mimeType: picture.mimeType,
          base64: picture.bytes.toString("base64"),
        })),
        isKeyInHeader: deps.hardening().has("media.keyInHeader"),
      },
      send: (request) =>
        sendToModel(request, {
          fetch: deps.fetch,
          service,
          timeoutMs: generator.timeoutMs,
          maxBytes: maxAnswerBytes,
          signal: context.signal,
        }),
      download: (url) => download(url, generator, context.signal),
    });
    for (const { bytes } of pictures) requirePicture(bytes, service);
    return { pictures: pictures.slice(0, count), resolution };
  }

  /** The address comes from the service's answer, not from the operator: strict rules. */
  async function download(url: string, generator: Generator, signal: AbortSignal): Promise<Buffer> {
    if (url.startsWith("data:")) return Buffer.from(url.slice(url.indexOf(",") + 1), "base64");
    const answer = await deps.fetch({
      url,
      headers: { accept: "image/*" },
      timeoutMs: downloadTimeoutMs,
      maxRedirects: 3,
      maxBytes: maxPictureBytes,
      signal,
      policy: deps.addresses,
    });
    if (answer.status < 200 || answer.status >= 300 || answer.isCut) {
      const why = answer.isCut
        ? `is larger than ${sizeText(maxPictureBytes)}`
        : `answered with ${answer.status}`;
      throw netProblem("http_error", `The picture of ${generator.label} at ${shownUrl(url)} ${why}.`, {
        data: { status: answer.status },
      });
    }
    return answer.bytes;
  }

  async function save(pictures: readonly GeneratedPicture[], hint: string | undefined) {
    const folder = path.join(deps.stateDir, "media", "tool-image-generation");
    const saved = [];
    for (const { bytes, revisedPrompt } of pictures) {
      const facts = pictureFacts(bytes);
      const mimeType = facts?.type ?? "image/png";
      const file = await saveMedia(folder, bytes, extensionOf(mimeType), hint);
      const { width = null, height = null } = (facts === null ? null : shownSize(facts)) ?? {};
      saved.push({ path: file, mimeType, width, height, sizeBytes: bytes.length, revisedPrompt });
    }
    return saved;
  }
}

type Saved = {
  path: string;
  mimeType: string;
  width: number | null;
  height: number | null;
  sizeBytes: number;
  revisedPrompt: string | undefined;
};

function present(
  saved: readonly Saved[],
  facts: {
    model: ModelRef;
    attempts: unknown[];
    resolution: Resolution | undefined;
    input: Input;
    references: readonly { image: string }[];
    tookMs: number;
  },
) {
  const { input, model, references } = facts;
  const paths = saved.map((one) => one.path);
  const asked = saved.length < input.count ? ` of ${input.count} asked for` : "";
  const lines = saved.map(
    ({ path: file, mimeType, width, height, sizeBytes }) =>
      `${file} (${mimeType}${width === null ? "" : `, ${width} x ${height}`}, ${sizeText(sizeBytes)})`,
  );
  const revised = saved.flatMap(({ revisedPrompt }) =>
    revisedPrompt === undefined ? [] : [clip(stripControls(stripInvisible(revisedPrompt)), maxRevisedChars)],
  );
  const text = [
    `Made ${saved.length} ${saved.length === 1 ? "picture" : "pictures"}${asked} with ${refText(model)}:`,
    ...lines,
  ].join("\n");
  const optional = {
    resolution: facts.resolution,
    size: input.size,
    aspectRatio: input.aspectRatio,
    filename: input.filename,
  };
  return {
    content: [{ type: "text" as const, text }],
    details: {
      provider: model.provider,
      model: model.model,
      count: saved.length,
      media: { mediaUrls: paths },
      paths,
      ...(references.length === 1 ? references[0] : references.length > 1 ? { images: references } : {}),
      ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
      attempts: facts.attempts,
      metadata: { tookMs: facts.tookMs },
      pictures: saved.map(({ revisedPrompt: _said, ...one }) => one),
      // Words of the service: marked, for details reach models too.
      ...(revised.length > 0
        ? {
            revisedPrompts: revised.map(
              (one) => wrapUntrusted(one, { source: "External", withWarning: false }).text,
            ),
          }
        : {}),
      tokenEstimate: tokenEstimate(text),
    },
  };
}

function requirePicture(bytes: Buffer, service: ReadyService): void {
  if (pictureFacts(bytes) === null) throw badAnswer(service, "gave something that is no picture.");
}

function longestSide(loaded: readonly LoadedPicture[]): number {
  return Math.max(
    ...loaded.map(({ picture: { original } }) => Math.max(original.width ?? 0, original.height ?? 0)),
  );
}

function extensionOf(mimeType: string): string {
  return mimeType === "image/jpeg" ? ".jpg" : `.${mimeType.slice("image/".length)}`;
}
