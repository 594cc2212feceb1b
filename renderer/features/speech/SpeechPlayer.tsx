/** Plays one recording of the runtime: play, pause, position. The bytes come over the contract, never from an address. */

import { type RefObject, useEffect, useRef, useState } from "react";
import type { SpokenAudio } from "../../../shared/contract/index.ts";
import { messageOf } from "../../../shared/errors/index.ts";
import { useT } from "../../i18n/index.ts";
import { useRpc } from "../../rpc/hooks.ts";
import { Button } from "../../ui/Button.tsx";
import { clockText } from "./clockText.ts";
import { loadRecording } from "./loadRecording.ts";
import "./speech.css";

type Loading =
  | { kind: "empty" }
  | { kind: "loading" }
  | { kind: "ready"; url: string }
  | { kind: "failed"; message: string };

/** Two voices at once cannot be understood: a new one stops the one before it. */
let speaking: HTMLAudioElement | null = null;

/** Another recording in the same place begins anew: its bytes, its position, its length. */
export function SpeechPlayer({ audio }: { audio: SpokenAudio }) {
  return <Player key={audio.id} audio={audio} />;
}

function Player({ audio }: { audio: SpokenAudio }) {
  const t = useT("speech");
  const element = useRef<HTMLAudioElement>(null);
  const { loading, start, fail } = useRecording(audio, element);
  const [isPlaying, setIsPlaying] = useState(false);
  const [seconds, setSeconds] = useState(0);
  const [wholeSeconds, setWholeSeconds] = useState((audio.durationMs ?? 0) / 1000);
  const position = { at: clockText(seconds), whole: clockText(wholeSeconds) };

  const toggle = () => {
    const player = element.current;
    if (player === null) return;
    if (!player.paused) player.pause();
    else if (loading.kind === "ready") play(player, fail);
    else start();
  };

  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div className="speech-player" role="group" aria-label={t("recording")}>
      <div className="row">
        <Button
          icon={isPlaying ? "pause" : "play"}
          disabled={loading.kind === "loading"}
          onClick={toggle}
          aria-label={isPlaying ? t("pauseRecording") : t("playRecording")}
        >
          {loading.kind === "loading" ? t("loading") : isPlaying ? t("pause") : t("play")}
        </Button>
        <input
          type="range"
          className="speech-position"
          aria-label={t("position")}
          aria-valuetext={t("positionText", position)}
          min={0}
          max={Math.max(wholeSeconds, 0.1)}
          step={0.1}
          value={Math.min(seconds, wholeSeconds)}
          disabled={loading.kind !== "ready"}
          onChange={(event) => {
            const wanted = Number(event.target.value);
            if (element.current !== null) element.current.currentTime = wanted;
            setSeconds(wanted);
          }}
        />
        <span className="second speech-clock">{t("positionText", position)}</span>
      </div>
      {/* biome-ignore lint/a11y/useMediaCaption: the text that is spoken stands in the call */}
      <audio
        ref={element}
        src={loading.kind === "ready" ? loading.url : undefined}
        onPlay={() => setIsPlaying(true)}
        onPause={() => setIsPlaying(false)}
        onEnded={() => {
          setIsPlaying(false);
          setSeconds(0);
        }}
        onTimeUpdate={(event) => setSeconds(event.currentTarget.currentTime)}
        onLoadedMetadata={(event) => {
          const { duration } = event.currentTarget;
          if (Number.isFinite(duration) && duration > 0) setWholeSeconds(duration);
        }}
        onError={() => fail(t("cannotPlay"))}
      />
      {loading.kind === "failed" ? (
        <p className="tone-stop" role="alert">
          {loading.message}
        </p>
      ) : null}
    </div>
  );
}

function play(player: HTMLAudioElement, fail: (message: string) => void): void {
  if (speaking !== null && speaking !== player) speaking.pause();
  speaking = player;
  player.play().catch((error: unknown) => {
    // Pausing before the first sound ends the promise this way; that is no failure.
    if (error instanceof DOMException && error.name === "AbortError") return;
    fail(messageOf(error));
  });
}

/** Loads the bytes when they are first wanted, plays them, and lets go of them with the component. */
function useRecording(audio: SpokenAudio, element: RefObject<HTMLAudioElement | null>) {
  const rpc = useRpc();
  const [loading, setLoading] = useState<Loading>({ kind: "empty" });
  const cancel = useRef<AbortController | null>(null);
  const fail = (message: string) => setLoading({ kind: "failed", message });

  useEffect(() => () => cancel.current?.abort(), []);

  const url = loading.kind === "ready" ? loading.url : null;
  useEffect(() => {
    if (url === null) return;
    const player = element.current;
    if (player !== null) play(player, (message) => setLoading({ kind: "failed", message }));
    return () => {
      player?.pause();
      if (speaking === player) speaking = null;
      URL.revokeObjectURL(url);
    };
  }, [url, element]);

  const start = () => {
    cancel.current?.abort();
    const own = new AbortController();
    cancel.current = own;
    setLoading({ kind: "loading" });
    loadRecording(rpc, audio, own.signal).then(
      (blob) => {
        if (!own.signal.aborted) setLoading({ kind: "ready", url: URL.createObjectURL(blob) });
      },
      (error: unknown) => {
        if (!own.signal.aborted) fail(messageOf(error));
      },
    );
  };
  return { loading, start, fail };
}
