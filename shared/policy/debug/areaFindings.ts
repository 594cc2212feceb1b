/** Slips in parts of the config that count in every context, or that no stage looks at. */

import type { CompiledPolicy } from "../compile.ts";
import { asRecord, getIn, getList, getRecord, pathText, recordEntries } from "../configRecord.ts";
import { nearestName } from "../didYouMean.ts";
import { auditHttpAllow, httpDefaultDeny } from "../httpSurface.ts";
import { compileList } from "../lists.ts";
import { normalizeAgentId, normalizeKey, normalizeToolName } from "../names.ts";
import type { ToolIndex } from "../toolIndex.ts";
import type { ConfigPath, PolicyFinding } from "../types.ts";
import { finding } from "./finding.ts";
import { reachOf } from "./repairMoves.ts";

/** @param names every name that an entry could have meant */
export function areaFindings(
  compiled: CompiledPolicy,
  index: ToolIndex,
  names: readonly string[],
): PolicyFinding[] {
  return [
    ...bothLists(compiled),
    ...overwrittenProviderKeys(compiled),
    ...duplicateAgents(compiled),
    ...httpDenyFindings(compiled, index, names),
    ...httpAllowFindings(compiled),
  ];
}

interface Place {
  path: ConfigPath;
  record: unknown;
  /** alsoAllow means the same as allow here, so that the two can become one list. */
  canMerge: boolean;
}

/** Objects in which allow and alsoAllow both have entries: refused at load. */
function bothLists(compiled: CompiledPolicy): PolicyFinding[] {
  const scopes = [compiled.global, ...[...compiled.agents.values()].map((agent) => agent.tools)];
  const places: Place[] = [
    ...scopes
      .flatMap((scope) => [scope, ...scope.byProvider.values()])
      .map(({ path, record }) => ({ path, record, canMerge: false })),
    ...scopes.map(({ path, record }) => ({
      path: [...path, "sandbox", "tools"],
      record: getRecord(record, "sandbox", "tools"),
      canMerge: true,
    })),
    {
      path: ["tools", "subagents", "tools"],
      record: getRecord(compiled.config, "tools", "subagents", "tools"),
      canMerge: true,
    },
    ...recordEntries(compiled.config.channels).flatMap(([channel, settings]) =>
      groupPlaces(settings, ["channels", channel], 0),
    ),
  ];
  return places.flatMap(({ path, record, canMerge }) => {
    const [allow = [], also = []] = [getList(record, "allow"), getList(record, "alsoAllow")];
    if (allow.length === 0 || also.length === 0) return [];
    const found = finding("allow-and-also-allow", null, pathText(path), path, ["allow", "alsoAllow"]);
    if (!canMerge) return [found];
    const merged = [...new Set([...allow, ...also])];
    const fix: PolicyFinding["fix"] = [
      { op: "set", path: [...path, "allow"], value: merged },
      { op: "remove", path: [...path, "alsoAllow"] },
    ];
    return [{ ...found, fix }];
  });
}

/** Policies of groups, channels, teams and senders, however deep a channel keeps them. */
function groupPlaces(value: unknown, path: ConfigPath, depth: number): Place[] {
  if (depth > 6) return [];
  return recordEntries(value).flatMap(([key, record]): Place[] => {
    const here = [...path, key];
    if (key === "tools") return [{ path: here, record, canMerge: true }];
    if (key !== "toolsBySender") return groupPlaces(record, here, depth + 1);
    return recordEntries(record).map(([sender, lists]) => ({
      path: [...here, sender],
      record: lists,
      canMerge: true,
    }));
  });
}

/** byProvider keys that a later equal key replaces, or that are blank. */
function overwrittenProviderKeys(compiled: CompiledPolicy): PolicyFinding[] {
  const scopes = [compiled.global, ...[...compiled.agents.values()].map((agent) => agent.tools)];
  return scopes.flatMap((scope) =>
    Object.keys(asRecord(scope.record?.byProvider) ?? {}).flatMap((key) => {
      const path = [...scope.path, "byProvider", key];
      const normalized = normalizeKey(key);
      const isUsed = normalized !== undefined && scope.byProvider.get(normalized)?.key === key;
      return isUsed ? [] : [finding("provider-key-never-matches", null, pathText(path), path, [key])];
    }),
  );
}

/** Agents are found by their normalised id, and the first one counts. */
function duplicateAgents({ config, agents }: CompiledPolicy): PolicyFinding[] {
  return (getList(config, "agents", "list") ?? []).flatMap((entry, index) => {
    const id = getIn(entry, "id");
    if (asRecord(entry) === undefined) return [];
    const normalized = normalizeAgentId(typeof id === "string" ? id : undefined);
    if (agents.get(normalized)?.index === index) return [];
    const path = ["agents", "list", index];
    return [finding("duplicate-agent", null, pathText(path), path, [normalized])];
  });
}

/** The strings of a list of gateway.tools with their places. */
function httpEntries({ config }: CompiledPolicy, key: "allow" | "deny") {
  return (getList(config, "gateway", "tools", key) ?? []).flatMap((raw, index) =>
    typeof raw === "string" ? [{ raw, path: ["gateway", "tools", key, index] }] : [],
  );
}

const stageOf = (key: "allow" | "deny") => `gateway.tools.${key}`;

function httpDenyFindings(
  compiled: CompiledPolicy,
  index: ToolIndex,
  names: readonly string[],
): PolicyFinding[] {
  const enforced = compiled.hardening.has("policy.httpListsNormalised");
  const isExact = (raw: string) =>
    httpDefaultDeny.has(raw) || index.slots.some(({ name }) => name === raw) || names.includes(raw);
  return httpEntries(compiled, "deny").flatMap(({ raw, path }) => {
    const name = normalizeToolName(raw);
    const [entry] = compileList("http", "denies", [{ raw, list: "deny", path }]).entries;
    if (entry === undefined) return [];
    const isTool = entry.kind === "name" && index.slots.some(({ normalized }) => normalized === name);
    const isWide = entry.kind !== "name" || (!isTool && index.slots.some(reachOf(entry)));
    if (!isWide && isExact(raw)) return [];
    if (isWide || isExact(name)) {
      const exact = index.slots.find(({ normalized }) => normalized === name)?.name ?? name;
      const found = finding(
        "http-entry-not-exact",
        "http",
        stageOf("deny"),
        path,
        [raw],
        isWide ? undefined : exact,
      );
      return [{ ...found, failsOpen: true, enforced }];
    }
    const suggestion = nearestName(name, names);
    return [finding("deny-names-nothing", "http", stageOf("deny"), path, [raw], suggestion)];
  });
}

function httpAllowFindings(compiled: CompiledPolicy): PolicyFinding[] {
  const idle = httpEntries(compiled, "allow").flatMap(({ raw, path }) => {
    if (httpDefaultDeny.has(raw)) return [];
    // No name to put there is offered: it would open what is withheld for a reason.
    const found = finding("http-allow-lifts-nothing", "http", stageOf("allow"), path, [raw]);
    return [{ ...found, fix: [{ op: "remove" as const, path: [...path] }] }];
  });
  const audit = auditHttpAllow(compiled.config, isExposed(compiled.config));
  const lifted = httpEntries(compiled, "allow").filter(({ raw }) => httpDefaultDeny.has(raw));
  if (audit === undefined || lifted.length === 0) return idle;
  const kind = audit.severity === "critical" ? "http-lifts-exposed" : "http-lifts-dangerous";
  const path = ["gateway", "tools", "allow"];
  const found = finding(kind, "http", stageOf("allow"), path, [...new Set(lifted.map(({ raw }) => raw))]);
  const fix = lifted.toReversed().map((entry) => ({ op: "remove" as const, path: entry.path }));
  return [...idle, { ...found, fix }];
}

/** Whether other machines reach the gateway (policy §15). */
function isExposed(config: unknown): boolean {
  const bind = getIn(config, "gateway", "bind");
  const isLoopback = bind === undefined || bind === "loopback" || bind === "auto" || bind === "127.0.0.1";
  return !isLoopback || getIn(config, "gateway", "tailscale", "mode") === "funnel";
}
