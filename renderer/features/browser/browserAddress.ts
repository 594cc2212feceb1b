/** Addresses of the browser view: `/browser`, `/browser/<profile>`, `/browser/<profile>/<targetId>`. */

export interface BrowserPlace {
  /** null: the default profile. */
  profile: string | null;
  /** null: the tab used last. */
  targetId: string | null;
}

export function placeOf(path: string): BrowserPlace {
  const [, , profile, targetId] = path.split("/");
  return { profile: decoded(profile), targetId: decoded(targetId) };
}

export function addressOf({ profile, targetId }: BrowserPlace): string {
  const parts = [profile, targetId].filter((part) => part !== null).map(encodeURIComponent);
  return ["/browser", ...parts].join("/");
}

function decoded(part: string | undefined): string | null {
  if (part === undefined || part === "") return null;
  try {
    return decodeURIComponent(part);
  } catch {
    // An address that somebody typed wrongly names nothing.
    return null;
  }
}
