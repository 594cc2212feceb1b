/** The few texts outside the panel: tray and notification. English and Simplified Chinese from catalogues. */

import en from "./main.en.json" with { type: "json" };
import zhCN from "./main.zh-CN.json" with { type: "json" };

export interface MainText {
  trayNothing: string;
  trayPending(count: number): string;
  trayBroad: string;
  trayOpen: string;
  trayQuit: string;
  notifyTitle(agent: string): string;
  notifyDeny: string;
  notifyReview: string;
}

/** @param locale BCP 47; every Chinese locale gets Simplified Chinese, everything else English */
export function mainTextFor(locale: string): MainText {
  const words = locale.toLowerCase().startsWith("zh") ? zhCN : en;
  const fill = (template: string, name: string, value: string | number) =>
    template.replace(`{{${name}}}`, String(value));
  return {
    ...words,
    trayPending: (count) => fill(words.trayPending, "count", count),
    notifyTitle: (agent) => fill(words.notifyTitle, "agent", agent),
  };
}
