/** The checks that every request passes before anything else looks at it: Host, Origin, constant-time secrets. */

import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

const loopbackNames = ["127.0.0.1", "localhost", "[::1]"] as const;

/** @returns the origins under which our own panel may run on this port */
export function ownOrigins(port: number): string[] {
  return loopbackNames.map((name) => `http://${name}:${port}`);
}

export type GuardVerdict = { ok: true } | { ok: false; status: number; message: string };

/**
 * Refuses what a web page of another site could send. A page that rebinds its DNS name to 127.0.0.1 still sends that
 * name as Host; a page that posts across sites sends its own Origin. Programs outside a browser send no Origin.
 */
export function checkRequest(request: IncomingMessage, port: number): GuardVerdict {
  const host = request.headers.host?.toLowerCase() ?? "";
  if (!loopbackNames.some((name) => host === `${name}:${port}` || (port === 80 && host === name))) {
    return {
      ok: false,
      status: 403,
      message: `Sallyport answers only under 127.0.0.1:${port} or localhost:${port}, not under the name of this request.`,
    };
  }
  const { origin } = request.headers;
  if (origin !== undefined && !ownOrigins(port).includes(origin.toLowerCase())) {
    return { ok: false, status: 403, message: "Sallyport takes no requests from pages of other origins." };
  }
  // Fetch metadata catches what carries no Origin: images, scripts and frames of other sites.
  const site = request.headers["sec-fetch-site"];
  if (site === "cross-site" && request.headers["sec-fetch-mode"] !== "navigate") {
    return { ok: false, status: 403, message: "Sallyport takes no requests from pages of other sites." };
  }
  return { ok: true };
}

/** Whether the request names exactly our own origin; needed where a browser must prove itself. */
export function hasOwnOrigin(request: IncomingMessage, port: number): boolean {
  const { origin } = request.headers;
  return origin !== undefined && ownOrigins(port).includes(origin.toLowerCase());
}

/** @returns the URL of the request; null when its target is none, as with `//`: `new URL` throws for that */
export function targetOf(request: IncomingMessage): URL | null {
  const target = request.url ?? "/";
  return URL.canParse(target, "http://127.0.0.1") ? new URL(target, "http://127.0.0.1") : null;
}

/** @see targetOf */
export function pathOf(request: IncomingMessage): string | null {
  return targetOf(request)?.pathname ?? null;
}

/** Compares secrets without telling by time how much of a guess was right, whatever their lengths. */
export function equalSecrets(given: string, expected: string): boolean {
  if (expected === "") return false;
  return timingSafeEqual(digestOf(given), digestOf(expected));
}

/** SHA-256 of a secret: what is kept of it in memory. */
export function digestOf(secret: string): Buffer {
  return createHash("sha256").update(secret, "utf8").digest();
}

/** @returns the token of `Authorization: Bearer …`, or null */
export function bearerToken(request: IncomingMessage): string | null {
  const match = /^Bearer ([!-~]{1,512})$/i.exec(request.headers.authorization ?? "");
  return match?.[1] ?? null;
}
