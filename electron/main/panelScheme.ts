/** The custom scheme that serves the panel: only files of the built renderer, with a strict content policy. */

import { readFile } from "node:fs/promises";
import { extname, join, normalize, sep } from "node:path";
import { protocol as appProtocol, type Protocol } from "electron";

export const panelScheme = "sallyport";
export const panelOrigin = `${panelScheme}://panel`;

/**
 * Scripts only from our own files. Styles may be inline, because the terminal and the editor write theirs at run time;
 * a style cannot run code here, and nothing it could load is allowed. Sound comes from bytes that the panel holds itself.
 */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "media-src blob:",
  "font-src 'self'",
  "worker-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

const contentTypes = new Map([
  [".html", "text/html; charset=utf-8"],
  [".js", "text/javascript; charset=utf-8"],
  [".css", "text/css; charset=utf-8"],
  [".json", "application/json; charset=utf-8"],
  [".svg", "image/svg+xml"],
  [".png", "image/png"],
  [".woff2", "font/woff2"],
  [".woff", "font/woff"],
  [".ttf", "font/ttf"],
]);

/** Must run before the app is ready. */
export function registerPanelScheme(): void {
  appProtocol.registerSchemesAsPrivileged([
    {
      scheme: panelScheme,
      privileges: { standard: true, secure: true, supportFetchAPI: true, corsEnabled: false },
    },
  ]);
}

/** @param rootDir folder of the built panel; nothing outside of it is ever read */
export function servePanel(protocol: Protocol, rootDir: string): void {
  protocol.handle(panelScheme, async (request) => {
    const url = new URL(request.url);
    if (request.method !== "GET" || url.host !== "panel") return new Response("Not found", { status: 404 });
    const relative = normalize(decodeURIComponent(url.pathname === "/" ? "/index.html" : url.pathname));
    const path = join(rootDir, relative);
    const type = contentTypes.get(extname(path));
    if (!path.startsWith(rootDir + sep) || type === undefined)
      return new Response("Not found", { status: 404 });
    try {
      return new Response(new Uint8Array(await readFile(path)), {
        headers: {
          "Content-Type": type,
          "Content-Security-Policy": contentSecurityPolicy,
          "X-Content-Type-Options": "nosniff",
          "Referrer-Policy": "no-referrer",
        },
      });
    } catch {
      // A file that is not there and one that cannot be read are the same to the page.
      return new Response("Not found", { status: 404 });
    }
  });
}
