/** Search inside a terminal: Enter goes on, Shift Enter back, Esc ends it. */

import { type RefObject, useEffect, useRef, useState } from "react";
import { useT } from "../../i18n/index.ts";
import { Button, Icon } from "../../ui/index.ts";
import { terminalTheme } from "./terminalTheme.ts";
import type { TerminalHandle } from "./useProcessTerminal.ts";

export function TileSearch(props: { handle: RefObject<TerminalHandle | null>; onClose: () => void }) {
  const t = useT("processes");
  const [term, setTerm] = useState("");
  const [result, setResult] = useState({ index: -1, count: 0 });
  const field = useRef<HTMLInputElement>(null);
  const { handle, onClose } = props;
  useEffect(() => {
    field.current?.focus();
    const terminal = handle.current?.terminal;
    const search = handle.current?.search;
    // The match in hand is a selection, so the selection wears the colour of a hit while the search is open.
    if (terminal !== undefined) terminal.options.theme = searchTheme();
    const listening = search?.onDidChangeResults(({ resultIndex, resultCount }) =>
      setResult({ index: resultIndex, count: resultCount }),
    );
    return () => {
      listening?.dispose();
      search?.clearDecorations();
      if (terminal !== undefined) terminal.options.theme = terminalTheme();
    };
  }, [handle]);
  const find = (text: string, backwards = false, incremental = false) => {
    const search = handle.current?.search;
    if (search === undefined) return;
    if (text === "") {
      search.clearDecorations();
      setResult({ index: -1, count: 0 });
      return;
    }
    const options = { decorations: decorations(), incremental };
    if (backwards) search.findPrevious(text, options);
    else search.findNext(text, options);
  };
  return (
    <search className="proc-search">
      <Icon name="search" size={12} />
      <input
        ref={field}
        className="proc-search-field"
        value={term}
        aria-label={t("search")}
        placeholder={t("search")}
        onChange={(event) => {
          setTerm(event.target.value);
          find(event.target.value, false, true);
        }}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === "Enter") find(term, event.shiftKey);
          else if (event.key === "Escape") onClose();
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <span className="proc-search-count" aria-live="polite">
        {term === ""
          ? null
          : result.count === 0
            ? t("noHit")
            : t("hits", { index: result.index + 1, total: result.count })}
      </span>
      <Button look="plain" aria-label={t("closeSearch")} onClick={onClose}>
        <Icon name="cross" size={10} />
      </Button>
    </search>
  );
}

function searchTheme() {
  const style = getComputedStyle(document.documentElement);
  return {
    ...terminalTheme(),
    selectionBackground: style.getPropertyValue("--lit").trim(),
    selectionInactiveBackground: style.getPropertyValue("--lit").trim(),
    selectionForeground: style.getPropertyValue("--lit-ink").trim(),
  };
}

function decorations() {
  const style = getComputedStyle(document.documentElement);
  const lit = style.getPropertyValue("--lit").trim();
  const ask = style.getPropertyValue("--ask-bg").trim();
  return {
    matchBackground: ask,
    matchOverviewRuler: lit,
    activeMatchBackground: lit,
    activeMatchColorOverviewRuler: lit,
  };
}
