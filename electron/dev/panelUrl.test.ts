import { describe, expect, it } from "vitest";
import { panelUrlIn } from "./panelUrl.mjs";

describe("the address of the panel", () => {
  it("is the one with the one-time token, not the first address that is printed", () => {
    expect(
      panelUrlIn("Sallyport 0.1.0 runs without a window on http://127.0.0.1:18789 (state: /s)."),
    ).toBeNull();
    expect(panelUrlIn("MCP clients: http://127.0.0.1:18789/mcp with a token from the panel")).toBeNull();
    expect(panelUrlIn("Panel, opens once within ten minutes: http://127.0.0.1:18789/?token=a-b_C")).toBe(
      "http://127.0.0.1:18789/?token=a-b_C",
    );
  });
});
