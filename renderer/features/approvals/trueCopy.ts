/** Copies the true text behind a selection, whatever boxes stand for its odd characters. */

import type { ClipboardEvent } from "react";

/** For `onCopy` on an element whose CommandText children carry offsets. */
export function copyTrueText(event: ClipboardEvent<HTMLElement>, text: string): void {
  const selection = window.getSelection();
  if (selection === null || selection.rangeCount === 0 || selection.isCollapsed) return;
  const range = selection.getRangeAt(0);
  if (!event.currentTarget.contains(range.commonAncestorContainer)) return;
  const tokens = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-start]")].filter((element) =>
    range.intersectsNode(element),
  );
  const first = tokens[0];
  const last = tokens.at(-1);
  if (first === undefined || last === undefined) return;
  const start = offsetIn(first, range.startContainer, range.startOffset, "start");
  const end = offsetIn(last, range.endContainer, range.endOffset, "end");
  event.clipboardData.setData("text/plain", text.slice(start, end));
  event.preventDefault();
}

function offsetIn(token: HTMLElement, container: Node, offset: number, edge: "start" | "end"): number {
  const from = Number(token.dataset.start);
  const to = Number(token.dataset.end);
  const isInside = container.nodeType === Node.TEXT_NODE && token.contains(container);
  if (!isInside || token.dataset.whole !== undefined) return edge === "start" ? from : to;
  return Math.min(to, from + offset);
}
