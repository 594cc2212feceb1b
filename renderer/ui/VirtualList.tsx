/** A long list of which only the visible rows exist. */

import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useRef } from "react";

export interface VirtualListProps<T> {
  label: string;
  items: readonly T[];
  keyOf: (item: T) => string;
  /** Height of one row in px; rows measure themselves when they differ. */
  rowHeight: number;
  renderRow: (item: T, index: number) => ReactNode;
  role?: "list" | "listbox";
}

export function VirtualList<T>({
  label,
  items,
  keyOf,
  rowHeight,
  renderRow,
  role = "list",
}: VirtualListProps<T>) {
  const scrollRef = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: items.length,
    getScrollElement: () => scrollRef.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    getItemKey: (index) => {
      const item = items[index];
      return item === undefined ? index : keyOf(item);
    },
  });
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: the role is one of two that take a label
    <div ref={scrollRef} className="virtual-list" role={role} aria-label={label} tabIndex={0}>
      <div className="virtual-space" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map((row) => {
          const item = items[row.index];
          if (item === undefined) return null;
          return (
            <div
              key={row.key}
              ref={virtualizer.measureElement}
              data-index={row.index}
              className="virtual-row"
              style={{ transform: `translateY(${row.start}px)` }}
              role={role === "list" ? "listitem" : "presentation"}
            >
              {renderRow(item, row.index)}
            </div>
          );
        })}
      </div>
    </div>
  );
}
