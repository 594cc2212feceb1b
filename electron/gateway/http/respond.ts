/** Small answers with the headers that every response carries. */

import type { ServerResponse } from "node:http";

/** Set on every response, whatever answers it. */
export function setBaseHeaders(response: ServerResponse): void {
  response.setHeader("X-Content-Type-Options", "nosniff");
  response.setHeader("Referrer-Policy", "no-referrer");
  response.setHeader("Permissions-Policy", "camera=(), microphone=(), geolocation=()");
  response.setHeader("Cross-Origin-Resource-Policy", "same-origin");
  response.setHeader("X-Frame-Options", "DENY");
  // Pages set a wider policy of their own; everything else may load nothing.
  response.setHeader("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
  response.setHeader("Cache-Control", "no-store");
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  send(response, status, "application/json; charset=utf-8", JSON.stringify(body));
}

export function sendText(response: ServerResponse, status: number, text: string): void {
  send(response, status, "text/plain; charset=utf-8", `${text}\n`);
}

/** A page with one sentence, for a person whose browser came without a session. */
export function sendNotice(
  response: ServerResponse,
  status: number,
  title: string,
  sentences: string[],
): void {
  const body = sentences.map((sentence) => `<p>${escapeHtml(sentence)}</p>`).join("");
  send(
    response,
    status,
    "text/html; charset=utf-8",
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escapeHtml(title)}</title><h1>${escapeHtml(title)}</h1>${body}</html>`,
  );
}

export function redirect(response: ServerResponse, location: string): void {
  response.statusCode = 303;
  response.setHeader("Location", location);
  response.end();
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.statusCode = status;
  response.setHeader("Content-Type", type);
  response.setHeader("Content-Length", Buffer.byteLength(body));
  // A refused upload must not keep the connection waiting for the rest of its body.
  if (status >= 400) response.setHeader("Connection", "close");
  response.end(body);
}

function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
