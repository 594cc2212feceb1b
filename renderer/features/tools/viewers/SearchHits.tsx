/** Hits of a web search. Addresses are text to copy: nothing here opens a page. */

import { useT } from "../../../i18n/index.ts";
import { Button } from "../../../ui/index.ts";
import type { SearchHit } from "./resultShape.ts";

export function SearchHits({ hits }: { hits: readonly SearchHit[] }) {
  const t = useT("tools");
  return (
    <ol className="search-hits">
      {hits.map((hit, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: hits of one search never move, and may be there twice
        <li key={at}>
          <strong>{hit.title}</strong>
          <div className="row">
            <code className="ellipsis second" title={hit.url}>
              {hit.url}
            </code>
            <Button
              look="plain"
              icon="copy"
              aria-label={t("hits.copy", { url: hit.url })}
              onClick={() => void navigator.clipboard.writeText(hit.url)}
            >
              {t("copy")}
            </Button>
          </div>
          {hit.lines.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines of one hit never move
            <p key={index}>{line}</p>
          ))}
        </li>
      ))}
    </ol>
  );
}
