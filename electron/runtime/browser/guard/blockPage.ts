/** The page that stands where a refused one would be. Pure. */

export interface BlockPage {
  html: string;
  headers: Record<string, string>;
}

/** Its document has no origin: cookies and storage of the refused host stay out of reach. */
export function blockPage(refusal: { kind: string; message: string }): BlockPage {
  const html = `<!doctype html><meta charset="utf-8"><title>Blocked by Sallyport</title><h1>Blocked by Sallyport</h1><p>${escapeHtml(refusal.message)}</p>\n`;
  return {
    html,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": "sandbox; default-src 'none'",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-sallyport-blocked": refusal.kind,
      connection: "close",
    },
  };
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
