/** Life of one terminal tile: an xterm fed from a snapshot and then from events, bounded, silent, themed. */

import { FitAddon } from "@xterm/addon-fit";
import { SearchAddon } from "@xterm/addon-search";
import { Unicode11Addon } from "@xterm/addon-unicode11";
import { type IDisposable, Terminal } from "@xterm/xterm";
import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import type { ProcessInfo } from "../../../shared/contract/index.ts";
import type { PanelRpc } from "../../rpc/connection.ts";
import { useRpc } from "../../rpc/hooks.ts";
import { createOutputFeed, type OutputFeed } from "./outputFeed.ts";
import { silenceReplies } from "./quietReplies.ts";
import { onThemeChange, terminalTheme } from "./terminalTheme.ts";

const scrollbackLines = 10_000;

export interface TerminalHandle {
  terminal: Terminal;
  search: SearchAddon;
  fit: FitAddon;
}

export interface TerminalState {
  isPaused: boolean;
  newLines: number;
  readError: Error | null;
}

export interface ProcessTerminal {
  handle: RefObject<TerminalHandle | null>;
  state: TerminalState;
  jumpToEnd: () => void;
}

/**
 * @param host the element to draw in
 * @param skippedLine text of the line that stands for output that was left out
 * @param onInput what a person typed; never an answer of the terminal itself
 */
export function useProcessTerminal(
  host: RefObject<HTMLDivElement | null>,
  info: Pick<ProcessInfo, "id" | "io" | "cols" | "rows">,
  skippedLine: (chars: number) => string,
  onInput: (data: string) => void,
): ProcessTerminal {
  const rpc = useRpc();
  const handle = useRef<TerminalHandle | null>(null);
  const feed = useRef<OutputFeed | null>(null);
  const [state, setState] = useState<TerminalState>({ isPaused: false, newLines: 0, readError: null });
  const callbacks = useRef({ skippedLine, onInput });
  callbacks.current = { skippedLine, onInput };
  const { id, io, cols, rows } = info;
  const size = useRef({ cols, rows });
  size.current = { cols, rows };

  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const owned: (IDisposable | (() => void))[] = [];
    const terminal = createTerminal(io === "pty" ? size.current : null);
    const fit = new FitAddon();
    const search = new SearchAddon({ highlightLimit: 500 });
    terminal.loadAddon(fit);
    terminal.loadAddon(search);
    terminal.loadAddon(new Unicode11Addon());
    terminal.unicode.activeVersion = "11";
    terminal.open(element);
    handle.current = { terminal, search, fit };
    owned.push(
      ...silenceReplies(terminal),
      terminal.onData((data) => callbacks.current.onInput(data)),
    );
    owned.push(onThemeChange(() => (terminal.options.theme = terminalTheme())));

    let frame = 0;
    const report = () => {
      if (frame !== 0) return;
      frame = requestAnimationFrame(() => {
        frame = 0;
        const newLines = feed.current?.pendingLines() ?? 0;
        setState((old) => (old.newLines === newLines ? old : { ...old, newLines }));
      });
    };
    owned.push(() => cancelAnimationFrame(frame));
    const output = createOutputFeed({
      write: (text, done) => terminal.write(text, done),
      skippedLine: (chars) => callbacks.current.skippedLine(chars),
      onGap: () => reader.again(),
      onChange: report,
    });
    feed.current = output;
    const reader = createReader(rpc, id, output, (readError) => setState((old) => ({ ...old, readError })));
    owned.push(() => reader.stop());
    owned.push(
      rpc.on("processes.output", (event) => {
        if (event.id !== id) return;
        reader.saw(event.chunks.at(-1)?.seq ?? 0);
        output.push(event.chunks);
      }),
      rpc.onResync(() => reader.again()),
    );
    reader.again();

    // The wheel, keys and the scrollbar all move the view; where it stands afterwards decides.
    const checkPause = () =>
      requestAnimationFrame(() => {
        const { viewportY, baseY, type } = terminal.buffer.active;
        const isPaused = type === "normal" && viewportY < baseY;
        output.setPaused(isPaused);
        setState((old) => (old.isPaused === isPaused ? old : { ...old, isPaused }));
      });
    for (const event of ["wheel", "keyup", "pointerup"] as const) {
      element.addEventListener(event, checkPause, { passive: true });
      owned.push(() => element.removeEventListener(event, checkPause));
    }
    // A search jumps to its match; a line that arrives may have pushed the view.
    owned.push(search.onDidChangeResults(checkPause), terminal.onScroll(checkPause));
    if (io === "pipe") {
      const refit = () => {
        if (element.clientWidth > 0 && element.clientHeight > 0) fit.fit();
      };
      const observer = new ResizeObserver(refit);
      observer.observe(element);
      owned.push(() => observer.disconnect());
      refit();
    }
    return () => {
      output.dispose();
      for (const item of owned) typeof item === "function" ? item() : item.dispose();
      terminal.dispose();
      handle.current = null;
      feed.current = null;
    };
  }, [host, rpc, id, io]);

  useEffect(() => {
    if (io === "pty") handle.current?.terminal.resize(cols, rows);
  }, [io, cols, rows]);

  const jumpToEnd = useCallback(() => {
    feed.current?.setPaused(false);
    handle.current?.terminal.scrollToBottom();
    setState((old) => ({ ...old, isPaused: false, newLines: 0 }));
  }, []);
  return { handle, state, jumpToEnd };
}

function createTerminal(size: { cols: number; rows: number } | null): Terminal {
  return new Terminal({
    ...(size === null ? {} : size),
    allowProposedApi: true,
    convertEol: size === null,
    scrollback: scrollbackLines,
    fontFamily: "Iosevka, ui-monospace, 'Noto Sans Mono CJK SC', monospace",
    fontSize: 12.5,
    lineHeight: 1.05,
    theme: terminalTheme(),
    cursorBlink: false,
    disableStdin: size === null,
    // A link in output is text: what it shows and where it leads may differ.
    linkHandler: { activate: () => undefined },
    minimumContrastRatio: 4.5,
  });
}

/** Reads what is kept, in pages, one read at a time; asked again while it reads, it goes on until it is level. */
function createReader(
  rpc: PanelRpc,
  id: string,
  output: OutputFeed,
  onError: (error: Error | null) => void,
): { again: () => void; saw: (seq: number) => void; stop: () => void } {
  const abort = new AbortController();
  let isReading = false;
  let highestSeen = 0;
  const read = async () => {
    isReading = true;
    try {
      for (;;) {
        const afterSeq = output.lastSeq();
        const page = await rpc.call("processes.read", { id, afterSeq }, { signal: abort.signal });
        const first = page.chunks[0]?.seq ?? page.lastSeq + 1;
        if (first > afterSeq + 1) output.skipTo(first - 1, page.droppedBytes);
        output.push(page.chunks);
        onError(null);
        const isLevel = output.lastSeq() >= Math.max(page.lastSeq, highestSeen);
        if (isLevel || output.lastSeq() === afterSeq) return;
      }
    } catch (error) {
      if (!abort.signal.aborted) onError(error instanceof Error ? error : new Error(String(error)));
    } finally {
      isReading = false;
    }
  };
  return {
    again: () => {
      if (!isReading && !abort.signal.aborted) void read();
    },
    saw: (seq) => {
      highestSeen = Math.max(highestSeen, seq);
    },
    stop: () => abort.abort(),
  };
}
