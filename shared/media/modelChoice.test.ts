import { describe, expect, it } from "vitest";
import {
  configuredModels,
  generationModels,
  imageModels,
  parseModelRef,
  pdfModels,
  refText,
  withOverride,
} from "./index.ts";

const keysOf =
  (...providers: string[]) =>
  (provider: string) =>
    providers.includes(provider);
const withModel = (model: string, more: Record<string, unknown> = {}) => ({
  agents: { defaults: { model: { primary: model } } },
  ...more,
});
const names = (choice: { candidates: Parameters<typeof refText>[0][] }) => choice.candidates.map(refText);

describe("the model for pictures", () => {
  it("is the configured one with its fallbacks, whatever keys there are", () => {
    const config = {
      agents: {
        defaults: { imageModel: { primary: "Google/gemini-x", fallbacks: ["openai/a", "openai/a", 7] } },
      },
    };
    expect(imageModels(config, keysOf())).toEqual({
      from: "config",
      candidates: [
        { provider: "google", model: "gemini-x" },
        { provider: "openai", model: "a" },
      ],
    });
    const plain = { agents: { defaults: { imageModel: "openrouter/qwen/qwen-vl" } } };
    expect(names(imageModels(plain, keysOf()))).toEqual(["openrouter/qwen/qwen-vl"]);
  });

  it("is found by the keys: the pair of the default provider, then OpenAI, then Anthropic", () => {
    const all = keysOf("openai", "anthropic", "zai", "minimax", "custom");
    const rest = ["openai/gpt-5-mini", "anthropic/claude-opus-4-5"];
    expect(names(imageModels(withModel("minimax/MiniMax-M2"), all))).toEqual([
      "minimax/MiniMax-VL-01",
      ...rest,
    ]);
    expect(names(imageModels(withModel("zai/glm-5"), all))).toEqual(["zai/glm-4.6v", ...rest]);
    expect(names(imageModels(withModel("anthropic/x"), all))).toEqual(["anthropic/claude-opus-4-6", ...rest]);
    expect(names(imageModels(withModel("openai/gpt-5.4"), all))).toEqual(rest);
    const custom = withModel("custom/talk", {
      models: {
        providers: {
          custom: {
            models: [
              { id: "talk", input: ["text"] },
              { id: "see", input: ["text", "image"] },
            ],
          },
        },
      },
    });
    expect(names(imageModels(custom, all))).toEqual(["custom/see", ...rest]);
    expect(names(imageModels(custom, keysOf("anthropic")))).toEqual(["anthropic/claude-opus-4-5"]);
    expect(names(imageModels(custom, keysOf()))).toEqual([]);
  });
});

describe("the model for documents", () => {
  it("is pdfModel, then imageModel, then the first with a key", () => {
    const both = { agents: { defaults: { pdfModel: "google/a", imageModel: "openai/b" } } };
    expect(names(pdfModels(both, keysOf()))).toEqual(["google/a"]);
    const one = { agents: { defaults: { imageModel: "openai/b" } } };
    expect(names(pdfModels(one, keysOf()))).toEqual(["openai/b"]);
    expect(names(pdfModels(withModel("anthropic/x"), keysOf("anthropic", "openai")))).toEqual([
      "anthropic/claude-opus-4-6",
      "anthropic/claude-opus-4-5",
      "openai/gpt-5-mini",
    ]);
    expect(names(pdfModels(withModel("openai/x"), keysOf("openai", "google")))).toEqual([
      "google/gemini-2.5-pro",
      "openai/gpt-5-mini",
    ]);
    expect(names(pdfModels({}, keysOf("openai")))).toEqual(["openai/gpt-5-mini"]);
    expect(names(pdfModels({}, keysOf("fal")))).toEqual([]);
  });
});

describe("the model that makes pictures", () => {
  it("is configured, or each service with a key, the default provider first", () => {
    const set = { agents: { defaults: { imageGenerationModel: "fal/fal-ai/flux/dev" } } };
    expect(generationModels(set, keysOf()).candidates).toEqual([
      { provider: "fal", model: "fal-ai/flux/dev" },
    ]);
    const all = keysOf("openai", "google", "fal", "minimax");
    expect(names(generationModels(withModel("minimax/x"), all))).toEqual([
      "minimax/image-01",
      "openai/gpt-image-1",
      "google/gemini-3.1-flash-image-preview",
      "fal/fal-ai/flux/dev",
    ]);
    expect(names(generationModels({}, keysOf("google")))).toEqual(["google/gemini-3.1-flash-image-preview"]);
  });
});

describe("names of models", () => {
  it("take the default provider when they name none, and are harmless with odd names", () => {
    expect(parseModelRef("gpt-5", "openai")).toEqual({ provider: "openai", model: "gpt-5" });
    expect(parseModelRef("gpt-5", null)).toBeNull();
    expect(parseModelRef(" / ", null)).toBeNull();
    const odd = { agents: { defaults: { imageModel: "constructor/__proto__" } } };
    expect(names(imageModels(odd, keysOf()))).toEqual(["constructor/__proto__"]);
    expect(configuredModels({ agents: { defaults: { imageModel: 5 } } }, "imageModel")).toEqual([]);
  });

  it("given in a call stand in front of the fallbacks, in place of the primary or before it", () => {
    const choice = configuredChoice();
    expect(withOverride(choice, { provider: "x", model: "y" }).map(refText)).toEqual(["x/y", "b/2"]);
    expect(withOverride(choice, { provider: "x", model: "y" }, true).map(refText)).toEqual([
      "x/y",
      "a/1",
      "b/2",
    ]);
    expect(withOverride(choice, null).map(refText)).toEqual(["a/1", "b/2"]);
  });
});

function configuredChoice() {
  return imageModels(
    { agents: { defaults: { imageModel: { primary: "a/1", fallbacks: ["b/2"] } } } },
    keysOf(),
  );
}
