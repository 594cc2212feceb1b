/** Pictures and documents that a call is about. The runtime sends pixels for a place in the call; no path leaves here. */

import { useEffect, useState } from "react";
import type { NamedMedia } from "../../../../shared/media/index.ts";
import { useT } from "../../../i18n/index.ts";
import { useQueryRpc } from "../../../rpc/hooks.ts";
import { Pager } from "./Pager.tsx";
import { PictureFrame } from "./PictureFrame.tsx";

/** The file may change; paging back and forth asks only once a minute. */
const staleTimeMs = 60_000;

/** @param media as `namedMedia` gives it, whole: the place in it is what the runtime is asked for */
export function MediaView({ toolCallId, media }: { toolCallId: string; media: readonly NamedMedia[] }) {
  const t = useT("tools");
  const [at, setAt] = useState(1);
  const item = media[at - 1];
  if (item === undefined) return null;
  const shown = <Item key={at} toolCallId={toolCallId} index={at - 1} item={item} />;
  if (media.length === 1) return <div className="tools-part">{shown}</div>;
  return (
    <Pager
      label={t(`media.all.${item.kind}`)}
      numberLabel={t(`media.number.${item.kind}`)}
      at={at}
      count={media.length}
      onGo={setAt}
    >
      {shown}
    </Pager>
  );
}

interface ItemProps {
  toolCallId: string;
  index: number;
  item: NamedMedia;
}

function Item(props: ItemProps) {
  const t = useT("tools");
  const { kind, reference, isFile } = props.item;
  return (
    <>
      <code className="ellipsis" title={reference}>
        {reference}
      </code>
      {isFile ? (
        kind === "picture" ? (
          <Picture {...props} />
        ) : (
          <Document {...props} />
        )
      ) : (
        <p className="second">{t("media.notKept")}</p>
      )}
    </>
  );
}

function Picture({ toolCallId, index, item }: ItemProps) {
  const t = useT("tools");
  const query = useQueryRpc("media.picture", { toolCallId, index }, { staleTimeMs });
  if (query.isError) return <Failed message={query.error.message} />;
  if (query.data === undefined) return <Loading />;
  const { data, mimeType, original, isChanged } = query.data;
  const facts = {
    width: original.width ?? "?",
    height: original.height ?? "?",
    size: Math.ceil(original.sizeBytes / 1000),
  };
  return (
    <>
      <PictureFrame data={data} mimeType={mimeType} label={t("media.pictureOf", { name: item.reference })}>
        {t("media.facts", facts)}
      </PictureFrame>
      {isChanged ? <Changed /> : null}
    </>
  );
}

function Document({ toolCallId, index, item }: ItemProps) {
  const t = useT("tools");
  const [page, setPage] = useState(1);
  const [pageCount, setPageCount] = useState<number | null>(null);
  const query = useQueryRpc(
    "media.pdfPage",
    { toolCallId, index, page },
    { staleTimeMs, keepPrevious: true },
  );
  const found = query.data?.pageCount ?? null;
  useEffect(() => {
    if (found !== null) setPageCount(found);
  }, [found]);
  return (
    <Pager
      label={t("media.pages", { name: item.reference })}
      numberLabel={t("media.pageNumber")}
      at={page}
      count={pageCount}
      onGo={setPage}
    >
      <p className="sr-only" role="status">
        {query.data === undefined || query.isPlaceholderData
          ? ""
          : t("media.pageOf", { page: query.data.page, count: query.data.pageCount })}
      </p>
      {query.isError ? <Failed message={query.error.message} /> : null}
      {query.data === undefined ? (
        query.isError ? null : (
          <Loading />
        )
      ) : (
        <>
          <PictureFrame
            data={query.data.data}
            mimeType={query.data.mimeType}
            isBusy={query.isPlaceholderData}
            label={t("media.pagePicture", { page: query.data.page, name: item.reference })}
          >
            {query.data.title ?? t("media.noTitle")}
          </PictureFrame>
          {query.data.isChanged ? <Changed /> : null}
        </>
      )}
    </Pager>
  );
}

function Loading() {
  const t = useT("tools");
  return (
    <p className="second" role="status">
      {t("media.loading")}
    </p>
  );
}

function Failed({ message }: { message: string }) {
  const t = useT("tools");
  return (
    <p className="field-error" role="alert">
      {t("media.failed", { message })}
    </p>
  );
}

function Changed() {
  const t = useT("tools");
  return <p className="second">{t("media.changed")}</p>;
}
