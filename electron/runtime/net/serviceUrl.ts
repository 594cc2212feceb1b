/** Addresses of services that the operator configured. */

import { AppError } from "../../../shared/errors/index.ts";

/**
 * @param base as configured; its own path is used as it is
 * @param defaultPath taken when the base has no path
 * @throws AppError UNAVAILABLE when the base is no http address
 */
export function serviceUrl(base: string, defaultPath: string): string {
  const url = baseUrl(base);
  if (url.pathname === "/" || url.pathname === "") url.pathname = defaultPath;
  return url.href;
}

/** @returns base and path joined by exactly one slash */
export function joinUrl(base: string, path: string): string {
  const url = baseUrl(base);
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/${path.replace(/^\/+/, "")}`;
  return url.href;
}

function baseUrl(base: string): URL {
  const url = URL.canParse(base) ? new URL(base) : null;
  if (url !== null && (url.protocol === "https:" || url.protocol === "http:")) return url;
  throw new AppError("UNAVAILABLE", "A baseUrl in the config is no http or https address. Correct it.");
}
