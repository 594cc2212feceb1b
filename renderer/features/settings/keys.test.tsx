// @vitest-environment happy-dom

import { cleanup, fireEvent, screen, within } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import type { SecretsView } from "../../../shared/contract/index.ts";
import { AppError } from "../../../shared/errors/index.ts";
import { renderPanel } from "../../testing/renderPanel.tsx";
import { KeysSection } from "./KeysSection.tsx";

afterEach(cleanup);

const view = (changes: Partial<SecretsView> = {}): SecretsView => ({
  services: [
    {
      id: "search.brave",
      label: "Brave",
      pluginId: "brave",
      name: "BRAVE_API_KEY",
      tools: ["web_search"],
      docs: "https://brave.com/search/api/",
      canTest: true,
      state: { kind: "missing" },
    },
    {
      id: "openai",
      label: "OpenAI",
      pluginId: null,
      name: "OPENAI_API_KEY",
      tools: ["image", "pdf"],
      docs: "https://platform.openai.com/api-keys",
      canTest: false,
      state: { kind: "environment", variable: "OPENAI_API_KEY" },
    },
  ],
  stored: [],
  protection: { kind: "file" },
  path: "/home/mira/.openclaw/sallyport-secrets.json",
  problem: null,
  ...changes,
});

const storedView = () => {
  const { services } = view();
  return view({
    services: services.map((service) =>
      service.id === "search.brave"
        ? { ...service, state: { kind: "stored", variable: "BRAVE_API_KEY" } }
        : service,
    ),
    stored: [{ name: "BRAVE_API_KEY", masked: "••••cdef", isSealed: false, updatedAtMs: 1 }],
  });
};

describe("keys of services", () => {
  it("say where each key stands, and that there is no keyring", async () => {
    renderPanel(<KeysSection />, { "secrets.list": () => view() });
    await screen.findByText("Brave");
    expect(screen.getByText("No key")).toBeDefined();
    expect(screen.getByText("In the environment")).toBeDefined();
    expect(screen.getByText(/no keyring to Sallyport.*sallyport-secrets\.json/)).toBeDefined();
    expect(screen.queryByRole("button", { name: "Test the key of Brave" })).toBeNull();
  });

  it("are stored without being shown, then tested and removed", async () => {
    const got: unknown[] = [];
    renderPanel(<KeysSection />, {
      "secrets.list": () => view({ protection: { kind: "keyring", backend: "gnome_libsecret" } }),
      "secrets.set": (input) => {
        got.push(input);
        return storedView();
      },
      "secrets.test": () => ({ ok: false, message: "Brave answered with status 401.", tookMs: 0 }),
      "secrets.remove": () => view(),
    });
    fireEvent.click(await screen.findByRole("button", { name: "Set the key of Brave" }));
    const field = screen.getByLabelText("Key, stored as BRAVE_API_KEY");
    expect(field.getAttribute("type")).toBe("password");
    fireEvent.change(field, { target: { value: "brave-0123456789abcdef" } });
    fireEvent.click(screen.getByRole("button", { name: "Save key" }));
    await screen.findByText("Stored here");
    expect(got).toEqual([{ name: "BRAVE_API_KEY", value: "brave-0123456789abcdef" }]);
    expect(document.body.innerHTML).not.toContain("brave-0123456789abcdef");
    expect(screen.getByText(/••••cdef/)).toBeDefined();
    fireEvent.click(screen.getByRole("button", { name: "Test the key of Brave" }));
    await screen.findByText(/The test failed\. Brave answered with status 401/);
    fireEvent.click(screen.getByRole("button", { name: "Remove the stored key of Brave" }));
    await screen.findByText("No key");
  });

  it("keep what was typed when it is refused, and say why", async () => {
    renderPanel(<KeysSection />, {
      "secrets.list": () => view(),
      "secrets.set": () => {
        throw new AppError("INVALID_INPUT", "A key has no spaces.");
      },
    });
    fireEvent.click(await screen.findByRole("button", { name: "Set the key of OpenAI" }));
    const form = screen.getByLabelText("Key, stored as OPENAI_API_KEY").closest("form");
    if (form === null) throw new Error("no form");
    expect(within(form).getByText(/goes on counting/)).toBeDefined();
    fireEvent.change(within(form).getByLabelText(/^Key/), { target: { value: "two words" } });
    fireEvent.submit(form);
    await within(form).findByText("A key has no spaces.");
    expect((within(form).getByLabelText(/^Key/) as HTMLInputElement).value).toBe("two words");
  });

  it("that another keyring sealed are named, and what fails is said", async () => {
    renderPanel(<KeysSection />, {
      "secrets.list": () =>
        view({ stored: [{ name: "BRAVE_API_KEY", masked: null, isSealed: true, updatedAtMs: 1 }] }),
      "secrets.remove": () => {
        throw new AppError("UNAVAILABLE", "The file is locked.");
      },
    });
    expect(await screen.findByText(/another keyring or user sealed it/)).toBeDefined();
    fireEvent.click(screen.getByRole("button", { name: "Remove the stored key of Brave" }));
    expect((await screen.findByRole("alert")).textContent).toBe("Not removed. The file is locked.");
  });

  it("give the focus back when their form closes", async () => {
    renderPanel(<KeysSection />, { "secrets.list": () => view() });
    const opener = await screen.findByRole("button", { name: "Set the key of Brave" });
    fireEvent.click(opener);
    fireEvent.click(screen.getByRole("button", { name: "Cancel" }));
    expect(document.activeElement).toBe(opener);
  });

  it("cannot be set while their file is broken", async () => {
    renderPanel(<KeysSection />, { "secrets.list": () => view({ problem: "it is no JSON" }) });
    expect((await screen.findByRole("alert")).textContent).toMatch(/not used: it is no JSON/);
    expect(screen.getByRole("button", { name: "Set the key of Brave" })).toHaveProperty("disabled", true);
  });
});
