/** One process as a tile: name, command, terminal, search, keys, and what it costs. */

import "@xterm/xterm/css/xterm.css";
import { type KeyboardEvent, useCallback, useEffect, useRef, useState } from "react";
import type { ProcessInfo } from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import { useRpc } from "../../rpc/hooks.ts";
import { Button, Icon, useToast, VerdictShape } from "../../ui/index.ts";
import { countText, sizeText } from "./format.ts";
import { sendableKeys } from "./keys.ts";
import { stateShape } from "./processWords.ts";
import { TileSearch } from "./TileSearch.tsx";
import { useProcessTerminal } from "./useProcessTerminal.ts";

export interface TerminalTileProps {
  info: ProcessInfo;
  isFocused: boolean;
  onFocus: () => void;
  onEnd: () => void;
}

export function TerminalTile({ info, isFocused, onFocus, onEnd }: TerminalTileProps) {
  const t = useT("processes");
  const rpc = useRpc();
  const toast = useToast();
  const host = useRef<HTMLDivElement>(null);
  const [refused, setRefused] = useState<string | null>(null);
  const [isSearching, setIsSearching] = useState(false);
  const send = useCallback(
    (data: string) => {
      rpc.call("processes.write", { id: info.id, data }).then(
        ({ accepted, reason }) => setRefused(accepted ? null : (reason ?? t("inputRefused"))),
        (error: unknown) => setRefused(error instanceof Error ? error.message : String(error)),
      );
    },
    [rpc, info.id, t],
  );
  const skippedLine = useCallback((chars: number) => t("skippedLine", { size: sizeText(chars) }), [t]);
  const { handle, state, jumpToEnd } = useProcessTerminal(host, info, skippedLine, send);
  const isLive = info.state.kind === "running" || info.state.kind === "lingering";
  useEffect(() => {
    // Mirroring every line for screen readers costs; the terminal in use is the one that is read.
    if (handle.current !== null) handle.current.terminal.options.screenReaderMode = isFocused;
  }, [handle, isFocused]);

  const copy = () => {
    const terminal = handle.current?.terminal;
    if (terminal === undefined) return;
    const text = terminal.hasSelection() ? terminal.getSelection() : bufferText(terminal);
    void navigator.clipboard
      .writeText(text)
      .then(() => toast({ text: t("copiedSize", { size: sizeText(text.length) }) }));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!event.ctrlKey || !event.shiftKey) return;
    if (event.key === "F" || event.key === "f") setIsSearching(true);
    else if (event.key === "K" || event.key === "k") onEnd();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const fit = () => {
    const size = handle.current?.fit.proposeDimensions();
    if (size === undefined) return;
    rpc
      .call("processes.resize", { id: info.id, cols: Math.max(2, size.cols), rows: Math.max(1, size.rows) })
      .catch((error: unknown) => setRefused(error instanceof Error ? error.message : String(error)));
  };
  return (
    <section
      className={isFocused ? "proc-tile is-focused" : "proc-tile"}
      aria-label={t("tile", { name: info.id, command: info.command })}
      data-region
      tabIndex={-1}
      onFocus={onFocus}
      onKeyDownCapture={onKeyDown}
    >
      <header className="proc-tile-head">
        <VerdictShape kind={stateShape(info.state)} />
        <code className="proc-name">{info.id}</code>
        <code className="proc-command ellipsis" title={info.command}>
          {info.command}
        </code>
        <Button look="plain" aria-label={t("copy")} title={t("copy")} onClick={copy}>
          <Icon name="copy" />
        </Button>
        <Button
          look="plain"
          aria-label={t("search")}
          title={t("search")}
          aria-pressed={isSearching}
          onClick={() => setIsSearching(!isSearching)}
        >
          <Icon name="search" />
        </Button>
        {info.treeSize > 0 ? <Button onClick={onEnd}>{t("endTree", { count: info.treeSize })}</Button> : null}
      </header>
      <div className="proc-screen">
        <div ref={host} className={info.io === "pty" ? "proc-xterm is-pty" : "proc-xterm"} />
        {isSearching ? <TileSearch handle={handle} onClose={() => setIsSearching(false)} /> : null}
      </div>
      {refused === null && state.readError === null ? null : (
        <p className="proc-refused" role="alert">
          <VerdictShape kind="denied" />
          <span className="grow">{refused ?? state.readError?.message}</span>
          <Button look="plain" aria-label={t("dismiss")} onClick={() => setRefused(null)}>
            <Icon name="cross" size={10} />
          </Button>
        </p>
      )}
      <footer className="proc-tile-foot">
        {isLive && info.canWrite ? (
          <span className="proc-keys">
            {sendableKeys.map(([name, data]) => (
              <button key={name} type="button" className="proc-key" onClick={() => send(data)}>
                {name}
              </button>
            ))}
          </span>
        ) : (
          <span className="proc-foot-io">
            {info.pid === null ? null : `${t("pid", { pid: info.pid })} · `}
            {info.io === "pty" ? t("pty") : info.canWrite ? t("pipe") : t("pipeNoInput")}
          </span>
        )}
        <span className="grow" />
        {state.isPaused ? (
          <>
            <span className="tone-ask">
              <VerdictShape kind="asks" /> {t("paused")}
            </span>
            <span>{t("newLines", { count: state.newLines, lines: countText(state.newLines) })}</span>
            <button type="button" className="proc-jump" onClick={jumpToEnd}>
              {t("jumpToEnd")}
            </button>
          </>
        ) : (
          <FootFacts info={info} />
        )}
        {info.io === "pty" && isLive ? (
          <button type="button" className="proc-jump" title={t("fit")} onClick={fit}>
            {`${info.cols}×${info.rows}`}
          </button>
        ) : null}
      </footer>
    </section>
  );
}

function FootFacts({ info }: { info: ProcessInfo }) {
  const t = useT("processes");
  switch (info.state.kind) {
    case "running":
      return (
        <>
          <span>{t("live")}</span>
          {info.bytesPerSecond > 0 ? <span>{`${sizeText(info.bytesPerSecond)}/s`}</span> : null}
          <span>
            {info.bytesTotal > info.bytesKept
              ? t("totalKept", { total: sizeText(info.bytesTotal), kept: sizeText(info.bytesKept) })
              : t("lines", { count: info.linesTotal, lines: countText(info.linesTotal) })}
          </span>
        </>
      );
    case "lingering":
      return <span className="tone-ask">{t("lingering")}</span>;
    case "ending":
      return <span className="tone-ask">{t("ending")}</span>;
    case "exited":
      return (
        <span>
          {info.state.signal === null
            ? t("exited", { code: info.state.exitCode ?? "?" })
            : t("exitedSignal", { signal: info.state.signal })}
        </span>
      );
  }
}

/** The whole buffer as text, lines that were wrapped joined again. */
function bufferText(terminal: import("@xterm/xterm").Terminal): string {
  const { active } = terminal.buffer;
  const lines: string[] = [];
  for (let index = 0; index < active.length; index += 1) {
    const line = active.getLine(index);
    if (line === undefined) continue;
    const text = line.translateToString(!active.getLine(index + 1)?.isWrapped);
    if (line.isWrapped && lines.length > 0) lines[lines.length - 1] += text;
    else lines.push(text);
  }
  return lines.join("\n").trimEnd();
}
