/** The record of what was asked, decided and run: append-only, each entry bound to the one before by its hash. */

import { setImmediate as nextTurn } from "node:timers/promises";
import { z } from "zod";
import { AppError } from "../../../shared/errors/index.ts";
import { sha256Hex } from "./atomicWrite.ts";
import { canonicalJson } from "./canonicalJson.ts";
import type { Database } from "./database.ts";

export interface LedgerInput {
  atMs: number;
  /** Event in the past tense, such as `call.finished` or `approval.decided`. */
  kind: string;
  toolCallId: string | null;
  agentId: string | null;
  sessionKey: string | null;
  callerId: string | null;
  /** Plain JSON. Secrets must be masked by the caller: the ledger keeps everything for ever. */
  data: Record<string, unknown>;
}

export interface LedgerEntry extends LedgerInput {
  /** 1, 2, 3 … without gaps. */
  seq: number;
  /** SHA-256 over the former hash and this entry, hex. */
  hash: string;
}

export interface LedgerVerdict {
  ok: boolean;
  entries: number;
  /** The first entry that was changed, is missing, or follows one that is; null when all is well. */
  firstBadSeq: number | null;
}

export interface LedgerPage {
  limit: number;
  /** Only entries older than this one. */
  beforeSeq?: number | undefined;
}

export interface Ledger {
  append(input: LedgerInput): LedgerEntry;
  /**
   * Appends together with what else is waiting, in order: "thisTurn" before anything that is awaited goes on, so before
   * an effect that it announces; "nextTurn" after the answer that it reports was sent on. Whoever reads or appends
   * meanwhile finds it written.
   */
  appendSoon(input: LedgerInput, when: "thisTurn" | "nextTurn"): void;
  /** Newest first. */
  list(page: LedgerPage): LedgerEntry[];
  /** Newest first, only of one kind. */
  listByKind(kind: string, page: LedgerPage & { beforeMs?: number | undefined }): LedgerEntry[];
  /** Recomputes the whole chain at once. */
  verify(): LedgerVerdict;
  /** The same, letting other work run in between: for a ledger of many thousand entries. */
  verifyInTurns(): Promise<LedgerVerdict>;
  count(): number;
}

const row = z.object({
  seq: z.number(),
  at_ms: z.number(),
  kind: z.string(),
  tool_call_id: z.string().nullable(),
  agent_id: z.string().nullable(),
  session_key: z.string().nullable(),
  caller_id: z.string().nullable(),
  data: z.string(),
  hash: z.string(),
});
type Row = z.infer<typeof row>;
const headRow = z.object({ seq: z.number(), hash: z.string() });

/** What the first entry is bound to. */
const genesis = "0".repeat(64);
const verifyPage = 500;

/** @param onAppended called after each commit; the entry is in the file, perhaps not yet on the disk */
export function createLedger(db: Database, onAppended: () => void = () => {}): Ledger {
  const insert = db.prepare(
    "INSERT INTO ledger (seq, at_ms, kind, tool_call_id, agent_id, session_key, caller_id, data, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
  );
  const setHead = db.prepare("INSERT OR REPLACE INTO ledger_head (only, seq, hash) VALUES (1, ?, ?)");
  const getHead = db.prepare("SELECT seq, hash FROM ledger_head");
  const page = db.prepare("SELECT * FROM ledger WHERE seq < ? ORDER BY seq DESC LIMIT ?");
  const pageOfKind = db.prepare(
    "SELECT * FROM ledger WHERE kind = ? AND seq < ? AND at_ms < ? ORDER BY seq DESC LIMIT ?",
  );
  const forward = db.prepare("SELECT * FROM ledger WHERE seq > ? ORDER BY seq LIMIT ?");
  const newest = Number.MAX_SAFE_INTEGER;

  const head = (): { seq: number; hash: string } => {
    const found = getHead.get();
    return found === undefined ? { seq: 0, hash: genesis } : headRow.parse(found);
  };

  const appendOne = (before: { seq: number; hash: string }, input: LedgerInput): LedgerEntry => {
    const stored: Omit<Row, "hash"> = {
      seq: before.seq + 1,
      at_ms: Math.round(input.atMs),
      kind: cleanText(input.kind),
      tool_call_id: cleanId(input.toolCallId),
      agent_id: cleanId(input.agentId),
      session_key: cleanId(input.sessionKey),
      caller_id: cleanId(input.callerId),
      data: canonicalJson(input.data),
    };
    const hash = hashOf(before.hash, stored);
    insert.run(
      stored.seq,
      stored.at_ms,
      stored.kind,
      stored.tool_call_id,
      stored.agent_id,
      stored.session_key,
      stored.caller_id,
      stored.data,
      hash,
    );
    return entryOf({ ...stored, hash });
  };

  let waiting: LedgerInput[] = [];
  let isNextTurnPlanned = false;
  const appendAll = db.transaction((inputs: readonly LedgerInput[]): LedgerEntry | undefined => {
    let last: LedgerEntry | undefined;
    // Another process may have appended since; inside the transaction nobody can.
    const before = head();
    for (const input of inputs) last = appendOne(last ?? before, input);
    if (last !== undefined) setHead.run(last.seq, last.hash);
    return last;
  });

  /** What waits goes first, whatever is asked for. */
  const flush = (last: readonly LedgerInput[] = []): LedgerEntry | undefined => {
    if (waiting.length + last.length === 0) return undefined;
    const inputs = [...waiting, ...last];
    waiting = [];
    const entry = appendAll.immediate(inputs);
    onAppended();
    return entry;
  };

  /** Yields after each page, so that a caller can let other work run. */
  function* verifySteps(): Generator<undefined, LedgerVerdict> {
    // Entries that come in while this runs are not looked at.
    const end = head();
    let last = { seq: 0, hash: genesis };
    while (last.seq < end.seq) {
      const rows = forward.all(last.seq, verifyPage);
      if (rows.length === 0) return bad(last.seq + 1, end.seq);
      for (const found of rows) {
        const parsed = row.safeParse(found);
        const isNext =
          parsed.success &&
          parsed.data.seq === last.seq + 1 &&
          parsed.data.hash === hashOf(last.hash, parsed.data);
        if (!isNext) return bad(last.seq + 1, end.seq);
        last = { seq: parsed.data.seq, hash: parsed.data.hash };
        if (last.seq === end.seq) break;
      }
      yield;
    }
    // A head without its entries, or entries without their head, means that something was cut off.
    const isCut = last.hash !== end.hash || (end.seq === 0 && forward.all(0, 1).length > 0);
    return isCut ? bad(Math.max(end.seq, 1), end.seq) : { ok: true, entries: end.seq, firstBadSeq: null };
  }

  return {
    append(input) {
      const entry = flush([input]);
      if (entry === undefined) throw new AppError("INTERNAL", "The ledger took an entry and gave none back.");
      return entry;
    },
    appendSoon(input, when) {
      waiting.push(input);
      if (when === "thisTurn") queueMicrotask(() => flush());
      else if (!isNextTurnPlanned) {
        isNextTurnPlanned = true;
        setImmediate(() => {
          isNextTurnPlanned = false;
          flush();
        });
      }
    },
    list({ limit, beforeSeq }) {
      flush();
      return page.all(beforeSeq ?? newest, limit).map((found) => entryOf(row.parse(found)));
    },
    listByKind(kind, { limit, beforeSeq, beforeMs }) {
      flush();
      return pageOfKind
        .all(kind, beforeSeq ?? newest, beforeMs ?? newest, limit)
        .map((found) => entryOf(row.parse(found)));
    },
    verify() {
      flush();
      const steps = verifySteps();
      for (;;) {
        const step = steps.next();
        if (step.done === true) return step.value;
      }
    },
    async verifyInTurns() {
      flush();
      const steps = verifySteps();
      for (;;) {
        const step = steps.next();
        if (step.done === true) return step.value;
        await nextTurn();
      }
    },
    count() {
      flush();
      return head().seq;
    },
  };
}

function bad(firstBadSeq: number, entries: number): LedgerVerdict {
  return { ok: false, entries, firstBadSeq };
}

function hashOf(previousHash: string, stored: Omit<Row, "hash">): string {
  const { seq, at_ms, kind, tool_call_id, agent_id, session_key, caller_id, data } = stored;
  const fields = [seq, at_ms, kind, tool_call_id, agent_id, session_key, caller_id, data];
  return sha256Hex(`${previousHash}\n${JSON.stringify(fields)}`);
}

function entryOf(found: Row): LedgerEntry {
  const data: unknown = safeJson(found.data);
  return {
    seq: found.seq,
    atMs: found.at_ms,
    kind: found.kind,
    toolCallId: found.tool_call_id,
    agentId: found.agent_id,
    sessionKey: found.session_key,
    callerId: found.caller_id,
    data: typeof data === "object" && data !== null ? { ...data } : {},
    hash: found.hash,
  };
}

/** A row that somebody changed by hand must still be listed; `verify` tells. */
function safeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { unreadable: text };
  }
}

/** SQLite ends a text at NUL, and lone surrogates do not survive UTF-8; either would break the hash. */
function cleanText(text: string): string {
  return text.replace(/\0|\p{Surrogate}/gu, (unit) => (unit === "\0" ? "\u2400" : "\uFFFD"));
}

function cleanId(text: string | null): string | null {
  return text === null ? null : cleanText(text);
}
