/** The pipeline: which tools of a list survive in a context. Pure; the same walk serves answers and traces. */

import type { CompiledPolicy } from "./compile.ts";
import { deepFreeze } from "./configRecord.ts";
import { stageFindings, unknownProfileFindings } from "./findings.ts";
import type { HttpDenyHit, HttpDenyPolicy } from "./httpSurface.ts";
import { type CompiledList, findHit } from "./lists.ts";
import { normalizeKey } from "./names.ts";
import type { StagePolicy } from "./pick.ts";
import { enablingNames, type PolicyPlan, planFor } from "./plan.ts";
import { type EntryFacts, enterPipeline, hasNativeWebSearch, isOwnerOnlyTool } from "./preFilters.ts";
import { judgeAllowList, type StripReport } from "./strip.ts";
import { type EnteringTools, indexTools, type ToolIndex } from "./toolIndex.ts";
import type {
  PolicyContext,
  PolicyFinding,
  PolicyResult,
  PolicyRule,
  PolicyStageResult,
  RegisteredTool,
} from "./types.ts";

/** What a stage makes of every tool of the list, also of those that never reach it. */
export interface StageVerdicts extends Judgement {
  findings: readonly PolicyFinding[];
}

interface Judgement {
  policy: StagePolicy;
  /** Per slot: position of the entry that denies or allows it, -1 for none; undefined when there is no list. */
  deny: Int32Array | undefined;
  allow: Int32Array | undefined;
  report: StripReport;
  /** Of two policies at one place: what each makes of the tools. */
  both?: readonly [Judgement, Judgement];
}

/** One walk through the pipeline with everything a trace needs. */
export interface PolicyRun {
  plan: PolicyPlan;
  facts: EntryFacts;
  entering: EnteringTools;
  stages: readonly StageVerdicts[];
  /** Slots that reached the end, appended ones included. */
  surviving: readonly number[];
  /** HTTP only: slots that the owner filter or the deny set of the surface removed at the end. */
  httpOwner: ReadonlySet<number>;
  httpDenied: ReadonlyMap<number, HttpDenyHit>;
  result: PolicyResult;
}

/**
 * Decides which tools survive.
 * @param tools in run-time order: core tools, then plugin tools in order of registration
 */
export function evaluatePolicy(
  compiled: CompiledPolicy,
  context: PolicyContext,
  tools: readonly RegisteredTool[],
): PolicyResult {
  return runPolicy(compiled, context, tools).result;
}

/**
 * The walk behind `evaluatePolicy` and `tracePolicy`.
 * @param withStages false leaves `result.stages` empty, for a walk whose way nobody reads
 */
export function runPolicy(
  compiled: CompiledPolicy,
  context: PolicyContext,
  tools: readonly RegisteredTool[],
  { withStages = true }: { withStages?: boolean } = {},
): PolicyRun {
  const plan = planFor(compiled, context);
  const index = indexTools(tools);
  const facts = entryFacts(compiled, context, plan, index);
  const entering = enterPipeline(index, facts);
  const stages: StageVerdicts[] = [];
  const stageResults: PolicyStageResult[] = [];
  const result: PolicyResult = {
    agentId: plan.agentId ?? null,
    profile: plan.profile ?? null,
    providerProfile: plan.providerProfile ?? null,
    preFilters: entering.preFilters.map((outcome) => ({ ...outcome })),
    stages: stageResults,
    tools: [],
    warnings: [],
    findings: unknownProfileFindings(compiled, plan),
  };
  let current = entering.slots;
  for (const policy of plan.stages) {
    const verdicts = stageVerdicts(compiled, policy, entering);
    stages.push(verdicts);
    if (verdicts.report.warning !== undefined) result.warnings.push(verdicts.report.warning);
    if (verdicts.findings.length > 0) result.findings.push(...verdicts.findings);
    current = withStages
      ? applyStage(verdicts, index, current, stageResults)
      : current.filter((slot) => !stageRemoves(verdicts, slot));
  }
  const http = context.surface === "http" ? httpEnd(compiled, index, facts, current, result) : noHttpEnd;
  const surviving = [...(context.surface === "http" ? http.surviving : current), ...entering.appended];
  result.tools = namesOf(index, surviving);
  return { plan, facts, entering, stages, surviving, httpOwner: http.owner, httpDenied: http.denied, result };
}

/** What decides which tools enter. */
export function entryFacts(
  compiled: CompiledPolicy,
  context: PolicyContext,
  plan: Pick<PolicyPlan, "stages">,
  index: ToolIndex,
): EntryFacts {
  const isHttp = context.surface === "http";
  return {
    surface: isHttp ? "http" : "session",
    messageProvider: isHttp ? "" : (normalizeKey(context.channel) ?? ""),
    nativeSearch: !isHttp && hasNativeWebSearch(compiled.config, context),
    isOwner: context.senderIsOwner === true,
    pluginsEnabled: compiled.pluginsEnabled,
    enabling: index.hasOptional ? enablingNames(plan) : noNames,
    mcpThroughPipeline: compiled.hardening.has("policy.mcpThroughPipeline"),
    strictConflicts: compiled.hardening.has("policy.toolNameConflicts"),
  };
}

const noNames: ReadonlySet<string> = new Set();

export function stageRemoves({ deny, allow, report }: StageVerdicts, position: number): boolean {
  if (deny !== undefined && deny[position] !== -1) return true;
  return !report.dropped && allow !== undefined && allow[position] === -1;
}

function applyStage(
  { policy, deny, allow, report }: StageVerdicts,
  index: ToolIndex,
  current: readonly number[],
  results: PolicyStageResult[],
): readonly number[] {
  const next: number[] = [];
  const removed: string[] = [];
  const surviving: string[] = [];
  const limits = report.dropped ? undefined : allow;
  for (const slot of current) {
    const name = index.slots[slot]?.name ?? "";
    if ((deny !== undefined && deny[slot] !== -1) || (limits !== undefined && limits[slot] === -1)) {
      removed.push(name);
    } else {
      next.push(slot);
      surviving.push(name);
    }
  }
  results.push({ column: policy.column, label: policy.label, removed, surviving });
  return next;
}

const verdictMemory = new WeakMap<EnteringTools, WeakMap<StagePolicy, StageVerdicts>>();

/** Verdicts depend on policy and entering tools alone, so they are worked out once per pair. */
function stageVerdicts(
  compiled: CompiledPolicy,
  policy: StagePolicy,
  entering: EnteringTools,
): StageVerdicts {
  let memory = verdictMemory.get(entering);
  if (memory === undefined) {
    memory = new WeakMap();
    verdictMemory.set(entering, memory);
  }
  const known = memory.get(policy);
  if (known !== undefined) return known;
  const judged = judgeStage(compiled, policy, entering);
  const findings = (judged.both ?? [judged]).flatMap((part) =>
    stageFindings(part.policy, entering, part.report, compiled.strictLists),
  );
  // Answers share these objects, so nobody may change them.
  deepFreeze(findings);
  deepFreeze(judged.report.warning);
  const verdicts: StageVerdicts = { ...judged, findings };
  memory.set(policy, verdicts);
  return verdicts;
}

/** The verdicts of a stage without the findings, which only an answer needs. */
function judgeStage(compiled: CompiledPolicy, policy: StagePolicy, entering: EnteringTools): Judgement {
  if (policy.both !== undefined) {
    const [a, b] = policy.both;
    return judgeBoth(policy, judgeStage(compiled, a, entering), judgeStage(compiled, b, entering));
  }
  const denyShadow = compiled.hardening.has("policy.pluginIdNotTool") ? noNames : entering.shadowed;
  const deny = policy.deny === undefined ? undefined : hitsOf(policy.deny, entering, denyShadow, noUnmatched);
  // An allow list without entries restricts nothing.
  const allow =
    policy.allow === undefined || policy.allow.entries.length === 0
      ? undefined
      : hitsOf(policy.allow, entering, entering.shadowed, entering.idNotMatched);
  return { policy, deny, allow, report: judgeAllowList(policy, entering, allow, compiled.strictLists) };
}

const noUnmatched: ReadonlySet<number> = new Set();

/** A tool is out when either says so; positions of entries are those of the joined lists. */
function judgeBoth(policy: StagePolicy, a: Judgement, b: Judgement): Judgement {
  const limitsOf = ({ report, allow }: Judgement) => (report.dropped ? undefined : allow);
  const [ofA, ofB] = [limitsOf(a), limitsOf(b)];
  const join = (
    first: Int32Array | undefined,
    second: Int32Array | undefined,
    offset: number,
    pick: (x: number, y: number) => number,
  ) => {
    const shifted = second?.map((hit) => (hit === -1 ? -1 : hit + offset));
    if (first === undefined || shifted === undefined) return first ?? shifted;
    return first.map((hit, slot) => pick(hit, shifted[slot] ?? -1));
  };
  const dropped = ofA === undefined && ofB === undefined && (a.report.dropped || b.report.dropped);
  const warning = a.report.warning ?? b.report.warning;
  return {
    policy,
    deny: join(a.deny, b.deny, a.policy.deny?.entries.length ?? 0, (x, y) => (x === -1 ? y : x)),
    allow: join(
      dropped ? a.allow : ofA,
      dropped ? b.allow : ofB,
      a.policy.allow?.entries.length ?? 0,
      (x, y) => (y === -1 ? -1 : x),
    ),
    report: {
      dropsInReference: a.report.dropsInReference || b.report.dropsInReference,
      dropped,
      unknown: [...new Set([...a.report.unknown, ...b.report.unknown])],
      unrecognisedPatterns: [
        ...new Set([...a.report.unrecognisedPatterns, ...b.report.unrecognisedPatterns]),
      ],
      warning,
    },
    both: [a, b],
  };
}

/** The rule that speaks for the allow list which keeps a tool out. */
export function restrictingRule({ policy, both }: Judgement, position: number): PolicyRule | undefined {
  const part = both?.find(({ report, allow }) => !report.dropped && allow?.[position] === -1);
  return (part?.policy ?? policy).restricts;
}

const maskMemory = new WeakMap<EnteringTools, WeakMap<StagePolicy, Uint32Array>>();

/** @returns one bit per slot: whether the stage lets it pass, for walks over very many contexts */
export function stageMask(
  compiled: CompiledPolicy,
  policy: StagePolicy,
  entering: EnteringTools,
): Uint32Array {
  let memory = maskMemory.get(entering);
  if (memory === undefined) {
    memory = new WeakMap();
    maskMemory.set(entering, memory);
  }
  const known = memory.get(policy);
  if (known !== undefined) return known;
  const { deny, allow, report } =
    verdictMemory.get(entering)?.get(policy) ?? judgeStage(compiled, policy, entering);
  const limits = report.dropped ? undefined : allow;
  const count = entering.index.slots.length;
  const mask = new Uint32Array((count + 31) >>> 5);
  for (let slot = 0; slot < count; slot += 1) {
    const isRemoved =
      (deny !== undefined && deny[slot] !== -1) || (limits !== undefined && limits[slot] === -1);
    if (!isRemoved) setBit(mask, slot);
  }
  memory.set(policy, mask);
  return mask;
}

export function setBit(bits: Uint32Array, position: number): void {
  bits[position >>> 5] = (bits[position >>> 5] ?? 0) | (1 << (position & 31));
}

const hitMemory = new WeakMap<CompiledList, WeakMap<ToolIndex, Int32Array>>();

/**
 * The same for very many situations: where no name has two meanings, hits depend on the list and the tools alone.
 * Shared: not to be changed.
 * @param idNotMatched slots whose owner's id names something else, so that entries of that name are not meant for them
 */
function hitsOf(
  list: CompiledList,
  { index }: EnteringTools,
  shadowed: ReadonlySet<string>,
  idNotMatched: ReadonlySet<number>,
): Int32Array {
  if (shadowed.size > 0 || idNotMatched.size > 0) return findHits(list, index, shadowed, idNotMatched);
  const memory = hitMemory.get(list) ?? new WeakMap<ToolIndex, Int32Array>();
  hitMemory.set(list, memory);
  const hits = memory.get(index) ?? findHits(list, index, shadowed, idNotMatched);
  memory.set(index, hits);
  return hits;
}

function findHits(
  list: CompiledList,
  { slots }: ToolIndex,
  shadowed: ReadonlySet<string>,
  idNotMatched: ReadonlySet<number>,
): Int32Array {
  const hits = new Int32Array(slots.length);
  for (let position = 0; position < slots.length; position += 1) {
    const slot = slots[position];
    if (slot === undefined) continue;
    // No entry is blank: what is left of such an owner is that its tools are of a plugin.
    const ownerId = idNotMatched.has(position) ? "" : slot.pluginId;
    let hit = findHit(list, slot.normalized, ownerId, shadowed);
    // `write` carries `apply_patch` in both directions; nothing else implies anything (policy §3).
    if (hit === -1 && slot.normalized === "apply_patch") hit = findHit(list, "write", undefined, shadowed);
    hits[position] = hit;
  }
  return hits;
}

function namesOf(index: ToolIndex, slots: readonly number[]): string[] {
  return slots.map((slot) => index.slots[slot]?.name ?? "");
}

interface HttpEnd {
  surviving: readonly number[];
  owner: ReadonlySet<number>;
  denied: ReadonlyMap<number, HttpDenyHit>;
}

interface HttpDenials {
  ownerOnly: ReadonlySet<number>;
  denied: ReadonlyMap<number, HttpDenyHit>;
}

const noSlots: ReadonlySet<number> = new Set();
const denialMemory = new WeakMap<HttpDenyPolicy, WeakMap<ToolIndex, HttpDenials>>();

/** What the end of the HTTP surface says about the tools of a list, whoever asks. */
function httpDenials(policy: HttpDenyPolicy, index: ToolIndex): HttpDenials {
  let memory = denialMemory.get(policy);
  if (memory === undefined) {
    memory = new WeakMap();
    denialMemory.set(policy, memory);
  }
  const known = memory.get(index);
  if (known !== undefined) return known;
  const ownerOnly = new Set<number>();
  const denied = new Map<number, HttpDenyHit>();
  index.slots.forEach((slot, position) => {
    if (isOwnerOnlyTool(slot)) ownerOnly.add(position);
    const hit = policy.denies(slot);
    if (hit !== undefined) denied.set(position, hit);
  });
  const denials = { ownerOnly, denied };
  memory.set(index, denials);
  return denials;
}

const noHttpEnd: HttpEnd = { surviving: [], owner: new Set(), denied: new Map() };

/** On HTTP the owner filter comes behind the stages, then the deny set of the surface (policy §15). */
function httpEnd(
  compiled: CompiledPolicy,
  index: ToolIndex,
  facts: EntryFacts,
  current: readonly number[],
  result: PolicyResult,
): HttpEnd {
  const { ownerOnly, denied } = httpDenials(compiled.httpDeny, index);
  const owner = facts.isOwner ? noSlots : ownerOnly;
  const lostToOwner = current.filter((slot) => owner.has(slot));
  const lostToDeny = current.filter((slot) => !owner.has(slot) && denied.has(slot));
  if (lostToOwner.length > 0)
    result.preFilters.push({ filter: "owner-only", removed: namesOf(index, lostToOwner) });
  if (lostToDeny.length > 0)
    result.preFilters.push({ filter: "http-deny", removed: namesOf(index, lostToDeny) });
  return { surviving: current.filter((slot) => !owner.has(slot) && !denied.has(slot)), owner, denied };
}
