/** Takes secrets out of texts of pages that are kept: what was typed as one, and what an address calls by such a name. */

import { isSecretName } from "../../calls/shownArgs.ts";

export const mask = "••••";

/** Short words that mean a secret as the name of a field, but stand inside other words by chance. */
const shortNames = /(?:^|[^a-z])(?:pass|pwd|pin|otp|passphrase|passcode|sid|sig|signature)(?:$|[^a-z])/i;
/** The name in a pair of a query, of a fragment or of a form that was sent, which begins with one. */
const pairName = /(?:^|[?&#;])([^=&#;?\s"'<>]{1,200})=/g;
/** A semicolon parts pairs on some servers and belongs to the value on others: a secret is hidden to the end of both. */
const secretValue = /[^&#\s"'<>]+/y;

/**
 * Typed secrets as they were typed and as they stand in JSON and in addresses, and the values of pairs in addresses whose
 * name says that they are secret. What a page made of a secret otherwise is not recognised.
 */
export function hideSecretsIn(text: string, secrets: Iterable<string>): string {
  let shown = text;
  for (const form of formsOf(secrets)) shown = shown.replaceAll(form, mask);
  if (!shown.includes("=")) return shown;
  let hidden = "";
  let keptTo = 0;
  for (const found of shown.matchAll(pairName)) {
    const valueAt = found.index + found[0].length;
    if (valueAt <= keptTo || !isSecretField(found[1] ?? "")) continue;
    secretValue.lastIndex = valueAt;
    if (!secretValue.test(shown)) continue;
    hidden += shown.slice(keptTo, valueAt) + mask;
    keptTo = secretValue.lastIndex;
  }
  return hidden + shown.slice(keptTo);
}

function isSecretField(name: string): boolean {
  const plain = decoded(name);
  return isSecretName(plain) || shortNames.test(plain);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // No valid encoding: then the name is what stands there.
    return text;
  }
}

/** Longest first: of a secret that begins with another one, the rest would stay. */
function formsOf(secrets: Iterable<string>): string[] {
  const forms = [...secrets].flatMap((secret) => {
    const inQuery = new URLSearchParams([["", secret]]).toString().slice(1);
    return [secret, JSON.stringify(secret).slice(1, -1), inQuery, uriForm(secret)];
  });
  return [...new Set(forms)].sort((a, b) => b.length - a.length);
}

function uriForm(secret: string): string {
  try {
    return encodeURIComponent(secret);
  } catch {
    // Half of a surrogate pair has no such form.
    return secret;
  }
}
