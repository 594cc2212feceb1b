/** For the test of output discipline: what each tool is asked, ordinarily, for too much, and for long. */

import { xaiFixture } from "../media/testing/serviceFixtures.ts";
import { json } from "../media/testing/testMedia.ts";
import { mp3Second } from "../speech/testSpeech.ts";
import {
  type Args,
  answering,
  background,
  browser,
  built,
  calling,
  chat,
  endedIn,
  hit,
  longText,
  made,
  mediaTool,
  memory,
  memoryTool,
  never,
  note,
  owned,
  pageUrl,
  patchOf,
  png,
  put,
  type Run,
  servers,
  setConfig,
  site,
  speech,
  webTool,
  xai,
} from "./testDisciplinePeers.ts";
import { providerFixtures } from "./web_search/providerFixtures.ts";

export interface Row {
  run: Run;
  /** An ordinary call. */
  small(): Promise<Args>;
  /** One that asks for far more than the tool gives; null: nothing that is asked for makes its answer grow. */
  large: null | { args(): Promise<Args>; maxChars: number; says: RegExp };
  /** One that takes long; null: it reads or writes bounded files of this computer, or only what is in memory. */
  slow: null | (() => Promise<Args>);
}

export const rows: Record<string, Row> = {
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
  agents_list: { run: built("agents_list"), small: async () => ({}), large: null, slow: null },
  gateway: {
    run: owned("gateway"),
    small: async () => ({ action: "config.get" }),
    large: {
      args: async () => {
        await setConfig(
          "wizard",
          Array.from({ length: 3000 }, (_, at) => `line ${at} of a long list`),
        );
        return { action: "config.get" };
      },
      maxChars: 60_000,
      says: /too much to read. Ask for a part with path/,
    },
    slow: null,
  },
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
      await answering(never, {});
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
