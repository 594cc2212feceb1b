/** A difference of files, line by line; what came and what went is told by sign and colour. */

import { useT } from "../../../i18n/index.ts";
import type { FileDiff } from "./resultShape.ts";

export function DiffView({ files }: { files: readonly FileDiff[] }) {
  const t = useT("tools");
  return (
    <div className="diff-view">
      {files.map((file, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the files of one result never move, and may have one name twice
        <figure key={index} className="tools-part">
          <figcaption className="row">
            <code className="ellipsis">{file.path === "" ? t("diff.unnamed") : file.path}</code>
            <span className="second nowrap">{t("diff.counts", countsOf(file.diff))}</span>
          </figcaption>
          <pre className="tools-text diff-lines">
            {file.diff.split("\n").map((line, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines of a finished difference never move
              <span key={at} className={lineClass(line)}>
                {line === "" ? " " : line}
              </span>
            ))}
          </pre>
          {file.isCut ? <p className="small">{t("diff.cut")}</p> : null}
        </figure>
      ))}
    </div>
  );
}

function lineClass(line: string): string {
  if (line.startsWith("+")) return "diff-line diff-added";
  return line.startsWith("-") ? "diff-line diff-removed" : "diff-line";
}

function countsOf(diff: string): { added: number; removed: number } {
  const lines = diff.split("\n");
  return {
    added: lines.filter((line) => line.startsWith("+")).length,
    removed: lines.filter((line) => line.startsWith("-")).length,
  };
}
