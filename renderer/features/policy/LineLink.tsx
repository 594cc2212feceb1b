/** A line number of the config that opens the text there. */

import { createContext, useContext } from "react";
import { useT } from "../../i18n/index.ts";

export interface LinePlace {
  /** Name of the file that the lines belong to. */
  fileName: string;
  open: (line: number) => void;
}

export const LineContext = createContext<LinePlace | null>(null);

/** @param line counted from 1; null: it stands in no file, and nothing is shown */
export function LineLink({ line, showFile = false }: { line: number | null; showFile?: boolean }) {
  const t = useT("policy");
  const place = useContext(LineContext);
  if (line === null) return null;
  if (place === null) return <span className="policy-line-no">{`:${line}`}</span>;
  const label = t("line.open", { file: place.fileName, line });
  return (
    <button
      type="button"
      className="policy-line-no policy-line-link"
      title={label}
      aria-label={label}
      onClick={() => place.open(line)}
    >
      <span className={showFile ? "" : "sr-only"}>{place.fileName}</span>
      {`:${line}`}
    </button>
  );
}
