/** Where lines of texts and controls end in the dense format. */

import { type DenseNode, type DenseText, isLabelledRole, isText } from "./denseTree.ts";

const WRAP_CHARS = 140;
const MAX_LINE_CHARS = 600;

/** One line in the making. */
export interface LineState {
  parts: string[];
  chars: number;
  hasControl: boolean;
  hasTextAfter: boolean;
}

/** One labelled control to a line, its label before and its help after it; long lines end where an element does. */
export function breaksBefore<S>(
  line: LineState,
  item: DenseText | DenseNode<S>,
  next: DenseText | DenseNode<S> | undefined,
): boolean {
  if (isText(item)) {
    const isLabel = next !== undefined && !isText(next) && isLabelledRole(next.node.role) && line.hasControl;
    return (
      isLabel || (line.hasTextAfter && item.startsElement) || (line.chars > WRAP_CHARS && item.startsElement)
    );
  }
  return (line.hasControl && isLabelledRole(item.node.role)) || line.chars > MAX_LINE_CHARS;
}
