/** Which security, ask, fallback and host count for one exec call, and from where each comes (spec/exec.md 2, 3, 5.1). */
import type { Hardening } from "../hardening/rules.ts";
import {
  type ApprovalsFile,
  type ApprovalsState,
  collectAllowlist,
  emptyApprovals,
} from "./approvalsFile.ts";
import type {
  AllowlistRule,
  EffectiveExecPolicy,
  ElevatedLevel,
  ExecAsk,
  ExecHost,
  ExecHostSetting,
  ExecSecurity,
  SafeBinProfile,
  SafeBinSettings,
  ValueSource,
} from "./types.ts";

/** `tools.exec`, the part that decides. Values come from a validated config. */
export interface ToolsExecConfig {
  host?: ExecHostSetting | undefined;
  security?: ExecSecurity | undefined;
  ask?: ExecAsk | undefined;
  node?: string | undefined;
  safeBins?: readonly string[] | undefined;
  safeBinTrustedDirs?: readonly string[] | undefined;
  safeBinProfiles?: Readonly<Record<string, SafeBinProfile>> | undefined;
  strictInlineEval?: boolean | undefined;
}

/** Free strings of a call or a chat directive: trimmed and lower-cased here, unknown words ignored. */
export interface ExecOverrides {
  host?: string | undefined;
  security?: string | undefined;
  ask?: string | undefined;
  node?: string | undefined;
}

export interface ElevatedInput {
  /** The call's `elevated` parameter. */
  requested?: boolean | undefined;
  sessionLevel: ElevatedLevel;
  /** Whether enabled and allowFrom admit this sender. */
  isPermitted: boolean;
  /** Which gate failed, for the error. */
  failingGate?: "enabled" | "allowFrom" | undefined;
}

export interface ResolvePolicyInput {
  globalExec?: ToolsExecConfig | undefined;
  agentExec?: ToolsExecConfig | undefined;
  /** For example `agents.list[0].tools.exec`. */
  agentConfigPath?: string | undefined;
  approvals: ApprovalsState;
  /** A second file that another program still uses: may only tighten. */
  otherApprovals?: ApprovalsState | undefined;
  agentId: string;
  call?: ExecOverrides | undefined;
  session?: ExecOverrides | undefined;
  elevated?: ElevatedInput | undefined;
  isSandboxed: boolean;
  /** The sandbox of this session reaches the loopback interface of this machine. */
  isSandboxNetworkShared?: boolean | undefined;
  /** The config was readable at start and broke since: exec always asks (architecture 11). */
  isConfigBroken?: boolean | undefined;
  /** Confirmed by a person and not yet ended (A18). */
  confirmed: { full: boolean; askOff: boolean };
  hardening: Hardening;
}

export type ResolvedExecPolicy =
  | { ok: true; policy: EffectiveExecPolicy; allowlist: readonly AllowlistRule[]; safeBins: SafeBinSettings }
  | { ok: false; code: "hostNotAllowed" | "noSandbox" | "elevatedNotPermitted"; message: string };

interface Sourced<T> {
  value: T;
  source: ValueSource;
}

const securityOrder: readonly ExecSecurity[] = ["deny", "allowlist", "full"];
const askOrder: readonly ExecAsk[] = ["off", "on-miss", "always"];
const hostSettings: readonly ExecHostSetting[] = ["auto", "sandbox", "gateway", "node"];
const builtin: ValueSource = { kind: "builtin", path: "" };

function word<T extends string>(value: string | undefined, allowed: readonly T[]): T | undefined {
  const folded = value?.trim().toLowerCase();
  return allowed.find((one) => one === folded);
}

export function stricterSecurity<T extends Sourced<ExecSecurity>>(a: T, b: T): T {
  return securityOrder.indexOf(b.value) < securityOrder.indexOf(a.value) ? b : a;
}

/** As `stricterSecurity`; of two denies the written one is named, because the built-in one of sandboxes is not enforced. */
function tightenSecurity(a: Sourced<ExecSecurity>, b: Sourced<ExecSecurity>): Sourced<ExecSecurity> {
  const isWrittenDeny = b.value === "deny" && a.value === "deny" && a.source.kind === "builtin";
  return isWrittenDeny ? b : stricterSecurity(a, b);
}

export function stricterAsk<T extends Sourced<ExecAsk>>(a: T, b: T): T {
  return askOrder.indexOf(b.value) > askOrder.indexOf(a.value) ? b : a;
}

type LevelKey = "security" | "ask" | "askFallback";

/**
 * agent → `*` → defaults. An unknown word at the chosen level falls to the defaults level,
 * or with `exec.invalidWords` counts as the strictest word.
 */
function fromFile<T extends string>(
  file: ApprovalsFile,
  agentId: string,
  key: LevelKey,
  allowed: readonly T[],
  strictest: T,
  hardening: Hardening,
): Sourced<T> | undefined {
  const agent = file.agents.get(agentId)?.[key];
  const wildcard = file.agents.get("*")?.[key];
  const defaults = file.defaults[key];
  const places = [
    { value: agent, source: { kind: "approvalsAgent" as const, path: `agents.${agentId}.${key}` } },
    { value: wildcard, source: { kind: "approvalsWildcard" as const, path: `agents.*.${key}` } },
    { value: defaults, source: { kind: "approvalsDefaults" as const, path: `defaults.${key}` } },
  ];
  const chosen = places.find((place) => place.value !== undefined);
  if (chosen === undefined) return undefined;
  const exact = allowed.find((one) => one === chosen.value);
  if (exact !== undefined) return { value: exact, source: chosen.source };
  if (hardening.has("exec.invalidWords")) return { value: strictest, source: chosen.source };
  const fallback = allowed.find((one) => one === defaults);
  return fallback === undefined
    ? undefined
    : { value: fallback, source: { kind: "approvalsDefaults", path: `defaults.${key}` } };
}

/** The agent's value beats the global one. */
function configured<T>(
  input: ResolvePolicyInput,
  key: keyof ToolsExecConfig,
  read: (config: ToolsExecConfig) => T | undefined,
): Sourced<T> | undefined {
  const agentValue = input.agentExec === undefined ? undefined : read(input.agentExec);
  if (agentValue !== undefined) {
    const path = `${input.agentConfigPath ?? "agents.list[].tools.exec"}.${key}`;
    return { value: agentValue, source: { kind: "agentConfig", path } };
  }
  const globalValue = input.globalExec === undefined ? undefined : read(input.globalExec);
  if (globalValue === undefined) return undefined;
  return { value: globalValue, source: { kind: "globalConfig", path: `tools.exec.${key}` } };
}

function resolveHost(
  input: ResolvePolicyInput,
):
  | { ok: true; host: Sourced<ExecHost>; isAsked: boolean }
  | { ok: false; code: "hostNotAllowed" | "noSandbox"; message: string } {
  const session = word(input.session?.host, hostSettings);
  const setting: Sourced<ExecHostSetting> =
    session !== undefined
      ? { value: session, source: { kind: "session", path: "/exec host" } }
      : (configured(input, "host", (one) => one.host) ?? { value: "auto", source: builtin });
  const requested = word(input.call?.host, hostSettings);
  if (
    requested !== undefined &&
    requested !== "auto" &&
    setting.value !== "auto" &&
    requested !== setting.value
  ) {
    const message = `exec host not allowed (requested ${requested}; configure tools.exec.host=${requested} to allow)`;
    return { ok: false, code: "hostNotAllowed", message };
  }
  const isAsked = requested !== undefined && requested !== "auto";
  const wanted = isAsked ? requested : setting.value;
  const value: ExecHost = wanted === "auto" ? (input.isSandboxed ? "sandbox" : "gateway") : wanted;
  if (value === "sandbox" && !input.isSandboxed) {
    const message =
      "exec host=sandbox is configured or requested, but this session has no sandbox. Turn the sandbox on for this agent, or choose host=gateway.";
    return { ok: false, code: "noSandbox", message };
  }
  const boundNode = input.session?.node ?? input.agentExec?.node ?? input.globalExec?.node;
  if (
    value === "node" &&
    boundNode !== undefined &&
    input.call?.node !== undefined &&
    input.call.node !== boundNode
  ) {
    const message = `exec node not allowed (requested ${input.call.node}; tools.exec.node binds exec to ${boundNode})`;
    return { ok: false, code: "hostNotAllowed", message };
  }
  return {
    ok: true,
    host: { value, source: isAsked ? { kind: "call", path: "host" } : setting.source },
    isAsked,
  };
}

function resolveElevated(
  input: ResolvePolicyInput,
): { ok: true; level: ElevatedLevel } | { ok: false; message: string } {
  const elevated = input.elevated;
  if (elevated === undefined) return { ok: true, level: "off" };
  if (elevated.requested === false) return { ok: true, level: "off" };
  if (elevated.requested === undefined)
    return { ok: true, level: elevated.isPermitted ? elevated.sessionLevel : "off" };
  if (elevated.isPermitted) return { ok: true, level: elevated.sessionLevel === "full" ? "full" : "ask" };
  const gate = elevated.failingGate === "allowFrom" ? "tools.elevated.allowFrom" : "tools.elevated.enabled";
  const message =
    `elevated is not available right now (failing gate: ${gate}). To allow it, check: tools.elevated.enabled, ` +
    "tools.elevated.allowFrom.<provider>, agents.list[].tools.elevated.enabled, agents.list[].tools.elevated.allowFrom.<provider>.";
  return { ok: false, message };
}

function levelsOf(
  state: ApprovalsState,
  input: ResolvePolicyInput,
): { file: ApprovalsFile; isUnreadable: boolean } {
  if (state.kind === "ok") return { file: state.file, isUnreadable: false };
  return {
    file: emptyApprovals,
    isUnreadable: state.kind === "unreadable" && input.hardening.has("exec.unreadableApprovals"),
  };
}

function resolveSecurity(
  input: ResolvePolicyInput,
  host: ExecHost,
  file: ApprovalsFile,
  isFullElevated: boolean,
): Sourced<ExecSecurity> {
  const session = word(input.session?.security, securityOrder);
  const config: Sourced<ExecSecurity> =
    session !== undefined
      ? { value: session, source: { kind: "session", path: "/exec security" } }
      : (configured(input, "security", (one) => one.security) ?? {
          value: host === "sandbox" ? "deny" : "allowlist",
          source: builtin,
        });
  const requested = word(input.call?.security, securityOrder);
  let effective =
    requested === undefined
      ? config
      : tightenSecurity(config, { value: requested, source: { kind: "call", path: "security" } });
  if (isFullElevated) effective = { value: "full", source: { kind: "elevated", path: "tools.elevated" } };
  const isUnconfirmed = effective.value === "full" && !isFullElevated && !input.confirmed.full;
  if (isUnconfirmed && input.hardening.has("exec.confirmBroadModes"))
    effective = { value: "allowlist", source: { kind: "unconfirmed", path: effective.source.path } };
  const fileValue = fromFile(file, input.agentId, "security", securityOrder, "deny", input.hardening);
  return fileValue === undefined ? effective : tightenSecurity(effective, fileValue);
}

function resolveAsk(
  input: ResolvePolicyInput,
  file: ApprovalsFile,
  isFullElevated: boolean,
  wasFullUnconfirmed: boolean,
): Sourced<ExecAsk> {
  const hardening = input.hardening;
  const session = word(input.session?.ask, askOrder);
  const defaults = askOrder.find((one) => one === file.defaults.ask);
  const config: Sourced<ExecAsk> =
    session !== undefined
      ? { value: session, source: { kind: "session", path: "/exec ask" } }
      : (configured(input, "ask", (one) => one.ask) ??
        (defaults === undefined
          ? { value: "on-miss", source: builtin }
          : { value: defaults, source: { kind: "approvalsDefaults", path: "defaults.ask" } }));
  const requested = word(input.call?.ask, askOrder);
  let effective =
    requested === undefined
      ? config
      : stricterAsk(config, { value: requested, source: { kind: "call", path: "ask" } });
  if (isFullElevated) effective = { value: "off", source: { kind: "elevated", path: "tools.elevated" } };
  const fileValue = fromFile(file, input.agentId, "ask", askOrder, "always", hardening);
  if (fileValue !== undefined) {
    // Off refuses misses where on-miss would ask, so it may win over that; over always it would silence a person.
    const isSilencing = effective.value === "always" && hardening.has("exec.fileAskOff");
    const fileWins = fileValue.value === "off" && !isSilencing;
    effective = fileWins ? fileValue : stricterAsk(effective, fileValue);
  }
  // With full not confirmed, ask=off would turn the person's own open setting into silent refusals.
  if (wasFullUnconfirmed && effective.value === "off" && !input.confirmed.askOff)
    effective = { value: "on-miss", source: { kind: "unconfirmed", path: effective.source.path } };
  return effective;
}

function collectSafeBins(input: ResolvePolicyInput, host: ExecHost): SafeBinSettings {
  const { globalExec, agentExec } = input;
  const profiles = new Map<string, SafeBinProfile>();
  for (const source of [globalExec?.safeBinProfiles, agentExec?.safeBinProfiles]) {
    for (const [bin, profile] of Object.entries(source ?? {}))
      profiles.set(bin.trim().toLowerCase(), profile);
  }
  const trustedDirs =
    host === "node"
      ? [...(globalExec?.safeBinTrustedDirs ?? []), ...(agentExec?.safeBinTrustedDirs ?? [])]
      : (agentExec?.safeBinTrustedDirs ?? globalExec?.safeBinTrustedDirs);
  return {
    safeBins: agentExec?.safeBins ?? globalExec?.safeBins,
    trustedDirs,
    profiles: Object.fromEntries(profiles),
  };
}

/** Every value with its source; refusals are values with the text that the agent sees. */
export function resolveExecPolicy(input: ResolvePolicyInput): ResolvedExecPolicy {
  const { hardening } = input;
  const elevated = resolveElevated(input);
  if (!elevated.ok) return { ok: false, code: "elevatedNotPermitted", message: elevated.message };
  const isElevated = elevated.level !== "off";
  const hostChoice = isElevated
    ? {
        ok: true as const,
        host: { value: "gateway" as const, source: { kind: "elevated" as const, path: "tools.elevated" } },
        isAsked: false,
      }
    : resolveHost(input);
  if (!hostChoice.ok) return hostChoice;
  const { host } = hostChoice;
  const main = levelsOf(input.approvals, input);
  const isFull = elevated.level === "full";

  let security = resolveSecurity(input, host.value, main.file, isFull);
  const wasFullUnconfirmed = security.source.kind === "unconfirmed";
  let ask = resolveAsk(input, main.file, isFull, wasFullUnconfirmed);
  let askFallback: Sourced<ExecSecurity> = fromFile(
    main.file,
    input.agentId,
    "askFallback",
    securityOrder,
    "deny",
    hardening,
  ) ?? { value: "deny", source: builtin };
  if (main.isUnreadable)
    security = { value: "deny", source: { kind: "approvalsUnreadable", path: "exec-approvals.json" } };
  if (input.otherApprovals !== undefined && input.otherApprovals.kind !== "missing") {
    const other = levelsOf(input.otherApprovals, input);
    const tighten = <T>(one: Sourced<T> | undefined): Sourced<T> | undefined =>
      one === undefined
        ? undefined
        : { value: one.value, source: { kind: "otherApprovals", path: one.source.path } };
    const otherSecurity = other.isUnreadable
      ? { value: "deny" as const, source: { kind: "otherApprovals" as const, path: "" } }
      : tighten(fromFile(other.file, input.agentId, "security", securityOrder, "deny", hardening));
    const otherAsk = tighten(fromFile(other.file, input.agentId, "ask", askOrder, "always", hardening));
    const otherFallback = tighten(
      fromFile(other.file, input.agentId, "askFallback", securityOrder, "deny", hardening),
    );
    if (otherSecurity !== undefined) security = tightenSecurity(security, otherSecurity);
    if (otherAsk !== undefined) ask = stricterAsk(ask, otherAsk);
    if (otherFallback !== undefined) askFallback = stricterSecurity(askFallback, otherFallback);
  }

  const strict = configured(input, "strictInlineEval", (one) => one.strictInlineEval);
  const eitherStrict =
    input.globalExec?.strictInlineEval === true || input.agentExec?.strictInlineEval === true;
  const strictInlineEval: Sourced<boolean> =
    host.value === "node" && eitherStrict
      ? { value: true, source: { kind: "globalConfig", path: "tools.exec.strictInlineEval" } }
      : {
          value: strict === undefined ? hardening.has("exec.strictInlineEval") : strict.value,
          source: strict?.source ?? builtin,
        };

  const alwaysAsk: EffectiveExecPolicy["alwaysAsk"] = [];
  if (hardening.has("exec.elevatedAsks")) {
    if (input.elevated?.requested === true && !isFull) alwaysAsk.push("elevatedRequested");
    const leaves = hostChoice.isAsked || (isElevated && !isFull);
    if (input.isSandboxed && host.value !== "sandbox" && leaves) alwaysAsk.push("leavesSandbox");
  }
  const isNetworkShared = host.value === "sandbox" && input.isSandboxNetworkShared === true;
  if (isNetworkShared && hardening.has("exec.sandboxStillAsksForNetwork")) alwaysAsk.push("sandboxNetwork");
  if (input.isConfigBroken === true) alwaysAsk.push("brokenConfig");
  const skills =
    main.file.agents.get(input.agentId)?.autoAllowSkills ??
    main.file.agents.get("*")?.autoAllowSkills ??
    main.file.defaults.autoAllowSkills;
  const node = input.session?.node ?? input.agentExec?.node ?? input.globalExec?.node ?? input.call?.node;
  return {
    ok: true,
    policy: {
      host,
      ...(node === undefined ? {} : { node }),
      security,
      ask,
      askFallback,
      autoAllowSkills: skills ?? false,
      strictInlineEval,
      elevated: elevated.level,
      skipApprovals: isFull && !(security.value === "deny" && hardening.has("exec.elevatedKeepsDeny")),
      alwaysAsk,
      notes: [],
    },
    allowlist: collectAllowlist(main.file, input.agentId),
    safeBins: collectSafeBins(input, host.value),
  };
}
