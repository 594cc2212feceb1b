import { expect, it } from "vitest";
import { z } from "zod";
import { defineTool, textResult } from "../tools/defineTool.ts";
import { createToolRegistry } from "../tools/registry.ts";
import { openclawTools } from "./openclawTools.ts";
import { createPresentTools } from "./presentTools.ts";

const browser = defineTool({
  name: "browser",
  title: "Browser",
  description: "Drives a browser.",
  promptLine: "Drives a browser",
  risk: "execute",
  input: z.object({}),
  execute: async () => textResult("done"),
});

it("a browser that the config switches off is absent here, and listed as OpenClaw would list it", () => {
  const present = createPresentTools(
    createToolRegistry([browser]),
    () => true,
    () => ({
      hasImageModel: false,
      hasPdfModel: false,
      hasImageGenerationModel: false,
      hasXaiKey: false,
      hasXSearchKey: false,
    }),
  );
  const absenceOf = (tools: ReturnType<typeof present>) =>
    tools.find(({ name }) => name === "browser")?.unavailable;
  const off = { browser: { enabled: false } };
  expect(absenceOf(present(off, {}))).toEqual({
    reason: "disabled-in-config",
    params: { path: "browser.enabled" },
  });
  expect(absenceOf(present({}, {}))).toBeUndefined();
  expect(absenceOf(openclawTools(off, {}))).toBeUndefined();
});
