/** Electron's safeStorage as the vault for stored keys, when the system has a real keyring behind it. */

import { safeStorage } from "electron";
import type { SecretVault } from "../runtime/secrets/index.ts";

/**
 * @returns null without a keyring: `basic_text` encrypts with a password that every program knows, so claiming to have
 *   sealed anything with it would be a lie
 */
export function systemVault(): SecretVault | null {
  if (!safeStorage.isEncryptionAvailable()) return null;
  const backend =
    process.platform === "linux"
      ? safeStorage.getSelectedStorageBackend()
      : process.platform === "darwin"
        ? "keychain"
        : "dpapi";
  if (backend === "basic_text" || backend === "unknown") return null;
  return {
    backend,
    seal: (value) => safeStorage.encryptString(value).toString("base64"),
    open: (sealed) => safeStorage.decryptString(Buffer.from(sealed, "base64")),
  };
}
