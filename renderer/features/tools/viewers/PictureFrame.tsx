/** One picture with its caption, fitted to the window or in its own size. Pixels only: the source is a data: address. */

import { type ReactNode, useState } from "react";
import { useT } from "../../../i18n/index.ts";
import { Button } from "../../../ui/index.ts";

/** Only pictures that a browser draws without running anything. */
const imageTypes = new Set(["image/png", "image/jpeg", "image/webp", "image/gif"]);

/** @param data base64 */
export function PictureFrame(props: {
  data: string;
  mimeType: string;
  label: string;
  isBusy?: boolean;
  children?: ReactNode;
}) {
  const t = useT("tools");
  const [isWhole, setIsWhole] = useState(true);
  const { data, mimeType, label, isBusy = false } = props;
  const isShown = imageTypes.has(mimeType);
  return (
    <figure className="tools-part" aria-busy={isBusy}>
      <div className="row">
        <figcaption className="second grow">{props.children ?? label}</figcaption>
        {isShown ? (
          <Button look="plain" aria-pressed={!isWhole} onClick={() => setIsWhole(!isWhole)}>
            {t("media.ownSize")}
          </Button>
        ) : null}
      </div>
      {isShown ? (
        // A frame that scrolls must be reachable without a mouse.
        <div
          className={isWhole ? "media-frame" : "media-frame is-own-size"}
          {...(isWhole ? {} : { tabIndex: 0 })}
        >
          <img className="tools-image" src={`data:${mimeType};base64,${data}`} alt={label} />
        </div>
      ) : null}
    </figure>
  );
}
