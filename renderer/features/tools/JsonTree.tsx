/** A value as a tree that opens level by level; long lists and texts are cut until asked for. */

import { useState } from "react";
import { useT } from "../../i18n/index.ts";

const firstCount = 100;
const shownText = 500;

export function JsonTree({ value }: { value: unknown }) {
  return (
    <ul className="tools-tree">
      <Branch name={null} value={value} depth={0} />
    </ul>
  );
}

function Branch({ name, value, depth }: { name: string | null; value: unknown; depth: number }) {
  const t = useT("tools");
  const [isOpen, setIsOpen] = useState(depth < 2);
  const [count, setCount] = useState(firstCount);
  const label = name === null ? null : <span className="tools-tree-key">{`${name}: `}</span>;
  if (typeof value !== "object" || value === null) {
    return (
      <li>
        {label}
        <Leaf value={value} />
      </li>
    );
  }
  const entries: [string, unknown][] = Array.isArray(value)
    ? value.map((item, index) => [String(index), item])
    : Object.entries(value);
  const summary = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`;
  return (
    <li>
      <button
        type="button"
        className="tools-tree-toggle"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        <span aria-hidden="true">{isOpen ? "▾ " : "▸ "}</span>
        {label}
        <span className="dim">{summary}</span>
      </button>
      {isOpen ? (
        <ul>
          {entries.slice(0, count).map(([key, item]) => (
            <Branch key={key} name={key} value={item} depth={depth + 1} />
          ))}
          {entries.length > count ? (
            <li>
              <button type="button" className="tools-tree-toggle" onClick={() => setCount(count + 500)}>
                {t("more", { count: entries.length - count })}
              </button>
            </li>
          ) : null}
        </ul>
      ) : null}
    </li>
  );
}

function Leaf({ value }: { value: unknown }) {
  const [isWhole, setIsWhole] = useState(false);
  const t = useT("tools");
  const text = value === undefined ? "undefined" : JSON.stringify(value);
  if (text.length <= shownText || isWhole) return <span className="tools-tree-value">{text}</span>;
  return (
    <>
      <span className="tools-tree-value">{text.slice(0, shownText)}</span>{" "}
      <button type="button" className="tools-tree-toggle" onClick={() => setIsWhole(true)}>
        {t("showAll", { chars: text.length })}
      </button>
    </>
  );
}
