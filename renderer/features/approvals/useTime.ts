/** Points in time as lists show them: day and minute, in the person's language; the year where it is another one. */

import { useLanguage } from "../../i18n/index.ts";

export function useTime(): (atMs: number) => string {
  const language = useLanguage();
  const day = { month: "short", day: "numeric" } as const;
  const thisYear = new Intl.DateTimeFormat(language, {
    ...day,
    hour: "2-digit",
    minute: "2-digit",
    hour12: false,
  });
  const earlier = new Intl.DateTimeFormat(language, { ...day, year: "numeric" });
  const year = new Date().getFullYear();
  return (atMs) => (new Date(atMs).getFullYear() === year ? thisYear : earlier).format(atMs);
}
