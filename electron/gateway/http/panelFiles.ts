/** Serves the built panel from one folder, and nothing outside it. */

import { createReadStream } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import { ownOrigins } from "./guard.ts";
import { sendText } from "./respond.ts";

const contentTypes = new Map([
  [".html", "text/html; charset=utf-8"],
  [".js", "text/javascript; charset=utf-8"],
  [".mjs", "text/javascript; charset=utf-8"],
  [".css", "text/css; charset=utf-8"],
  [".json", "application/json; charset=utf-8"],
  [".svg", "image/svg+xml"],
  [".png", "image/png"],
  [".ico", "image/x-icon"],
  [".webp", "image/webp"],
  [".woff", "font/woff"],
  [".woff2", "font/woff2"],
  [".ttf", "font/ttf"],
  [".wasm", "application/wasm"],
  [".txt", "text/plain; charset=utf-8"],
]);

/**
 * Content security policy of the panel over HTTP. `style-src 'unsafe-inline'` is the one relaxation: the terminal and
 * the editor write style attributes at run time. Scripts never run inline.
 */
export function panelContentSecurityPolicy(port: number): string {
  // A content policy cannot name an IPv6 address; there 'self' has to do.
  const sockets = ownOrigins(port)
    .filter((origin) => !origin.includes("["))
    .map((origin) => origin.replace("http:", "ws:"));
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    `connect-src 'self' ${sockets.join(" ")}`,
    "img-src 'self' data:",
    // Recordings are bytes that the panel holds itself.
    "media-src blob:",
    "font-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/**
 * Answers a GET or HEAD for a file of the panel. A path without a file and without an extension is a view of the
 * panel: it gets the page.
 * @param urlPath percent-encoded, relative to the panel's folder, without a leading slash
 */
export async function servePanelFile(
  panelDir: string,
  urlPath: string,
  request: IncomingMessage,
  response: ServerResponse,
  port: number,
): Promise<void> {
  const file = await locate(panelDir, urlPath);
  if (file === null) return sendText(response, 404, "There is no such file in the panel.");
  const extension = path.extname(file.path).toLowerCase();
  response.statusCode = 200;
  response.setHeader("Content-Type", contentTypes.get(extension) ?? "application/octet-stream");
  response.setHeader("Content-Length", file.sizeBytes);
  response.setHeader("Content-Security-Policy", panelContentSecurityPolicy(port));
  response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
  if (request.method === "HEAD") {
    response.end();
    return;
  }
  const stream = createReadStream(file.path);
  // The head is out already: cutting the connection is the only way left to say that the body is incomplete.
  stream.on("error", () => response.destroy());
  response.on("close", () => stream.destroy());
  stream.pipe(response);
}

async function locate(
  panelDir: string,
  urlPath: string,
): Promise<{ path: string; sizeBytes: number } | null> {
  let relative: string;
  try {
    relative = decodeURIComponent(urlPath);
  } catch {
    // Malformed percent signs name no file.
    return null;
  }
  if (relative.includes("\0") || relative.includes("\\")) return null;
  const root = await realpath(panelDir).catch(() => null);
  if (root === null) return null;
  const wanted = relative === "" || path.extname(relative) === "" ? "index.html" : relative;
  // The real path is compared, so that neither `..` nor a symlink leads out.
  const real = await realpath(path.join(root, wanted)).catch(() => null);
  if (real === null || !real.startsWith(root + path.sep)) return null;
  const about = await stat(real);
  return about.isFile() ? { path: real, sizeBytes: about.size } : null;
}
