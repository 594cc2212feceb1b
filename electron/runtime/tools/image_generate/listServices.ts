/** What `action: list` answers: the services, their models, and what each can do. */

import { tokenEstimate } from "../../../../shared/files/index.ts";
import { generatorCapabilities, imageGenerators } from "../../../../shared/media/index.ts";
import { generators } from "../../media/generate/index.ts";
import { keyVariablesOf } from "../../media/models/services.ts";
import { type ToolResult, textResult } from "../defineTool.ts";

/** @param isReady whether requests to a provider can work now */
export function listServices(isReady: (provider: string) => boolean): ToolResult {
  const providers = [...generators.values()].map(({ id, label, models }) => {
    const can = generatorCapabilities.get(id);
    return {
      id,
      label,
      defaultModel: imageGenerators.get(id) ?? "",
      models,
      authEnvVars: keyVariablesOf(id),
      isReady: isReady(id),
      capabilities: can ?? null,
    };
  });
  const lines = providers.map(({ id, defaultModel, isReady: ready, authEnvVars, capabilities: can }) => {
    if (can === null) return id;
    const parts = [
      `up to ${can.maxCount} pictures`,
      can.maxReferences === 0 ? "no references" : `up to ${can.maxReferences} reference(s)`,
      ...(can.sizes.length > 0 ? [`sizes ${can.sizes.join(" ")}`] : []),
      ...(can.aspectRatios.length > 0 ? [`ratios ${can.aspectRatios.join(" ")}`] : []),
      ...(can.resolutions.length > 0 ? [`resolutions ${can.resolutions.join(" ")}`] : []),
    ];
    return `${id} (${ready ? "ready" : `needs ${authEnvVars.join(" or ")}`}): ${id}/${defaultModel}; ${parts.join("; ")}`;
  });
  const text = lines.join("\n");
  return textResult(text, { providers, tokenEstimate: tokenEstimate(text) });
}
