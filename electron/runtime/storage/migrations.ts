/** The tables of sallyport.db, step by step. A step that was released is never changed; a new one is added. */

export interface Migration {
  name: string;
  sql: string;
}

export const migrations: readonly Migration[] = [
  {
    name: "ledger",
    // The triggers keep honest code from rewriting history; the hash chain shows when something else did.
    sql: `
      CREATE TABLE ledger (
        seq INTEGER PRIMARY KEY,
        at_ms INTEGER NOT NULL,
        kind TEXT NOT NULL,
        tool_call_id TEXT,
        agent_id TEXT,
        session_key TEXT,
        caller_id TEXT,
        data TEXT NOT NULL,
        hash TEXT NOT NULL
      ) STRICT;
      CREATE INDEX ledger_kind ON ledger (kind, seq);
      CREATE INDEX ledger_call ON ledger (tool_call_id, seq);
      CREATE TABLE ledger_head (only INTEGER PRIMARY KEY CHECK (only = 1), seq INTEGER NOT NULL, hash TEXT NOT NULL) STRICT;
      CREATE TRIGGER ledger_no_update BEFORE UPDATE ON ledger BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
      CREATE TRIGGER ledger_no_delete BEFORE DELETE ON ledger BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
    `,
  },
  {
    name: "process ownership",
    sql: `
      CREATE TABLE process_ownership (
        exec_id TEXT PRIMARY KEY,
        entry TEXT NOT NULL
      ) STRICT;
    `,
  },
];
