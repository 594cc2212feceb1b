/** What every built tool owes: a measured, bounded answer that names its cuts; progress after a second; an end on cancel. */

import { readdirSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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
import { cleanUpSpeech, makeTestSpeech, mp3Second, type TestSpeech } from "../speech/testSpeech.ts";
import { makeTestFolder } from "../storage/testFolder.ts";
import { connectTo, createTestRuntime, type TestConnection, testCaller } from "../testing/testRuntime.ts";
import type { ToolCallContext, ToolDefinition, ToolResult } from "./defineTool.ts";
import { makeTestWeb, type TestWeb } from "./web/testWeb.ts";
import { providerFixtures } from "./web_search/providerFixtures.ts";

type Args = Record<string, unknown>;
type Run = (
  args: Args,
  options?: { signal?: AbortSignal; onProgress?: (text: string) => void },
) => Promise<CallOutcome>;
type Result = Extract<CallOutcome, { kind: "result" }>;

interface Row {
  run: Run;
  /** An ordinary call. */
  small(): Promise<Args>;
  /** One that asks for far more than the tool gives; null: nothing that is asked for makes its answer grow. */
  large: null | { args(): Promise<Args>; maxChars: number; says: RegExp };
  /** One that takes long; null: it reads or writes bounded files of this computer, or only what is in memory. */
  slow: null | (() => Promise<Args>);
}

/** Of details too: structured clients get them. */
const maxDetailsChars = 300_000;
const never: TestHandler = () => {};
const longText = "Tide tables of the north coast. ".repeat(30_000);

/** apply_patch is for models of OpenAI. */
const caller = { ...testCaller, provider: "openai", model: "gpt-5" };

let runtime: Runtime;
let panel: TestConnection;
let media: TestMedia;
let memory: TestMemory;
let web: TestWeb;
let speech: TestSpeech;
let site: TestSite;
let browser: TestDesk;
let stateDir: string;
let removeStateDir: () => Promise<void>;
const servers: TestServer[] = [];
/** What the services answer with; tests turn it. */
let answer: TestHandler = never;

beforeAll(async () => {
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
}, 120_000);

afterAll(async () => {
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
}, 60_000);

/** The call path of the product around a tool that is set up for tests. */
function calling(name: string, call: (args: Args, context: ToolCallContext) => Promise<ToolResult>): Run {
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

const built =
  (name: string): Run =>
  (args, { signal = new AbortController().signal, onProgress } = {}) =>
    runtime.tools.callTool(caller, name, args, {
      signal,
      holdMs: null,
      ...(onProgress === undefined ? {} : { onProgress }),
    });
const mediaTool = (name: string) => calling(name, (args, context) => media.call(name, args, context));
const webTool = (name: string) => calling(name, (args, context) => web.call(name, args, context));
const memoryTool = (name: string) => calling(name, (args, context) => memory.callTool(name, args, context));

const answering = async (handle: TestHandler, args: Args): Promise<Args> => {
  answer = handle;
  return args;
};
const put = async (name: string, text: string): Promise<string> => {
  await writeFile(path.join(stateDir, "workspace", name), text);
  return name;
};
const background = async (command: string): Promise<string> => {
  const started = (await built("exec")({ command, background: true })) as Result;
  return (started.details as { sessionId: string }).sessionId;
};
const endedIn = async (command: string): Promise<string> => {
  const sessionId = await background(command);
  await built("process")({ action: "poll", sessionId, timeout: 60_000 });
  return sessionId;
};
const note = async (text: string): Promise<void> => {
  await mkdir(memory.workspaceOf(), { recursive: true });
  await writeFile(path.join(memory.workspaceOf(), "MEMORY.md"), text);
};
const chat = (content: string) =>
  json({ choices: [{ message: { role: "assistant", content }, finish_reason: "stop" }] });
const xai = (text: string) =>
  json({ output: [{ type: "message", content: [{ type: "output_text", text, annotations: citations }] }] });
const citations = Array.from({ length: 3000 }, (_, index) => ({
  type: "url_citation",
  url: `https://x.com/a/${index}`,
}));
const hit = (index: number, description: string) => ({
  title: "Tides",
  url: `https://tides.example/${index}`,
  description,
});
const png = alphaPng({ width: 8, height: 8 }).toString("base64");
const made = generationFixtures(png, "").openai.answer;
const patchOf = (count: number, tag: string) =>
  [
    "*** Begin Patch",
    ...Array.from({ length: count }, (_, at) => `*** Add File: ${tag}/file-${at}.txt\n+x`),
    "*** End Patch",
  ].join("\n");

const rows: Record<string, Row> = {
  exec: {
    run: built("exec"),
    small: async () => ({ command: "echo hello" }),
    large: {
      args: async () => ({ command: "yes 0123456789 | head -c 900000" }),
      maxChars: 200_300,
      says: /Only the last 200000 of 900000 characters are kept.*file/,
    },
    slow: async () => ({ command: "sleep 60" }),
  },
  process: {
    run: built("process"),
    small: async () => ({ action: "list" }),
    large: {
      args: async () => ({ action: "log", sessionId: await endedIn("seq 1 60000"), limit: 1_000_000 }),
      maxChars: 100_400,
      says: /Go on with offset \d+[\s\S]*keeps the last 200000 characters/,
    },
    slow: async () => ({ action: "poll", sessionId: await background("sleep 60"), timeout: 60_000 }),
  },
  read: {
    run: built("read"),
    small: async () => ({ path: await put("small.txt", "one\ntwo\n") }),
    large: {
      args: async () => ({ path: await put("large.txt", "a line of a long file\n".repeat(200_000)) }),
      maxChars: 220_000,
      says: /offset/,
    },
    slow: null,
  },
  write: {
    run: built("write"),
    small: async () => ({ path: "written.txt", content: "one\n" }),
    large: {
      args: async () => ({
        path: await put("rewritten.txt", "one\n".repeat(40_000)),
        content: "two\n".repeat(40_000),
      }),
      maxChars: 500,
      says: /about 40000 tokens/,
    },
    slow: null,
  },
  edit: {
    run: built("edit"),
    small: async () => ({ path: await put("e.txt", "one\n"), edits: [{ oldText: "one", newText: "two" }] }),
    large: {
      args: async () => ({
        path: await put("f.txt", "one\n"),
        edits: [{ oldText: "one", newText: longText }],
      }),
      maxChars: 500,
      says: /Changed 1 place/,
    },
    slow: null,
  },
  apply_patch: {
    run: built("apply_patch"),
    small: async () => ({ input: patchOf(1, "small") }),
    large: { args: async () => ({ input: patchOf(450, "large") }), maxChars: 12_000, says: /250 more files/ },
    slow: null,
  },
  session_status: { run: built("session_status"), small: async () => ({}), large: null, slow: null },
  web_search: {
    run: webTool("web_search"),
    small: () => answering(json(providerFixtures.brave.answer), { query: "small" }),
    large: {
      args: () =>
        answering(
          json({
            web: { results: Array.from({ length: 500 }, (_, at) => hit(at, longText.slice(0, 5000))) },
          }),
          {
            query: "large",
            count: 10,
          },
        ),
      maxChars: 41_000,
      says: /Snippets are cut to \d+ characters; web_fetch reads a page/,
    },
    slow: () => answering(never, { query: "slow" }),
  },
  web_fetch: {
    run: webTool("web_fetch"),
    small: () => answering((_request, response) => response.end("<p>short</p>"), { url: pageUrl("small") }),
    large: {
      args: () =>
        answering(
          (_request, response) => {
            response.setHeader("content-type", "text/plain");
            response.end(longText);
          },
          { url: pageUrl("large") },
        ),
      maxChars: 60_000,
      says: /offset/,
    },
    slow: () => answering(never, { url: pageUrl("slow") }),
  },
  image: {
    run: mediaTool("image"),
    small: () => answering(chat("A lighthouse."), { image: "a.png" }),
    large: {
      args: () => answering(chat(longText), { image: "a.png" }),
      maxChars: 41_000,
      says: /first 40000 are shown/,
    },
    slow: () => answering(never, { image: "a.png" }),
  },
  pdf: {
    run: mediaTool("pdf"),
    small: () => answering(chat("About tides."), { pdf: "a.pdf", model: "openai/gpt-5-mini" }),
    large: {
      args: () => answering(chat(longText), { pdf: "a.pdf", model: "openai/gpt-5-mini" }),
      maxChars: 41_000,
      says: /first 40000 are shown/,
    },
    slow: () => answering(never, { pdf: "a.pdf", model: "openai/gpt-5-mini" }),
  },
  image_generate: {
    run: mediaTool("image_generate"),
    small: () => answering(json(made), { prompt: "a lighthouse", model: "openai/gpt-image-1" }),
    large: {
      args: () =>
        answering(json({ data: [{ b64_json: png, revised_prompt: longText }] }), {
          prompt: "a lighthouse",
          model: "openai/gpt-image-1",
        }),
      maxChars: 2000,
      says: /Made 1 picture/,
    },
    slow: () => answering(never, { prompt: "a lighthouse", model: "openai/gpt-image-1" }),
  },
  tts: {
    run: calling("tts", (args, context) => {
      const { tool } = speech.speech;
      return tool.execute(tool.input.parse(args), context);
    }),
    small: () => answering((_request, response) => response.end(mp3Second), { text: "hello" }),
    large: null,
    slow: () => answering(never, { text: "hello" }),
  },
  memory_search: {
    run: memoryTool("memory_search"),
    small: async () => {
      await note("# Tides\n\nThe pilot is called Ottoline.\n");
      return { query: "Ottoline" };
    },
    large: {
      args: async () => {
        const entry = (at: number) => `# Day ${at}\n\n${`Ottoline saw the tide ${at}. `.repeat(60)}\n\n`;
        await note(Array.from({ length: 400 }, (_, at) => entry(at)).join(""));
        return { query: "Ottoline tide", maxResults: 1000 };
      },
      maxChars: 60_000,
      says: /"notes"/,
    },
    slow: async () => {
      await note("# Tides\n\nThe pilot is called Ottoline.\n");
      answer = never;
      const remote = { baseUrl: `http://127.0.0.1:${servers[0]?.port}/v1` };
      memory.settings.env.OPENAI_API_KEY = "k";
      memory.settings.config = { agents: { defaults: { memorySearch: { provider: "openai", remote } } } };
      return { query: "pilot" };
    },
  },
  memory_get: {
    run: memoryTool("memory_get"),
    small: async () => {
      await note("one\ntwo\n");
      return { path: "MEMORY.md" };
    },
    large: {
      args: async () => {
        await note("a line of a long note\n".repeat(20_000));
        return { path: "MEMORY.md" };
      },
      maxChars: 60_000,
      says: /go on with from=\d+/,
    },
    slow: null,
  },
  code_execution: {
    run: mediaTool("code_execution"),
    small: () => answering(json(xaiFixture.answer), { task: "40 + 2" }),
    large: {
      args: () => answering(xai(longText), { task: "much" }),
      maxChars: 60_000,
      says: /first 50000 are shown/,
    },
    slow: () => answering(never, { task: "long" }),
  },
  x_search: {
    run: mediaTool("x_search"),
    small: () => answering(json(xaiFixture.answer), { query: "small" }),
    large: {
      args: () => answering(xai(longText), { query: "large" }),
      maxChars: 60_000,
      says: /first 50000 are shown/,
    },
    slow: () => answering(never, { query: "slow" }),
  },
  browser: {
    run: calling("browser", (args, context) => browser.call(args, context)),
    small: async () => {
      site.pages.set("/small", "<h1>Tides</h1>");
      return { action: "open", url: `${site.url}/small` };
    },
    large: {
      args: async () => {
        site.pages.set(
          "/large",
          Array.from({ length: 8000 }, (_, at) => `<button>Button number ${at}</button>`).join(""),
        );
        await browser.call({ action: "navigate", url: `${site.url}/large` });
        return { action: "snapshot" };
      },
      maxChars: 100_000,
      says: /\[Cut here\. /,
    },
    slow: async () => {
      site.pages.set("/slow", () => {});
      return { action: "navigate", url: `${site.url}/slow`, timeoutMs: 60_000 };
    },
  },
};
const pageUrl = (name: string) => servers[0]?.url(`/${name}`) ?? "";

const resultOf = (outcome: CallOutcome): Result => {
  if (outcome.kind === "result" && !outcome.isError) return outcome;
  throw new Error(`It did not succeed: ${JSON.stringify(outcome).slice(0, 2000)}`);
};
const textOf = ({ content }: Result) =>
  content.map((part) => (part.type === "text" ? part.text : "")).join("\n");

function expectMeasured(result: Result): void {
  const texts = result.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const images = result.content.length - texts.length;
  const chars = texts.reduce((sum, text) => sum + text.length, 0);
  expect(result.output).toMatchObject({ chars, images, cutChars: 0 });
  expect(result.output?.tokenEstimate).toBeGreaterThanOrEqual(Math.floor(chars / 4) + images);
  expect(JSON.stringify(result.details ?? null).length).toBeLessThan(maxDetailsChars);
}

it("is asked of every tool that is built", () => {
  const folder = new URL(".", import.meta.url);
  const tools = readdirSync(folder, { withFileTypes: true })
    .filter(
      (entry) => entry.isDirectory() && readdirSync(new URL(`${entry.name}/`, folder)).includes("tool.ts"),
    )
    .map(({ name }) => name);
  expect(Object.keys(rows).sort()).toEqual(tools.sort());
});

for (const [name, { run, small, large, slow }] of Object.entries(rows)) {
  describe(name, { timeout: 90_000 }, () => {
    it("measures what it gives", async () => {
      const result = resultOf(await run(await small()));
      expect(textOf(result)).not.toBe("");
      expectMeasured(result);
    });

    if (large !== null) {
      it("keeps to a budget of its own, and says what is missing and how to get it", async () => {
        const result = resultOf(await run(await large.args()));
        expectMeasured(result);
        expect(textOf(result).length).toBeLessThanOrEqual(large.maxChars);
        expect(textOf(result)).toMatch(large.says);
      });
    }

    if (slow !== null) {
      it("is heard of after a second, and ends at once when it is cancelled", async () => {
        const args = await slow();
        const control = new AbortController();
        let hear: (text: string) => void = () => {};
        const heard = new Promise<string>((resolve) => {
          hear = resolve;
        });
        const ended = run(args, { signal: control.signal, onProgress: (text) => hear(text) });
        expect(await Promise.race([heard, ended])).toEqual(expect.any(String));
        const cancelledAtMs = performance.now();
        control.abort();
        expect((await ended).kind).toBe("cancelled");
        // Far below any time limit of a tool; a busy machine may need some of it.
        expect(performance.now() - cancelledAtMs).toBeLessThan(5000);
      });
    }
  });
}
