// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { SpeechSettingsView, SpokenAudio } from "../../../shared/contract/index.ts";
import { AppError } from "../../../shared/errors/index.ts";
import { renderPanel } from "../../testing/renderPanel.tsx";
import { ResultView } from "../tools/ResultView.tsx";
import { clockText } from "./clockText.ts";
import { SpeechPlayer } from "./SpeechPlayer.tsx";
import { SpeechSection } from "./SpeechSection.tsx";

const audio: SpokenAudio = {
  id: "rec-1",
  mimeType: "audio/wav",
  sizeBytes: 6,
  durationMs: 63_000,
  expiresAtMs: 1,
};

const blobs: Blob[] = [];
const revoked: string[] = [];

/** No sound here: the element's own play and pause become events, as a browser would send them. */
beforeEach(() => {
  blobs.length = 0;
  revoked.length = 0;
  const paused = new WeakMap<HTMLMediaElement, boolean>();
  vi.spyOn(HTMLMediaElement.prototype, "paused", "get").mockImplementation(function (this: HTMLMediaElement) {
    return paused.get(this) ?? true;
  });
  vi.spyOn(HTMLMediaElement.prototype, "play").mockImplementation(async function (this: HTMLMediaElement) {
    paused.set(this, false);
    this.dispatchEvent(new Event("play"));
  });
  vi.spyOn(HTMLMediaElement.prototype, "pause").mockImplementation(function (this: HTMLMediaElement) {
    paused.set(this, true);
    this.dispatchEvent(new Event("pause"));
  });
  vi.spyOn(URL, "createObjectURL").mockImplementation((blob) => {
    blobs.push(blob as Blob);
    return `blob:test/${blobs.length}`;
  });
  vi.spyOn(URL, "revokeObjectURL").mockImplementation((url) => {
    revoked.push(url);
  });
});

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const twoParts = {
  "speech.audio": ({ offset }: { offset: number }) => ({
    data: offset === 0 ? btoa("abc") : btoa("def"),
    mimeType: "audio/wav",
    sizeBytes: 6,
    nextOffset: offset === 0 ? 3 : null,
  }),
};

describe("player", () => {
  test("fetches the parts when they are wanted, plays them, and pauses", async () => {
    const panel = renderPanel(<SpeechPlayer audio={audio} />, twoParts);
    expect(blobs).toEqual([]);
    expect(screen.getByText("0:00 of 1:03")).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Play the recording" }));
    fireEvent.click(await screen.findByRole("button", { name: "Pause the recording" }));
    await screen.findByRole("button", { name: "Play the recording" });
    expect(await blobs[0]?.text()).toBe("abcdef");
    expect(blobs[0]?.type).toBe("audio/wav");
    const element = panel.container.querySelector("audio");
    expect(element?.getAttribute("src")).toBe("blob:test/1");
    panel.unmount();
    expect(revoked).toEqual(["blob:test/1"]);
  });

  test("shows and sets the position, for a keyboard and for a screen reader", async () => {
    const panel = renderPanel(<SpeechPlayer audio={audio} />, twoParts);
    const slider = screen.getByRole<HTMLInputElement>("slider", { name: "Position in the recording" });
    expect(slider.disabled).toBe(true);
    fireEvent.click(screen.getByRole("button", { name: "Play the recording" }));
    await waitFor(() => expect(slider.disabled).toBe(false));
    const element = panel.container.querySelector("audio");
    if (element === null) throw new Error("there is a player");
    fireEvent.change(slider, { target: { value: "30" } });
    expect(element.currentTime).toBe(30);
    expect(slider.getAttribute("aria-valuetext")).toBe("0:30 of 1:03");
    element.currentTime = 45;
    fireEvent.timeUpdate(element);
    expect(slider.getAttribute("aria-valuetext")).toBe("0:45 of 1:03");
    fireEvent.ended(element);
    expect(slider.getAttribute("aria-valuetext")).toBe("0:00 of 1:03");
  });

  test("lets one recording speak at a time", async () => {
    const panel = renderPanel(
      <>
        <SpeechPlayer audio={audio} />
        <SpeechPlayer audio={{ ...audio, id: "rec-2" }} />
      </>,
      twoParts,
    );
    const [first, second] = panel.container.querySelectorAll("audio");
    const buttons = screen.getAllByRole("button", { name: "Play the recording" });
    for (const button of buttons) {
      fireEvent.click(button);
      await screen.findByRole("button", { name: "Pause the recording" });
    }
    await waitFor(() => expect(second?.paused).toBe(false));
    expect(first?.paused).toBe(true);
  });

  test("says why when a recording is gone, cannot be played, or is no end to it", async () => {
    const panel = renderPanel(<SpeechPlayer audio={audio} />, {
      "speech.audio": ({ id }) => {
        throw new AppError("NOT_FOUND", `The recording ${id} was removed.`);
      },
    });
    fireEvent.click(screen.getByRole("button", { name: "Play the recording" }));
    expect((await screen.findByRole("alert")).textContent).toBe("The recording rec-1 was removed.");
    const element = panel.container.querySelector("audio");
    if (element === null) throw new Error("there is a player");
    act(() => void fireEvent.error(element));
    expect(screen.getByRole("alert").textContent).toBe("This recording cannot be played here.");
    cleanup();
    renderPanel(<SpeechPlayer audio={audio} />, {
      "speech.audio": () => ({ data: btoa("abc"), mimeType: "text/html", sizeBytes: 3, nextOffset: 0 }),
    });
    fireEvent.click(screen.getByRole("button", { name: "Play the recording" }));
    expect((await screen.findByRole("alert")).textContent).toContain("larger than a recording can be");
    expect(blobs).toEqual([]);
  });

  test("gives a type that is no sound no way into the page", async () => {
    renderPanel(<SpeechPlayer audio={audio} />, {
      "speech.audio": () => ({ data: btoa("<p>"), mimeType: "text/html", sizeBytes: 3, nextOffset: null }),
    });
    fireEvent.click(screen.getByRole("button", { name: "Play the recording" }));
    await waitFor(() => expect(blobs.length).toBe(1));
    expect(blobs[0]?.type).toBe("application/octet-stream");
  });

  test("stands in the result of tts, and of no other tool", () => {
    const result = {
      content: [{ type: "text" as const, text: "Spoken." }],
      isError: false,
      details: { audio },
    };
    renderPanel(<ResultView tool="tts" result={result} />);
    expect(screen.getByRole("group", { name: "Recording" })).toBeTruthy();
    cleanup();
    renderPanel(<ResultView tool="other" result={result} />);
    expect(screen.queryByRole("group", { name: "Recording" })).toBeNull();
  });

  test.each([
    [0, "0:00"],
    [7.9, "0:07"],
    [754, "12:34"],
    [Number.NaN, "0:00"],
    [Number.POSITIVE_INFINITY, "0:00"],
  ])("%d seconds are %s", (seconds, text) => {
    expect(clockText(seconds)).toBe(text);
  });
});

const view: SpeechSettingsView = {
  mode: "off",
  modeFrom: "default",
  provider: null,
  maxLength: 1500,
  maxTextLength: 4096,
  summarize: true,
  canSummarize: false,
  providers: [
    { id: "system", label: "This computer", configured: true, isOnline: false, isAsked: true },
    { id: "openai", label: "OpenAI", configured: false, isOnline: true, isAsked: false },
  ],
  prefsPath: "/home/mira/.openclaw/settings/tts.json",
  problem: null,
};

describe("settings of speech", () => {
  const show = (over: Partial<SpeechSettingsView> = {}) => {
    const saved: unknown[] = [];
    let current = { ...view, ...over };
    renderPanel(<SpeechSection />, {
      ...twoParts,
      "speech.settings": () => current,
      "speech.set": (values) => {
        saved.push(values);
        current = { ...current, ...(values.auto == null ? {} : { mode: values.auto }) };
        return current;
      },
      "speech.say": () => ({
        kind: "spoken",
        audio,
        audioPath: "/x",
        provider: "system",
        voice: "en-us",
        audioAsVoice: false,
        chars: 5,
        attempts: [],
      }),
    });
    return saved;
  };

  test("change at once what is chosen", async () => {
    const saved = show();
    fireEvent.click(await screen.findByRole("radio", { name: "Always" }));
    await waitFor(() => expect(screen.getByRole("radio", { name: "Always", checked: true })).toBeTruthy());
    const limit = screen.getByLabelText("Longest reply, in characters");
    fireEvent.change(limit, { target: { value: "99" } });
    fireEvent.keyDown(limit, { key: "Enter" });
    expect(screen.getByText("A number from 100 to 4096.")).toBeTruthy();
    fireEvent.change(limit, { target: { value: "300" } });
    fireEvent.keyDown(limit, { key: "Enter" });
    await waitFor(() => expect(saved).toEqual([{ auto: "always" }, { maxLength: 300 }]));
  });

  test("say whether texts leave the computer", async () => {
    show();
    expect(await screen.findByText("Texts stay on this computer.")).toBeTruthy();
    cleanup();
    show({ providers: [{ id: "microsoft", label: "M", configured: true, isOnline: true, isAsked: true }] });
    expect(await screen.findByText("Texts go to Microsoft read-aloud over the network.")).toBeTruthy();
    cleanup();
    show({ providers: [], problem: "tts.json is broken." });
    expect(await screen.findByText(/Nobody can speak yet/)).toBeTruthy();
    expect(screen.getByRole("alert").textContent).toContain("tts.json is broken.");
  });

  test("speak a sentence on request", async () => {
    show();
    fireEvent.click(await screen.findByRole("button", { name: "Say something" }));
    expect(await screen.findByText("Spoken by: This computer")).toBeTruthy();
    expect(screen.getByRole("group", { name: "Recording" })).toBeTruthy();
  });
});
