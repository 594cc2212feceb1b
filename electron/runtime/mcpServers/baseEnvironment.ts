/** The environment of a server: what any program needs, and what its entry gives it. Keys of the desk stay here. */

const handedOn: ReadonlySet<string> = new Set([
  "HOME",
  "LOGNAME",
  "PATH",
  "SHELL",
  "TERM",
  "USER",
  "LANG",
  "LANGUAGE",
  "TZ",
  "TMPDIR",
  // Windows
  "APPDATA",
  "HOMEDRIVE",
  "HOMEPATH",
  "LOCALAPPDATA",
  "PATHEXT",
  "PROCESSOR_ARCHITECTURE",
  "PROGRAMFILES",
  "SYSTEMDRIVE",
  "SYSTEMROOT",
  "TEMP",
  "TMP",
  "USERNAME",
  "USERPROFILE",
]);

/**
 * @param host environment that exec would start from
 * @param own what the entry sets; it counts
 */
export function baseEnvironment(
  host: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const handed = Object.entries(host).filter(([name, value]) => {
    const upper = name.toUpperCase();
    // A value that begins like a function of a shell is one.
    return (handedOn.has(upper) || upper.startsWith("LC_")) && !value.startsWith("()");
  });
  return { ...Object.fromEntries(handed), ...own };
}
