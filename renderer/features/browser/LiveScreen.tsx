/** The page as it moves, and a hand on it: frames come while this is on screen, clicks and keys go back. */

import {
  type KeyboardEvent,
  type PointerEvent,
  useCallback,
  useEffect,
  useRef,
  useState,
  type WheelEvent,
} from "react";
import type { BrowserTab, SallyportContract } from "../../../shared/contract/index.ts";
import type { EventPayload } from "../../../shared/rpc/index.ts";
import { useT } from "../../i18n/index.ts";
import type { PanelInput } from "../../rpc/connection.ts";
import { useRpc, useRpcEvent } from "../../rpc/hooks.ts";

type Frame = EventPayload<SallyportContract, "browser.frame">;
type Input = PanelInput<"browser.input">["input"];

type Wheel = Extract<Input, { kind: "wheel" }>;

export function LiveScreen({ profile, tab }: { profile: string; tab: BrowserTab }) {
  const t = useT("browser");
  const rpc = useRpc();
  const { targetId } = tab;
  const picture = useRef<HTMLImageElement>(null);
  const castId = useRef<string | null>(null);
  const viewport = useRef({ width: 0, height: 0 });
  const [problem, setProblem] = useState<string | null>(null);
  const [hasFrame, setHasFrame] = useState(false);

  useEffect(() => {
    let isOver = false;
    setProblem(null);
    setHasFrame(false);
    rpc.call("browser.screencast.start", { profile, targetId }).then(
      (cast) => {
        if (isOver) void stop(cast.castId);
        else castId.current = cast.castId;
      },
      (error: unknown) => {
        if (!isOver) setProblem(error instanceof Error ? error.message : String(error));
      },
    );
    const stop = (id: string) =>
      rpc.call("browser.screencast.stop", { castId: id }).catch(() => {
        // The connection or the page went away, and the frames with it.
      });
    return () => {
      isOver = true;
      if (castId.current !== null) void stop(castId.current);
      castId.current = null;
    };
  }, [rpc, profile, targetId]);

  // Frames go to the picture itself: drawing them is no work for React.
  const draw = useCallback((frame: Frame) => {
    if (frame.castId !== castId.current || picture.current === null) return;
    viewport.current = { width: frame.viewportWidth, height: frame.viewportHeight };
    picture.current.src = `data:image/jpeg;base64,${frame.base64}`;
    setHasFrame(true);
  }, []);
  useRpcEvent("browser.frame", draw);
  const end = useCallback((ended: { castId: string; reason: string }) => {
    if (ended.castId === castId.current) setProblem(ended.reason);
  }, []);
  useRpcEvent("browser.screencastEnded", end);

  const send = (input: Input) =>
    rpc.call("browser.input", { profile, targetId, input }).catch((error: unknown) => {
      setProblem(error instanceof Error ? error.message : String(error));
    });
  const turn = useSummedWheel((wheel) => void send(wheel));
  const wheel = (event: WheelEvent<HTMLImageElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    if (viewport.current.width === 0) return;
    turn({
      kind: "wheel",
      x: ((event.clientX - box.left) / box.width) * viewport.current.width,
      y: ((event.clientY - box.top) / box.height) * viewport.current.height,
      deltaX: event.deltaX,
      deltaY: event.deltaY,
    });
  };
  const mouse = (type: "down" | "up") => (event: PointerEvent<HTMLImageElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    if (viewport.current.width === 0 || event.button > 2) return;
    event.preventDefault();
    event.currentTarget.focus();
    const x = ((event.clientX - box.left) / box.width) * viewport.current.width;
    const y = ((event.clientY - box.top) / box.height) * viewport.current.height;
    const button = (["left", "middle", "right"] as const)[event.button] ?? "left";
    void send({ kind: "mouse", type, x, y, button, clickCount: 1 });
  };
  const key = (event: KeyboardEvent<HTMLElement>) => {
    // Tab goes to the page, so without this a keyboard could not get out again.
    if (event.key === "Escape") {
      event.stopPropagation();
      const around = event.currentTarget.closest<HTMLElement>("[data-region]");
      if (around === null) event.currentTarget.blur();
      else around.focus();
      return;
    }
    // Keys of the frame (F6, chords of the panel) stay with the panel.
    if (event.nativeEvent.isComposing || /^(?:F\d+|Shift|Control|Alt|Meta)$/.test(event.key)) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    void send(event.key.length === 1 ? { kind: "text", text: event.key } : { kind: "key", key: event.key });
  };

  return (
    <div className="screen-holder">
      <img
        ref={picture}
        className={hasFrame ? "screen-live" : "screen-live is-empty"}
        alt={t("screen.liveAlt", { title: tab.title })}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys go to the page while it has the focus
        tabIndex={0}
        draggable={false}
        onPointerDown={mouse("down")}
        onPointerUp={mouse("up")}
        onKeyDown={key}
        onWheel={wheel}
        onContextMenu={(event) => event.preventDefault()}
      />
      <p className="small">{hasFrame ? t("screen.hand") : t("screen.waiting")}</p>
      {problem === null ? null : (
        <p className="tone-stop" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

/**
 * A wheel tells of itself many times between two pictures; each would be a message to the page.
 * @returns takes one turn; those of one animation frame are sent together, at the place of the last
 */
function useSummedWheel(send: (wheel: Wheel) => void): (wheel: Wheel) => void {
  const waiting = useRef<{ sum: Wheel; frame: number } | null>(null);
  const latestSend = useRef(send);
  latestSend.current = send;
  useEffect(
    () => () => {
      if (waiting.current !== null) cancelAnimationFrame(waiting.current.frame);
      waiting.current = null;
    },
    [],
  );
  return useCallback((wheel) => {
    const before = waiting.current;
    if (before !== null) {
      const { deltaX, deltaY } = before.sum;
      before.sum = { ...wheel, deltaX: deltaX + wheel.deltaX, deltaY: deltaY + wheel.deltaY };
      return;
    }
    const frame = requestAnimationFrame(() => {
      const sum = waiting.current?.sum;
      waiting.current = null;
      if (sum !== undefined) latestSend.current(sum);
    });
    waiting.current = { sum: wheel, frame };
  }, []);
}
