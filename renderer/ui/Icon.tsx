/** Line icons of 16 px; always beside a word or on a labelled control, therefore hidden from screen readers. */

const paths = {
  approvals: "M4 3v10M4 8h8M12 3v10M4 5.5h3",
  processes: "M2.5 3.5h11v9h-11zM5 6.5 7 8l-2 1.5M8 10h3",
  browser: "M2.5 3.5h11v9h-11zM2.5 6h11M4.5 4.8h.01M6 4.8h.01",
  policy: "M2.5 4.5h11M2.5 8h7M2.5 11.5h11M12 6v4",
  tools: "M3 3h4v4H3zM9 3h4v4H9zM3 9h4v4H3zM9 9h4v4H9z",
  clients: "M8 3a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5M3 13.5c.5-2.5 2.5-4 5-4s4.5 1.5 5 4",
  settings:
    "M3 5h6M12 5h1M3 11h1M7 11h6M9 3.5v3M4 9.5v3M11 5a1 1 0 1 1-2 0 1 1 0 0 1 2 0M6.5 11a1 1 0 1 1-2 0 1 1 0 0 1 2 0",
  search: "M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9M10.5 10.5 14 14",
  copy: "M6 6h7v7H6zM10 6V3H3v7h3",
  lock: "M4 7.5h8v6H4zM5.5 7.5V5.5a2.5 2.5 0 0 1 5 0v2",
  edit: "M3 13l.5-2.8L10.3 3.4l2.3 2.3-6.800 6.800zM8.800 4.900l2.300 2.300",
  note: "M3 3.5h10v7H8l-2.5 2.5v-2.5H3z",
  check: "M3 8.5 6.5 12 13 4.5",
  cross: "M4 4l8 8M12 4l-8 8",
  clock: "M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11M8 5v3.5l2 1.5",
  down: "M4 6l4 4 4-4",
  right: "M6 4l4 4-4 4",
  plus: "M8 3v10M3 8h10",
  arrowDown: "M8 3v10M4.5 9.5 8 13l3.5-3.5",
  key: "M10.5 3a2.5 2.5 0 1 1-2 4L3 12.5V14h2v-1.5h1.5V11L9 8",
  play: "M5 3l7 5-7 5z",
  pause: "M5 3v10M11 3v10",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name, size = 14 }: { name: IconName; size?: number }) {
  return (
    <svg
      className="icon"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.3"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  );
}

/** The mark of the product: two lines that meet at a gate. */
export function Logo() {
  return (
    <svg className="icon" width="16" height="16" viewBox="0 0 16 16" fill="none" aria-hidden="true">
      <path d="M3 2.5v11M13 2.5v11M3 5h4.5v6H13" stroke="currentColor" strokeWidth="2" />
    </svg>
  );
}
