/** A still skeleton that appears only when loading takes longer than a blink. */

import { useEffect, useState } from "react";
import { useT } from "../i18n/index.ts";

const delayMs = 150;

export function Skeleton({ rows = 4 }: { rows?: number }) {
  const t = useT("common");
  const [isShown, setIsShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsShown(true), delayMs);
    return () => clearTimeout(timer);
  }, []);
  if (!isShown) return null;
  return (
    <div className="skeleton" role="status" aria-label={t("loading")}>
      {Array.from({ length: rows }, (_, index) => index).map((index) => (
        <div key={index} className="skeleton-row" />
      ))}
    </div>
  );
}
