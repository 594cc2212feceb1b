// @vitest-environment happy-dom
import { cleanup, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { renderPanel } from "../../../testing/renderPanel.tsx";
import type { AssertionCheck } from "../assertions/useAssertions.ts";
import { AssertionStrip } from "./AssertionStrip.tsx";

afterEach(cleanup);

const refuted = (text: string, line: number): AssertionCheck["results"][number] => ({
  kind: "refuted",
  line,
  text,
  contexts: 1,
  context: { surface: "model" },
  label: {
    agent: "main",
    model: "m",
    group: "direct",
    owner: true,
    sandboxed: false,
    role: "main",
    surface: "model",
  },
  tool: "read",
  steps: [],
});

test("a broken promise that a tool is there is told as missing, however its first word is written", () => {
  const results = [refuted("Always main: read", 1), refuted("NEVER main: read", 2)];
  const check: AssertionCheck = {
    results,
    counts: { proved: 0, refuted: 2, invalid: 0 },
    preset: "reference",
    classes: [],
    contexts: 1,
    problems: [],
  };
  renderPanel(<AssertionStrip check={check} isStale={false} onOpenContext={() => {}} />, {});
  const [always, never] = [...document.querySelectorAll(".policy-counterexample p")].map(
    (node) => node.textContent,
  );
  expect(always).toContain("read is missing for");
  expect(never).not.toContain("is missing for");
  expect(screen.getAllByRole("button")).toHaveLength(2);
});
