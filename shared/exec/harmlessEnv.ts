/** Environment variables that only say how output looks: a call may set them on a covered command without a person. */

const names: ReadonlySet<string> = new Set(
  (
    "TERM COLORTERM NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLUMNS LINES TZ LANG LANGUAGE LC_ALL LC_CTYPE LC_COLLATE " +
    "LC_MESSAGES LC_MONETARY LC_NUMERIC LC_TIME LC_PAPER LC_NAME LC_ADDRESS LC_TELEPHONE LC_MEASUREMENT LC_IDENTIFICATION"
  ).split(" "),
);

/** A value that names no file: several of these are looked up in folders. Zones have one slash inside. */
const plainValue = /^[A-Za-z0-9_.,:;@+= -]{0,200}$/;
const zone = /^[A-Za-z_+-]+(?:\/[A-Za-z0-9_+-]+){1,2}$/;

/**
 * @returns the names that may change what runs, sorted: every name that is not known to be harmless, since no list of
 * the harmful ones can be complete
 */
export function doubtfulOverrides(overrides: Readonly<Record<string, string>>): string[] {
  return Object.entries(overrides)
    .filter(([name, value]) => {
      if (!names.has(name)) return true;
      return !(plainValue.test(value) || (name === "TZ" && zone.test(value)));
    })
    .map(([name]) => name)
    .sort();
}
