/** The acts on a page, newest on top; an open one shows the page before and after. */

import { useState } from "react";
import type { BrowserFilmEntry } from "../../../shared/contract/index.ts";
import { useLanguage, useT } from "../../i18n/index.ts";
import { useQueryRpc } from "../../rpc/hooks.ts";
import { VerdictShape } from "../../ui/index.ts";
import { durationText } from "../tools/callWords.ts";
import { filmShape, filmText } from "./browserWords.ts";

export function FilmList({ entries }: { entries: readonly BrowserFilmEntry[] }) {
  const t = useT("browser");
  const language = useLanguage();
  const [open, setOpen] = useState<string | null>(null);
  const time = new Intl.DateTimeFormat(language, { timeStyle: "medium", hour12: false });
  if (entries.length === 0) return <p className="second browser-none">{t("film.none")}</p>;
  return (
    <ol className="browser-rows">
      {entries.toReversed().map((entry) => (
        <li key={entry.id}>
          <button
            type="button"
            className="browser-row browser-act-row"
            aria-expanded={open === entry.id}
            onClick={() => setOpen(open === entry.id ? null : entry.id)}
          >
            <code className="second nowrap">{time.format(entry.atMs)}</code>
            <VerdictShape kind={filmShape(entry)} />
            <code className="browser-row-text">
              {filmText(entry)}
              {entry.result.kind === "failed" ? ` · ${entry.result.message}` : ""}
            </code>
            <span className="second nowrap">
              {entry.who.kind === "person" ? t("film.person") : entry.who.label}
              {entry.durationMs === null ? "" : ` · ${durationText(entry.durationMs)}`}
            </span>
          </button>
          {open === entry.id ? <Frames entry={entry} /> : null}
        </li>
      ))}
    </ol>
  );
}

function Frames({ entry }: { entry: BrowserFilmEntry }) {
  const t = useT("browser");
  const hasPictures = entry.hasBefore || entry.hasAfter;
  const query = useQueryRpc(
    "browser.filmPictures",
    { ids: [entry.id] },
    // The picture after an act is developed behind it, when the one before may be on screen already.
    { enabled: hasPictures, keepPrevious: true, version: `${entry.hasBefore} ${entry.hasAfter}` },
  );
  const picture = query.data?.pictures[0];
  return (
    <div className="film-frames">
      {(["before", "after"] as const).map((side) => {
        const base64 = side === "before" ? picture?.beforeBase64 : picture?.afterBase64;
        const url = side === "before" ? entry.urlBefore : entry.urlAfter;
        return (
          <figure key={side}>
            {hasPictures && query.isPending ? null : query.isError ? (
              <p className="film-missing tone-stop">{query.error.message}</p>
            ) : base64 === undefined || base64 === null ? (
              <p className="film-missing second">{t("film.noPicture")}</p>
            ) : (
              <img src={`data:image/jpeg;base64,${base64}`} alt={t(`film.${side}Alt`)} />
            )}
            <figcaption className="small">
              {t(`film.${side}`)} <code>{url}</code>
            </figcaption>
          </figure>
        );
      })}
    </div>
  );
}
