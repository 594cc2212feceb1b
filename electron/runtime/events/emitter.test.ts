import { describe, expect, it } from "vitest";
import { createEmitter } from "./emitter.ts";

interface Events {
  counted: { value: number };
  closed: undefined;
}

describe("createEmitter", () => {
  it("calls listeners in order and only for their event, until they are removed", () => {
    const emitter = createEmitter<Events>();
    const seen: string[] = [];
    const off = emitter.on("counted", ({ value }) => seen.push(`a${value}`));
    emitter.on("counted", ({ value }) => seen.push(`b${value}`));
    emitter.on("closed", () => seen.push("closed"));
    emitter.emit("counted", { value: 1 });
    off();
    off();
    emitter.emit("counted", { value: 2 });
    expect(seen).toEqual(["a1", "b1", "b2"]);
    expect(emitter.listenerCount("counted")).toBe(1);
    emitter.clear();
    emitter.emit("counted", { value: 3 });
    expect(seen).toHaveLength(3);
  });

  it("keeps one function that was registered twice until both are removed", () => {
    const emitter = createEmitter<Events>();
    let count = 0;
    const listener = () => {
      count += 1;
    };
    const off = emitter.on("counted", listener);
    emitter.on("counted", listener);
    off();
    emitter.emit("counted", { value: 1 });
    expect(count).toBe(1);
  });

  it("reaches the other listeners when one throws, and reports it", () => {
    const reported: unknown[] = [];
    const emitter = createEmitter<Events>({ onListenerError: (name, error) => reported.push([name, error]) });
    const failure = new Error("broken");
    let reached = false;
    emitter.on("counted", () => {
      throw failure;
    });
    emitter.on("counted", () => {
      reached = true;
    });
    emitter.emit("counted", { value: 1 });
    expect(reached).toBe(true);
    expect(reported).toEqual([["counted", failure]]);
  });
});
