import { readFileSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import {
  cleanUpSpeech,
  makeTestSpeech,
  mp3Second,
  onCleanUp,
  opusTwoSeconds,
  serve,
  type TestSpeech,
} from "../../speech/testSpeech.ts";
import { makeTestFolder } from "../../storage/testFolder.ts";
import { createTestRuntime, testCaller } from "../../testing/testRuntime.ts";
import { testContext } from "../../testing/toolCallContext.ts";
import type { ToolCallContext, ToolResult } from "../defineTool.ts";

afterEach(cleanUpSpeech);

const context = testContext();

const call = (test: TestSpeech, args: unknown, over: Partial<ToolCallContext> = {}): Promise<ToolResult> => {
  const { tool } = test.speech;
  return tool.execute(tool.input.parse(args), { ...context, ...over });
};

async function withOpenai(answer: Buffer = mp3Second) {
  const server = await serve((_request, response) => response.end(answer));
  const test = makeTestSpeech({}, new Map([["https://api.openai.com", server.url("", "o.test")]]));
  test.settings.env.OPENAI_API_KEY = "k";
  return { test, server };
}

describe("tts", () => {
  it("gives a short text, and details with path, size and length", async () => {
    const { test, server } = await withOpenai();
    const text = "**Not** stripped, [[tts:voice=nova]] not parsed";
    const result = await call(test, { text: ` ${text} ` });
    expect(result.isError).toBeUndefined();
    expect(result.content).toEqual([
      { type: "text", text: "Spoken by openai, 1.0 s. Answer with NO_REPLY." },
    ]);
    const details = result.details as Record<string, unknown> & { audioPath: string };
    expect(details).toMatchObject({
      provider: "openai",
      media: { mediaUrl: details.audioPath },
      sizeBytes: 6000,
      durationMs: 1000,
      audio: { mimeType: "audio/mpeg" },
      attempts: [{ provider: "openai", outcome: "success", reasonCode: "success" }],
    });
    expect(details.tokenEstimate).toBeLessThan(20);
    expect(details.media).not.toHaveProperty("audioAsVoice");
    expect(readFileSync(details.audioPath).equals(mp3Second)).toBe(true);
    expect(JSON.parse(server.requests[0]?.body ?? "")).toMatchObject({ input: text });
    expect(test.records[0]).toMatchObject({ kind: "speech.spoken", by: "mcp:test" });
  });

  it("makes a voice message for a channel that shows one", async () => {
    const { test } = await withOpenai(opusTwoSeconds);
    const result = await call(test, { text: "Hello there", channel: "telegram" });
    expect(result.details).toMatchObject({ media: { audioAsVoice: true } });
  });

  it("fails as a result that names the reason, for a long text and when nobody can speak", async () => {
    const test = makeTestSpeech();
    const long = await call(test, { text: "x".repeat(5000) });
    expect(long).toMatchObject({
      isError: true,
      details: { error: expect.stringContaining("4096"), attempts: [] },
    });
    test.settings.config = { messages: { tts: { provider: "microsoft" } } };
    const failed = await call(test, { text: "Hello there" });
    expect(failed).toMatchObject({
      isError: true,
      details: { attempts: [{ provider: "microsoft", outcome: "failed" }, {}, {}, {}] },
    });
    expect(failed.content[0]).toMatchObject({ text: (failed.details as { error: string }).error });
  });

  it("describes its parameters and refuses a call without text", async () => {
    const { tool } = makeTestSpeech().speech;
    expect(tool.input.safeParse({ text: "  " }).success).toBe(false);
    const schema = z.toJSONSchema(tool.input, { io: "input" }) as {
      properties: Record<string, { description?: string }>;
    };
    expect(Object.keys(schema.properties)).toEqual(["text", "channel"]);
    for (const property of Object.values(schema.properties)) expect(property.description).toBeTruthy();
    expect(tool.description).toContain("NO_REPLY");
  });

  it("ends with the call, and says whom it waits for", async () => {
    const cancel = new AbortController();
    const server = await serve(() => {});
    const test = makeTestSpeech({}, new Map([["https://api.openai.com", server.url("", "o.test")]]));
    test.settings.env.OPENAI_API_KEY = "k";
    const said: string[] = [];
    const running = call(
      test,
      { text: "Hello there" },
      {
        signal: cancel.signal,
        reportProgress: (text) => {
          said.push(text);
          cancel.abort(new Error("stop"));
        },
      },
    );
    await expect(running).rejects.toThrow("stop");
    expect(said[0]).toMatch(/^Speaking with OpenAI \(\d+ s\)$/);
  });
});

describe("tts in the runtime", () => {
  it.skipIf(process.platform !== "linux")(
    "passes the gates like every tool, and speaks offline",
    async () => {
      const { folder, remove } = await makeTestFolder();
      onCleanUp(remove);
      const runtime = await createTestRuntime(folder);
      onCleanUp(() => runtime.dispose());
      const names = runtime.tools.listTools(testCaller).tools.map(({ name }) => name);
      expect(names).toContain("tts");
      const outcome = await runtime.tools.callTool(
        testCaller,
        "tts",
        { text: "Hello from the runtime." },
        { signal: new AbortController().signal, holdMs: null },
      );
      expect(outcome).toMatchObject({
        kind: "result",
        isError: false,
        details: { provider: "system", audio: { mimeType: "audio/wav" } },
      });
    },
  );
});
