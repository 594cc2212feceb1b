/** For the test of output discipline: every built tool on peers of this computer, behind the call path of the product. */

import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { startTestDesk, startTestSite, type TestDesk, type TestSite } from "../browser/service/testDesk.ts";
import { createCalls } from "../calls/createCalls.ts";
import { systemClock } from "../clock.ts";
import { silentLogger } from "../logging/logger.ts";
import { generationFixtures, visionFixtures, xaiFixture } from "../media/testing/serviceFixtures.ts";
import { json, makeTestMedia, type TestMedia } from "../media/testing/testMedia.ts";
import { makePdf } from "../media/testing/testPdf.ts";
import { alphaPng } from "../media/testing/testPictures.ts";
import { makeTestMemory, type TestMemory } from "../memory/testMemory.ts";
import { startTestServer, type TestHandler, type TestServer } from "../net/testServer.ts";
import type { CallOutcome, Runtime } from "../runtimeTypes.ts";
import { cleanUpSpeech, makeTestSpeech, type TestSpeech } from "../speech/testSpeech.ts";
import { makeTestFolder } from "../storage/testFolder.ts";
import { connectTo, createTestRuntime, type TestConnection, testCaller } from "../testing/testRuntime.ts";
import type { ToolCallContext, ToolDefinition, ToolResult } from "./defineTool.ts";
import { makeTestWeb, type TestWeb } from "./web/testWeb.ts";
import { providerFixtures } from "./web_search/providerFixtures.ts";

export type Args = Record<string, unknown>;
export type Run = (
  args: Args,
  options?: { signal?: AbortSignal; onProgress?: (text: string) => void },
) => Promise<CallOutcome>;
export type Result = Extract<CallOutcome, { kind: "result" }>;

export const never: TestHandler = () => {};
export const longText = "Tide tables of the north coast. ".repeat(30_000);

/** apply_patch is for models of OpenAI. */
export const caller = { ...testCaller, provider: "openai", model: "gpt-5" };

export let runtime: Runtime;
export let panel: TestConnection;
export let media: TestMedia;
export let memory: TestMemory;
export let web: TestWeb;
export let speech: TestSpeech;
export let site: TestSite;
export let browser: TestDesk;
export let stateDir: string;
export let removeStateDir: () => Promise<void>;
export const servers: TestServer[] = [];
/** What the services answer with; tests turn it. */
export let answer: TestHandler = never;

export async function startTools(): Promise<void> {
  const place = await makeTestFolder();
  [stateDir, removeStateDir] = [place.folder, place.remove];
  const config = {
    tools: { profile: "full", exec: { security: "full", ask: "off", applyPatch: { enabled: true } } },
  };
  await writeFile(path.join(stateDir, "openclaw.json"), JSON.stringify(config));
  await mkdir(path.join(stateDir, "workspace"), { recursive: true });
  const serve = async () => {
    const server = await startTestServer((request, response) => answer(request, response));
    servers.push(server);
    return server;
  };
  const { port } = await serve();
  const local = `http://service.test:${port}`;
  [runtime, media, memory, site, browser] = await Promise.all([
    createTestRuntime(stateDir),
    makeTestMedia(),
    makeTestMemory(),
    startTestSite(),
    startTestDesk(),
  ]);
  panel = connectTo(runtime);
  await panel.rpc.call("approvals.attend", {});
  await panel.rpc.call("mode.confirmBroad", {
    words: "run without asking",
    endsAtMs: Date.now() + 600_000,
  });
  for (const origin of [xaiFixture.origin, visionFixtures["openai/gpt-5-mini"].origin])
    await media.play(origin, (request, response) => answer(request, response));
  Object.assign(media.settings.env, xaiFixture.env, { OPENAI_API_KEY: "k" });
  await writeFile(path.join(media.workspace, "a.png"), alphaPng({ width: 20, height: 10 }));
  await writeFile(path.join(media.workspace, "a.pdf"), makePdf({ pages: [longText.slice(0, 300)] }));
  web = makeTestWeb(new Map([[providerFixtures.brave.origin, local]]));
  Object.assign(web.settings.env, providerFixtures.brave.env);
  web.settings.config = { tools: { web: { search: { provider: "brave" } } } };
  speech = makeTestSpeech({}, new Map([["https://api.openai.com", local]]));
  speech.settings.env.OPENAI_API_KEY = "k";
}

export async function stopTools(): Promise<void> {
  panel?.close();
  await Promise.all([
    runtime?.dispose(),
    media?.remove(),
    memory?.remove(),
    browser?.dispose(),
    cleanUpSpeech(),
    ...servers.map((server) => server.close()),
  ]);
  await site?.close();
  await removeStateDir?.();
}

/** The call path of the product around a tool that is set up for tests. */
export function calling(
  name: string,
  call: (args: Args, context: ToolCallContext) => Promise<ToolResult>,
): Run {
  const tool: ToolDefinition = {
    name,
    title: name,
    description: name,
    promptLine: name,
    risk: "read",
    input: z.record(z.string(), z.unknown()),
    execute: (args, context) => call(args as Args, context),
  };
  const calls = createCalls({
    clock: systemClock,
    logger: silentLogger,
    decide: () => ({ kind: "visible", tool, canBackground: true }),
    loopGuard: { ask: () => ({ kind: "passed", ended: () => {} }) },
  });
  return (args, { signal, onProgress } = {}) => {
    const started = calls.start(caller, name, args, onProgress);
    signal?.addEventListener("abort", () => started.cancel(), { once: true });
    return started.outcome;
  };
}

export const built =
  (name: string, by = caller): Run =>
  (args, { signal = new AbortController().signal, onProgress } = {}) =>
    runtime.tools.callTool(by, name, args, {
      signal,
      holdMs: null,
      ...(onProgress === undefined ? {} : { onProgress }),
    });
/** For tools that only the owner has. */
export const owned = (name: string): Run => built(name, { ...caller, isOwner: true });
export const mediaTool = (name: string) => calling(name, (args, context) => media.call(name, args, context));
export const webTool = (name: string) => calling(name, (args, context) => web.call(name, args, context));
export const memoryTool = (name: string) =>
  calling(name, (args, context) => memory.callTool(name, args, context));

export const setConfig = (configPath: string, value: unknown) =>
  panel.rpc.call("config.setPath", { path: configPath, value });

export const answering = async (handle: TestHandler, args: Args): Promise<Args> => {
  answer = handle;
  return args;
};
export const put = async (name: string, text: string): Promise<string> => {
  await writeFile(path.join(stateDir, "workspace", name), text);
  return name;
};
export const background = async (command: string): Promise<string> => {
  const started = (await built("exec")({ command, background: true })) as Result;
  return (started.details as { sessionId: string }).sessionId;
};
export const endedIn = async (command: string): Promise<string> => {
  const sessionId = await background(command);
  await built("process")({ action: "poll", sessionId, timeout: 60_000 });
  return sessionId;
};
export const note = async (text: string): Promise<void> => {
  await mkdir(memory.workspaceOf(), { recursive: true });
  await writeFile(path.join(memory.workspaceOf(), "MEMORY.md"), text);
};
export const chat = (content: string) =>
  json({ choices: [{ message: { role: "assistant", content }, finish_reason: "stop" }] });
export const xai = (text: string) =>
  json({ output: [{ type: "message", content: [{ type: "output_text", text, annotations: citations }] }] });
export const citations = Array.from({ length: 3000 }, (_, index) => ({
  type: "url_citation",
  url: `https://x.com/a/${index}`,
}));
export const hit = (index: number, description: string) => ({
  title: "Tides",
  url: `https://tides.example/${index}`,
  description,
});
export const png = alphaPng({ width: 8, height: 8 }).toString("base64");
export const made = generationFixtures(png, "").openai.answer;
export const patchOf = (count: number, tag: string) =>
  [
    "*** Begin Patch",
    ...Array.from({ length: count }, (_, at) => `*** Add File: ${tag}/file-${at}.txt\n+x`),
    "*** End Patch",
  ].join("\n");

export const pageUrl = (name: string) => servers[0]?.url(`/${name}`) ?? "";
