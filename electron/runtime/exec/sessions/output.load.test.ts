import { afterEach, describe, expect, it } from "vitest";
import type { ExecSessions } from "./execSessions.ts";
import { createTestSessions, shellRequest, testScope, until } from "./testSupport.ts";
import type { RunningDetails } from "./types.ts";

const opened: ExecSessions[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((sessions) => sessions.dispose()));
});
function open(): ExecSessions {
  const sessions = createTestSessions();
  opened.push(sessions);
  return sessions;
}

describe("a flood", () => {
  it("of 200 MB through one terminal stays in bounded memory and keeps the last part whole", async () => {
    const sessions = open();
    let eventChars = 0;
    let biggestEvent = 0;
    let lastSeq = 0;
    let gaps = 0;
    let peakRss = 0;
    sessions.events.on("sessionOutput", ({ seq, text }) => {
      eventChars += text.length;
      biggestEvent = Math.max(biggestEvent, text.length);
      if (seq !== lastSeq + 1) gaps += 1;
      lastSeq = seq;
      peakRss = Math.max(peakRss, process.memoryUsage.rss());
    });
    const line = "x".repeat(1023);
    const script = `stty -opost; yes ${line} | head -c 200000000; echo; echo THE-END`;
    const rssBefore = process.memoryUsage.rss();
    const result = await sessions.start(
      shellRequest(script, { pty: true, background: true, timeoutMs: 60_000 }),
    );
    const { sessionId } = result.details as RunningDetails;
    await until("the end", () => sessions.get(sessionId)?.status !== "running", 55_000);
    const session = sessions.get(sessionId);
    const output = sessions.output(sessionId);
    expect(session?.counters.bytesTotal).toBe(200_000_000 + 1 + 8);
    expect(session?.truncated).toBe(true);
    expect(output?.aggregated.length).toBe(200_000);
    expect(output?.aggregated.endsWith("\nTHE-END\n")).toBe(true);
    const lines = (output?.aggregated ?? "").split("\n").slice(1, -4);
    expect(lines.every((one) => one === line)).toBe(true);
    expect(gaps).toBe(0);
    expect(biggestEvent).toBeLessThanOrEqual(65_536);
    expect(eventChars).toBeLessThan(200_000_000);
    expect(sessions.heldChars()).toBeLessThan(1_000_000);
    expect((peakRss - rssBefore) / 1e6).toBeLessThan(150);
    const screen = sessions.readScreen(sessionId, 0);
    expect(screen?.lastSeq).toBe(lastSeq);
    expect(screen?.droppedChars).toBeGreaterThan(0);
    expect(screen?.chunks.at(-1)?.text).toContain("THE-END");
  }, 60_000);

  it("from 20 chatty sessions loses nothing within the kept window", async () => {
    const sessions = open();
    const seen = new Map<string, string>();
    sessions.events.on("sessionOutput", ({ sessionId, text, skippedChars }) => {
      expect(skippedChars).toBe(0);
      seen.set(sessionId, (seen.get(sessionId) ?? "") + text);
    });
    const script = 'i=0; while [ $i -lt 2000 ]; do echo "line $i"; i=$((i+1)); done';
    const started = await Promise.all(
      Array.from({ length: 20 }, (_unused, index) =>
        sessions.start(shellRequest(script, { background: true, pty: index % 2 === 0 })),
      ),
    );
    await until(
      "all ended",
      () => sessions.list(testScope).every((session) => session.status === "completed"),
      20_000,
    );
    const expected = `${Array.from({ length: 2000 }, (_unused, index) => `line ${index}`).join("\n")}\n`;
    for (const result of started) {
      const { sessionId } = result.details as RunningDetails;
      const normalised = (text: string | undefined) => (text ?? "").replaceAll("\r\n", "\n");
      expect(normalised(sessions.output(sessionId)?.aggregated)).toBe(expected);
      expect(normalised(seen.get(sessionId))).toBe(expected);
      expect(sessions.get(sessionId)?.counters.linesTotal).toBe(2000);
      const screen = sessions.readScreen(sessionId, 0);
      expect(normalised(screen?.chunks.map((chunk) => chunk.text).join(""))).toBe(expected);
    }
  }, 30_000);
});
