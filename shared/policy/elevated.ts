/** Who may run commands outside the sandbox (policy §16): `tools.elevated` of config and agent. */

import { asRecord, getIn, getList, getRecord } from "./configRecord.ts";
import { normalizeAgentId, normalizeKey } from "./names.ts";
import { agentScopes } from "./scopes.ts";

/** What is known about the sender, with the field names of the message context. */
export interface ElevatedSender {
  SenderId?: string;
  From?: string;
  SenderE164?: string;
  SenderName?: string;
  SenderUsername?: string;
  SenderTag?: string;
}

export interface ElevatedRequest {
  agentId?: string;
  /** The message provider; unknown means nobody is allowed. */
  channel?: string;
  sender: ElevatedSender;
  /** The channel's own list, used where config has none for it. */
  channelFallback?: readonly (string | number)[];
}

export interface ElevatedFailure {
  gate: "enabled" | "provider" | "allowFrom";
  key: string;
}

export interface ElevatedDecision {
  enabled: boolean;
  allowed: boolean;
  /** In the order of the checks; the first that fails ends them. */
  failures: ElevatedFailure[];
}

/** Decides about elevated runs. Never overrides tool policy: it says only where an allowed exec may run. */
export function resolveElevated(config: unknown, request: ElevatedRequest): ElevatedDecision {
  const shared = getRecord(config, "tools", "elevated");
  const own = getRecord(
    agentScopes(config).get(normalizeAgentId(request.agentId))?.entry,
    "tools",
    "elevated",
  );
  const disabled: ElevatedFailure[] = [];
  if (shared?.enabled === false) disabled.push({ gate: "enabled", key: "tools.elevated.enabled" });
  if (own?.enabled === false) disabled.push({ gate: "enabled", key: "agents.list[].tools.elevated.enabled" });
  if (disabled.length > 0) return { enabled: false, allowed: false, failures: disabled };

  const refuse = (failure: ElevatedFailure): ElevatedDecision => ({
    enabled: true,
    allowed: false,
    failures: [failure],
  });
  const channel = normalizeKey(request.channel);
  if (channel === undefined) return refuse({ gate: "provider", key: "ctx.Provider" });
  const isListed = (allowFrom: unknown) => {
    const list = getList(allowFrom, channel) ?? request.channelFallback ?? [];
    return isOnList(list, request.sender);
  };
  if (!isListed(shared?.allowFrom))
    return refuse({ gate: "allowFrom", key: `tools.elevated.allowFrom.${channel}` });
  const ownAllowFrom = asRecord(getIn(own, "allowFrom"));
  if (ownAllowFrom !== undefined && !isListed(ownAllowFrom)) {
    return refuse({ gate: "allowFrom", key: `agents.list[].tools.elevated.allowFrom.${channel}` });
  }
  return { enabled: true, allowed: true, failures: [] };
}

const senderPrefix =
  /^(?:telegram|whatsapp|discord|irc|googlechat|slack|signal|imessage|line|webchat|user|group|channel):/i;

/** The comparable forms of an address: as it stands and without a channel prefix. */
function addressForms(value: string | undefined): string[] {
  const text = (value ?? "").trim().toLowerCase();
  return [text, text.replace(senderPrefix, "").trim()].filter((form) => form !== "");
}

/** Names compare in any case and as slugs. */
function nameForms(value: string | undefined): string[] {
  const text = (value ?? "").trim().toLowerCase();
  const plain = text.replace(/^[@#]/, "");
  const slug = plain.replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "");
  return [text, plain, slug].filter((form) => form !== "");
}

function isOnList(list: readonly unknown[], sender: ElevatedSender): boolean {
  const ids = addressForms(sender.SenderId);
  const froms = addressForms(sender.From);
  const numbers = addressForms(sender.SenderE164);
  const fields = new Map<string, { forms: readonly string[]; read: (value: string) => string[] }>([
    ["id", { forms: ids, read: addressForms }],
    ["from", { forms: froms, read: addressForms }],
    ["e164", { forms: numbers, read: addressForms }],
    ["name", { forms: nameForms(sender.SenderName), read: nameForms }],
    ["username", { forms: nameForms(sender.SenderUsername), read: nameForms }],
    ["tag", { forms: nameForms(sender.SenderTag), read: nameForms }],
  ]);
  const addresses = [...ids, ...froms, ...numbers];
  return list.some((raw) => {
    if (typeof raw !== "string" && typeof raw !== "number") return false;
    const entry = String(raw).trim();
    if (entry === "*") return true;
    const [, prefix, value] = /^([a-z0-9]+):(.*)$/is.exec(entry) ?? [];
    const field = prefix === undefined ? undefined : fields.get(prefix.toLowerCase());
    // A plain entry is an address; display names need their prefix, because anybody can choose one.
    if (field === undefined) return addressForms(entry).some((form) => addresses.includes(form));
    return field.read(value ?? "").some((form) => field.forms.includes(form));
  });
}
