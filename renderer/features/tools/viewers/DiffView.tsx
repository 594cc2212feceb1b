/** A difference of files, line by line; what came and what went is told by sign and colour. */

import { useT } from "../../../i18n/index.ts";
import type { FileDiff } from "./resultShape.ts";

/** More would hold up the window; any tool may send a difference. */
const shownLines = 3000;
const shownFiles = 100;

export function DiffView({ files }: { files: readonly FileDiff[] }) {
  const t = useT("tools");
  return (
    <div className="diff-view">
      {files.slice(0, shownFiles).map((file, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the files of one result never move, and may have one name twice
        <FileDifference key={index} file={file} />
      ))}
      {files.length > shownFiles ? <p className="small">{t("diff.cut")}</p> : null}
    </div>
  );
}

function FileDifference({ file }: { file: FileDiff }) {
  const t = useT("tools");
  const lines = file.diff.split("\n");
  return (
    <figure className="tools-part">
      <figcaption className="row">
        <code className="ellipsis">{file.path === "" ? t("diff.unnamed") : file.path}</code>
        <span className="second nowrap">{t("diff.counts", countsOf(lines))}</span>
      </figcaption>
      <pre className="tools-text diff-lines">
        {lines.slice(0, shownLines).map((line, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines of a finished difference never move
          <span key={at} className={lineClass(line)}>
            {line === "" ? " " : line}
          </span>
        ))}
      </pre>
      {file.isCut || lines.length > shownLines ? <p className="small">{t("diff.cut")}</p> : null}
    </figure>
  );
}

function lineClass(line: string): string {
  if (line.startsWith("+")) return "diff-line diff-added";
  return line.startsWith("-") ? "diff-line diff-removed" : "diff-line";
}

function countsOf(lines: readonly string[]): { added: number; removed: number } {
  return {
    added: lines.filter((line) => line.startsWith("+")).length,
    removed: lines.filter((line) => line.startsWith("-")).length,
  };
}
