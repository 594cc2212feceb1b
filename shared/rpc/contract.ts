/** What a contract is: methods with a scope and two schemas, and events with one. The only place that knows zod's types. */

import type { z } from "zod";

/** Operator scopes of the Gateway protocol; `operator.admin` satisfies every one, `operator.write` implies read. */
export const scopes = [
  "operator.read",
  "operator.write",
  "operator.approvals",
  "operator.pairing",
  "operator.admin",
] as const;
export type Scope = (typeof scopes)[number];

export interface MethodSpec {
  scope: Scope;
  input: z.ZodType;
  output: z.ZodType;
}

export interface EventSpec {
  /** A connection without this scope never receives the event. */
  scope: Scope;
  payload: z.ZodType;
}

export interface Contract {
  methods: Record<string, MethodSpec>;
  events: Record<string, EventSpec>;
}

/** Keeps the literal types of a contract; does nothing at run time. */
export function defineContract<const C extends Contract>(contract: C): C {
  return contract;
}

/** Joins area contracts; a name written twice is a programming error and throws at start. */
export function mergeContracts<A extends Contract, B extends Contract>(
  a: A,
  b: B,
): { methods: A["methods"] & B["methods"]; events: A["events"] & B["events"] } {
  for (const name of Object.keys(b.methods)) {
    if (Object.hasOwn(a.methods, name)) throw new Error(`Method ${name} is defined twice`);
  }
  for (const name of Object.keys(b.events)) {
    if (Object.hasOwn(a.events, name)) throw new Error(`Event ${name} is defined twice`);
  }
  return { methods: { ...a.methods, ...b.methods }, events: { ...a.events, ...b.events } };
}

export type MethodName<C extends Contract> = keyof C["methods"] & string;
export type EventName<C extends Contract> = keyof C["events"] & string;
export type MethodInput<C extends Contract, M extends MethodName<C>> = z.input<C["methods"][M]["input"]>;
export type ParsedInput<C extends Contract, M extends MethodName<C>> = z.output<C["methods"][M]["input"]>;
export type MethodOutput<C extends Contract, M extends MethodName<C>> = z.output<C["methods"][M]["output"]>;
export type EventPayload<C extends Contract, E extends EventName<C>> = z.output<C["events"][E]["payload"]>;

/** Who is calling. Comes from the transport, never from the parameters. */
export interface Principal {
  /** `panel` = one of our own windows or pages; `operator` = CLI or a Gateway client; `client` = an MCP client. */
  kind: "panel" | "operator" | "client";
  /** Stable name for the ledger: `panel:main`, `cli`, `mcp:<clientId>`. */
  id: string;
  scopes: ReadonlySet<Scope>;
  /** Only the approval surface among our windows may resolve approvals. */
  approvalSurface: boolean;
}

/** @returns whether the principal holds `needed`, with admin and write implications. */
export function hasScope(held: ReadonlySet<Scope>, needed: Scope): boolean {
  if (held.has("operator.admin") || held.has(needed)) return true;
  return needed === "operator.read" && held.has("operator.write");
}

export interface HandlerContext {
  principal: Principal;
  /** Aborts on cancel and on disconnect. */
  signal: AbortSignal;
  /** Changes with every connection; presence (a person at the panel) is counted by it. */
  connectionId: string;
}

export type Handlers<C extends Contract> = {
  [M in MethodName<C>]: (
    input: ParsedInput<C, M>,
    context: HandlerContext,
  ) => Promise<MethodOutput<C, M>> | MethodOutput<C, M>;
};
