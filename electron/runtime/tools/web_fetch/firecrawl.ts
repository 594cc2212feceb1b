/** Pages by way of Firecrawl's scrape service, for those that cannot be read directly. */

import { getIn } from "../../../../shared/policy/configRecord.ts";
import { trustedAddresses } from "../../../../shared/web/index.ts";
import type { GuardedFetch } from "../../net/guardedFetch.ts";
import { netProblem } from "../../net/netProblem.ts";
import { serviceUrl } from "../../net/serviceUrl.ts";
import type { FirecrawlSettings } from "./settings.ts";

export interface ScrapedPage {
  markdown: string;
  title: string | null;
  finalUrl: string;
  status: number;
  warning: string | null;
}

const maxBytes = 10_000_000;
const maxDetailChars = 500;

/**
 * @param url has passed the strict address rules: a refused address never leaves this computer, not even as text
 * @throws AppError when the service fails or says that the page did
 * @see Firecrawl API v2, POST /scrape
 */
export async function scrapeWithFirecrawl(input: {
  fetch: GuardedFetch;
  settings: FirecrawlSettings;
  key: string;
  url: string;
  signal: AbortSignal;
}): Promise<ScrapedPage> {
  const { settings, url } = input;
  const answer = await input.fetch({
    url: serviceUrl(settings.baseUrl, "/v2/scrape"),
    method: "POST",
    headers: { authorization: `Bearer ${input.key}`, "content-type": "application/json" },
    body: JSON.stringify({
      url,
      formats: ["markdown"],
      onlyMainContent: settings.onlyMainContent,
      timeout: settings.timeoutMs,
      maxAge: settings.maxAgeMs,
      proxy: "auto",
      storeInCache: true,
    }),
    timeoutMs: settings.timeoutMs,
    maxRedirects: 3,
    maxBytes,
    signal: input.signal,
    policy: trustedAddresses,
  });
  const body = parsed(answer.bytes.toString("utf8"));
  if (answer.status < 200 || answer.status >= 300 || getIn(body, "success") === false) {
    const said = textAt(body, "error") ?? "no reason given";
    throw netProblem("http_error", `Firecrawl failed (${answer.status}): ${said.slice(0, maxDetailChars)}`, {
      data: { status: answer.status },
    });
  }
  const markdown = textAt(body, "data", "markdown") ?? textAt(body, "data", "content");
  if (markdown === null) throw netProblem("bad_answer", "Firecrawl gave no text for the page.");
  const status = getIn(body, "data", "metadata", "statusCode");
  return {
    markdown,
    title: textAt(body, "data", "metadata", "title"),
    finalUrl: textAt(body, "data", "metadata", "sourceURL") ?? url,
    status: typeof status === "number" ? status : answer.status,
    warning: textAt(body, "warning") ?? textAt(body, "data", "warning"),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw netProblem("bad_answer", "Firecrawl gave an answer that is no JSON.", { cause });
  }
}

function textAt(value: unknown, ...path: string[]): string | null {
  const found = getIn(value, ...path);
  return typeof found === "string" && found.trim() !== "" ? found : null;
}
