// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import type { ProcessInfo } from "../../../shared/contract/index.ts";
import { useLive } from "../../rpc/hooks.ts";
import { renderPanel, type TestPanel } from "../../testing/renderPanel.tsx";
import { useProcessCounts } from "./useProcessCounts.ts";

let panel: TestPanel | null = null;

afterEach(() => {
  cleanup();
  panel?.rpc.dispose();
});

function info(change: Partial<ProcessInfo>): ProcessInfo {
  return {
    id: "calm-fern",
    agentId: "main",
    sessionKey: "agent:main:main",
    command: "top -b",
    name: "top",
    cwd: "/",
    pid: 7,
    io: "pipe",
    canWrite: false,
    cols: 80,
    rows: 24,
    state: { kind: "running" },
    isBackground: true,
    startedAtMs: 0,
    treeSize: 1,
    bytesTotal: 0,
    bytesKept: 0,
    linesTotal: 0,
    bytesPerSecond: 0,
    toolCallId: null,
    ...change,
  };
}

function Lines() {
  const processes = useProcessCounts(useLive((state) => state.processes));
  return <output>{processes?.map(({ state, linesTotal }) => `${state.kind} ${linesTotal}`).join()}</output>;
}

describe("counters of processes", () => {
  it("grow while a process runs, without an event that says so, and rest when it has ended", async () => {
    let reads = 0;
    panel = renderPanel(<Lines />, {
      "processes.list": () => {
        reads += 1;
        return { processes: [info({ linesTotal: reads * 10, bytesTotal: reads * 100 })], survivors: [] };
      },
    });
    await screen.findByText("running 10");
    await waitFor(() => expect(document.querySelector("output")?.textContent).toMatch(/running (2|3)0/), {
      timeout: 4_000,
    });
    const ended = { kind: "exited", exitCode: 0, signal: null, endedAtMs: 1 } as const;
    panel.emit("processes.changed", {
      processes: [info({ state: ended, linesTotal: 99, bytesTotal: 999 })],
      survivors: [],
    });
    await screen.findByText("exited 99");
  });
});
