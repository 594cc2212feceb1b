/** What a tool answered, in the shape that reads best: differences, hits, Markdown, JSON, images. All of it is untrusted. */

import { lazy, Suspense, useMemo, useState } from "react";
import { namedMedia } from "../../../shared/media/index.ts";
import { useT } from "../../i18n/index.ts";
import type { PanelOutput } from "../../rpc/connection.ts";
import { Button, Segmented } from "../../ui/index.ts";
import { SpeechPlayer } from "../speech/SpeechPlayer.tsx";
import { JsonTree } from "./JsonTree.tsx";
import { DiffView } from "./viewers/DiffView.tsx";
import { MediaView } from "./viewers/MediaView.tsx";
import { PictureFrame } from "./viewers/PictureFrame.tsx";
import { type ResultShape, resultShape } from "./viewers/resultShape.ts";
import { SearchHits } from "./viewers/SearchHits.tsx";

/** Brings a Markdown parser along, so it is loaded when it is looked at. */
const MarkdownView = lazy(() => import("./viewers/MarkdownView.tsx"));

type Result = NonNullable<PanelOutput<"calls.wait">["result"]>;

const shownChars = 20_000;
/** More would hold up the window; the text below has the rest. */
const shownMarkdownChars = 100_000;

/** @param toolCallId absent: the call is not kept, and files that it names are not shown */
export function ResultView(props: { tool: string; toolCallId?: string; result: Result }) {
  const t = useT("tools");
  const { tool, toolCallId, result } = props;
  const shape = useMemo(() => resultShape(tool, result.details), [tool, result]);
  const media = useMemo(() => {
    const named = result.isError ? [] : namedMedia(tool, result.details);
    // The result itself carries the picture, as the model got it: that is the one to look at.
    const hasOwn = result.content.some((part) => part.type === "image");
    return hasOwn && named.every(({ kind }) => kind === "picture") ? [] : named;
  }, [tool, result]);
  return (
    <section className="tools-result" aria-label={t("result")}>
      {shape.kind === "plain" ? null : <Shaped shape={shape} />}
      {toolCallId === undefined || media.length === 0 ? null : (
        <MediaView key={toolCallId} toolCallId={toolCallId} media={media} />
      )}
      {result.content.map((part, index) =>
        part.type === "text" ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one result never move
          <TextPart key={index} text={part.text} />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one result never move
          <ImagePart key={index} data={part.data} mimeType={part.mimeType} />
        ),
      )}
      {result.details === undefined || result.details === null ? null : (
        <details className="tools-details">
          <summary>{t("details")}</summary>
          <JsonTree value={result.details} />
        </details>
      )}
    </section>
  );
}

/** The readable form; what the model got word for word stays below it. */
function Shaped({ shape }: { shape: Exclude<ResultShape, { kind: "plain" }> }) {
  const t = useT("tools");
  switch (shape.kind) {
    case "diff":
      return <DiffView files={shape.files} />;
    case "speech":
      return <SpeechPlayer audio={shape.audio} />;
    case "hits":
      return <SearchHits hits={shape.hits} />;
    case "markdown":
      return (
        <div className="tools-part">
          <p className="small ellipsis">{t("markdown.from", { url: shape.source })}</p>
          <Suspense fallback={<pre className="tools-text">{shape.text.slice(0, shownChars)}</pre>}>
            <MarkdownView text={shape.text.slice(0, shownMarkdownChars)} />
          </Suspense>
        </div>
      );
  }
}

function TextPart({ text }: { text: string }) {
  const t = useT("tools");
  const [isWhole, setIsWhole] = useState(false);
  const json = useMemo(() => readJson(text), [text]);
  const [shape, setShape] = useState<"text" | "tree">("text");
  const isCut = text.length > shownChars && !isWhole;
  return (
    <div className="tools-part">
      <div className="row">
        <span className="second">
          {t("textSize", { chars: text.length, lines: text === "" ? 0 : text.split("\n").length })}
        </span>
        <span className="grow" />
        {json === undefined ? null : (
          <Segmented
            role="radio"
            label={t("shape.label")}
            value={shape}
            options={(["text", "tree"] as const).map((value) => ({ value, label: t(`shape.${value}`) }))}
            onChange={setShape}
          />
        )}
        <Button look="plain" icon="copy" onClick={() => void navigator.clipboard.writeText(text)}>
          {t("copy")}
        </Button>
      </div>
      {shape === "tree" && json !== undefined ? (
        <JsonTree value={json} />
      ) : (
        <pre className="tools-text">{isCut ? text.slice(0, shownChars) : text}</pre>
      )}
      {isCut ? (
        <Button onClick={() => setIsWhole(true)}>{t("showAll", { chars: text.length })}</Button>
      ) : null}
    </div>
  );
}

function ImagePart({ data, mimeType }: { data: string; mimeType: string }) {
  const t = useT("tools");
  const label = t("image", { type: mimeType, size: Math.round((data.length * 3) / 4 / 1_000) });
  return <PictureFrame data={data} mimeType={mimeType} label={label} />;
}

function readJson(text: string): unknown {
  if (!/^\s*[[{]/u.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // Plain text that starts like JSON: it is shown as text.
    return undefined;
  }
}
