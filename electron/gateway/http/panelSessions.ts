/** How a browser gets into the panel: a one-time token in a URL becomes a session cookie below one unguessable path. */

import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Clock } from "../../runtime/clock.ts";
import { digestOf, equalSecrets } from "./guard.ts";

const oneTimeLifeMs = 10 * 60_000;
const sessionLifeMs = 7 * 24 * 60 * 60_000;
const maxOneTimeTokens = 64;
const maxSessions = 64;

export interface PanelSession {
  /** Part of the path `/panel/<id>/` under which this browser sees the panel. */
  id: string;
  /** Value of the `Set-Cookie` header. */
  setCookie: string;
}

export interface PanelSessions {
  /** @returns a token that opens one session within ten minutes */
  issueOneTimeToken(): string;
  /** @returns null when the token is unknown, used or too old */
  exchange(token: string): PanelSession | null;
  /** Whether the request carries the cookie of the session of this path. */
  isAuthentic(id: string, request: IncomingMessage): boolean;
}

/** Sessions live in memory: they end with the process. A restart within it hands them on. */
export function createPanelSessions(options: { port: number; clock: Clock }): PanelSessions {
  const { clock } = options;
  const cookieName = `sallyport_${options.port}`;
  /** Digest in hex to expiry: a copy of the memory gives no usable token. */
  const oneTime = new Map<string, number>();
  const sessions = new Map<string, { cookieDigest: string; expiresAtMs: number }>();

  const dropExpired = () => {
    const nowMs = clock.nowMs();
    for (const [key, expiresAtMs] of oneTime) if (expiresAtMs <= nowMs) oneTime.delete(key);
    for (const [id, session] of sessions) if (session.expiresAtMs <= nowMs) sessions.delete(id);
  };

  return {
    issueOneTimeToken() {
      dropExpired();
      dropOldest(oneTime, maxOneTimeTokens);
      const token = randomBytes(32).toString("base64url");
      oneTime.set(digestOf(token).toString("hex"), clock.nowMs() + oneTimeLifeMs);
      return token;
    },
    exchange(token) {
      dropExpired();
      // Looked up by digest: the time of a lookup says nothing about the token.
      if (!oneTime.delete(digestOf(token).toString("hex"))) return null;
      dropOldest(sessions, maxSessions);
      const id = randomBytes(16).toString("base64url");
      const secret = randomBytes(32).toString("base64url");
      sessions.set(id, {
        cookieDigest: digestOf(secret).toString("hex"),
        expiresAtMs: clock.nowMs() + sessionLifeMs,
      });
      // Cookies do not know ports: with Path=/ a page that an agent serves on another port of 127.0.0.1 would be
      // sent this cookie. It cannot know the path, so the browser never sends it there.
      return {
        id,
        setCookie: `${cookieName}=${secret}; Path=/panel/${id}/; HttpOnly; SameSite=Strict; Max-Age=${sessionLifeMs / 1000}`,
      };
    },
    isAuthentic(id, request) {
      dropExpired();
      const session = sessions.get(id);
      if (session === undefined) return false;
      return readCookies(request, cookieName).some((secret) =>
        equalSecrets(digestOf(secret).toString("hex"), session.cookieDigest),
      );
    },
  };
}

function dropOldest(map: Map<string, unknown>, max: number): void {
  for (const key of map.keys()) {
    if (map.size < max) return;
    map.delete(key);
  }
}

/** Every value of that name: a page on another port may have planted a second cookie beside ours. */
function readCookies(request: IncomingMessage, name: string): string[] {
  return (request.headers.cookie ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}
