/** States are a shape and a word, and only then a colour: nothing is told by colour alone. */

import type { ReactNode } from "react";

export const verdictKinds = [
  "kept",
  "removed",
  "wouldRemove",
  "skipped",
  "failsOpen",
  "withoutEffect",
  "asks",
  "danger",
  "running",
  "done",
  "denied",
  "expired",
] as const;
export type VerdictKind = (typeof verdictKinds)[number];

export type Tone = "keep" | "stop" | "ask" | "run" | "none";

const tones: Record<VerdictKind, Tone> = {
  kept: "keep",
  removed: "stop",
  wouldRemove: "stop",
  skipped: "none",
  failsOpen: "ask",
  withoutEffect: "none",
  asks: "ask",
  danger: "stop",
  running: "run",
  done: "keep",
  denied: "stop",
  expired: "none",
};

/** @returns the tone that goes with a state, for text beside the shape */
export function toneOf(kind: VerdictKind): Tone {
  return tones[kind];
}

function drawing(kind: VerdictKind): ReactNode {
  switch (kind) {
    case "kept":
      return <circle cx="5" cy="5" r="3.2" fill="currentColor" />;
    case "removed":
      return <rect x="3.2" y="0.5" width="3.4" height="9" fill="currentColor" />;
    case "wouldRemove":
      return <rect x="3.2" y="0.9" width="3.4" height="8.2" fill="none" stroke="currentColor" />;
    case "skipped":
      return <path d="M0.5 5h2M4 5h2M7.5 5h2" stroke="currentColor" strokeWidth="1.2" fill="none" />;
    case "failsOpen":
      return (
        <path
          d="M3.5 1C1 3 1 7 3.5 9M6.5 1C9 3 9 7 6.5 9"
          stroke="currentColor"
          strokeWidth="1.5"
          fill="none"
        />
      );
    case "withoutEffect":
      return <path d="M5 1.5v7M1.5 5h7M2 8l6-6" stroke="currentColor" strokeWidth="1" fill="none" />;
    case "asks":
      return <path d="M5 0.3 9.7 5 5 9.7 0.3 5z" fill="currentColor" />;
    case "danger":
      return (
        <>
          <path d="M5 0.5 10 9.500H0z" fill="currentColor" />
          <path d="M5 3.8v2.600M5 7.500v1" stroke="var(--panel)" strokeWidth="1" />
        </>
      );
    case "running":
      return <path d="M2 0.8 9 5 2 9.200z" fill="currentColor" />;
    case "done":
      return <path d="M1 5.5 4 8.5 9 2" stroke="currentColor" strokeWidth="1.7" fill="none" />;
    case "denied":
      return <path d="M1.5 1.500l7 7M8.5 1.500l-7 7" stroke="currentColor" strokeWidth="1.7" fill="none" />;
    case "expired":
      return (
        <>
          <circle cx="5" cy="5" r="4.2" stroke="currentColor" strokeWidth="1" fill="none" />
          <path d="M5 2.500V5l1.8 1.2" stroke="currentColor" strokeWidth="1" fill="none" />
        </>
      );
  }
}

/** The bare shape, for places where the word stands beside it. */
export function VerdictShape({ kind, size = 10 }: { kind: VerdictKind; size?: number }) {
  return (
    <svg
      className={`shape tone-${tones[kind]}`}
      width={size}
      height={size}
      viewBox="0 0 10 10"
      aria-hidden="true"
    >
      {drawing(kind)}
    </svg>
  );
}

/** Shape and word. `filled` only where the state is the subject of the view. */
export function VerdictChip({
  kind,
  children,
  filled = false,
}: {
  kind: VerdictKind;
  children: ReactNode;
  filled?: boolean;
}) {
  return (
    <span className={`chip tone-${tones[kind]}${filled ? ` chip-filled bg-${tones[kind]}` : ""}`}>
      <VerdictShape kind={kind} />
      <span>{children}</span>
    </span>
  );
}
