/** Doors of this folder: references to secrets in the config, keys that are stored here, and where each key stands. */

export { keyServices } from "./keyServices.ts";
export { createOperatorToken, type OperatorToken } from "./operatorToken.ts";
export { resolveSecrets } from "./resolveSecrets.ts";
export { readSecretInput, refText, type SecretInput, type SecretRef } from "./secretRef.ts";
export { createSecretStore, type SecretStore, type SecretVault, withStoredSecrets } from "./secretStore.ts";
