/** References to secrets in the config. */

export { createOperatorToken, type OperatorToken } from "./operatorToken.ts";
export { resolveSecrets } from "./resolveSecrets.ts";
export { readSecretInput, refText, type SecretInput, type SecretRef } from "./secretRef.ts";
