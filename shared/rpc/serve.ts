/** The serving end: validates, checks scopes, runs handlers, maps errors, forwards events. */

import type { z } from "zod";
import { AppError, toWireError } from "../errors/index.ts";
import {
  type Contract,
  type EventName,
  type EventPayload,
  type HandlerContext,
  type Handlers,
  hasScope,
  type MethodSpec,
  type Principal,
} from "./contract.ts";
import { cancelMethod, type RequestFrame, requestFrame, toFrameError } from "./frames.ts";
import type { Transport } from "./transport.ts";

export interface EventSource<C extends Contract> {
  /** @param listener is called for every event in the order in which they happened */
  onAny(listener: <E extends EventName<C>>(event: E, payload: EventPayload<C, E>) => void): () => void;
}

export interface ServeOptions<C extends Contract> {
  contract: C;
  handlers: Handlers<C>;
  transport: Transport;
  principal: Principal;
  events?: EventSource<C>;
  connectionId: string;
  /** Called for errors that the client does not get to see, with the id that it does see. */
  onInternalError?: (failure: { logId: string; method: string; error: unknown }) => void;
  /** Most requests of one connection that may run at once; more are refused. */
  maxConcurrent?: number;
}

/**
 * Serves one connection until it closes.
 * @returns a function that stops serving and aborts what runs; may be called twice
 */
export function serve<C extends Contract>(options: ServeOptions<C>): () => void {
  const { contract, transport, principal, connectionId } = options;
  const maxConcurrent = options.maxConcurrent ?? 256;
  const running = new Map<string, AbortController>();
  let seq = 0;

  const respondError = (id: string, thrown: unknown, method: string) => {
    const logId = `${connectionId}-${id}`;
    if (!(thrown instanceof AppError)) options.onInternalError?.({ logId, method, error: thrown });
    transport.send({ type: "res", id, ok: false, error: toFrameError(toWireError(thrown, logId)) });
  };

  const run = async (frame: RequestFrame) => {
    const controller = new AbortController();
    try {
      if (frame.method === cancelMethod) {
        const target = (frame.params as { id?: unknown } | undefined)?.id;
        if (typeof target === "string") running.get(target)?.abort();
        transport.send({ type: "res", id: frame.id, ok: true, payload: {} });
        return;
      }
      if (running.has(frame.id))
        throw new AppError("INVALID_INPUT", `Request id ${frame.id} is already running.`);
      if (running.size >= maxConcurrent) {
        throw new AppError(
          "UNAVAILABLE",
          `More than ${maxConcurrent} requests run on this connection. Wait for one.`,
        );
      }
      running.set(frame.id, controller);
      const payload = await dispatch(options, frame, { principal, connectionId, signal: controller.signal });
      transport.send({ type: "res", id: frame.id, ok: true, payload });
    } catch (thrown) {
      respondError(frame.id, thrown, frame.method);
    } finally {
      if (running.get(frame.id) === controller) running.delete(frame.id);
    }
  };

  const offMessage = transport.onMessage((message) => {
    const parsed = requestFrame.safeParse(message);
    if (!parsed.success) {
      const id = readId(message);
      respondError(id, new AppError("INVALID_INPUT", `Not a request frame: ${firstIssue(parsed.error)}`), "");
      return;
    }
    void run(parsed.data);
  });
  const offEvents = options.events?.onAny((event, payload) => {
    const spec = contract.events[event];
    if (spec === undefined || !hasScope(principal.scopes, spec.scope)) return;
    seq += 1;
    transport.send({ type: "event", event, payload, seq });
  });
  const stop = () => {
    offMessage();
    offEvents?.();
    offClose();
    for (const controller of running.values()) controller.abort();
    running.clear();
  };
  const offClose = transport.onClose(stop);
  return stop;
}

async function dispatch<C extends Contract>(
  { contract, handlers, principal }: ServeOptions<C>,
  frame: RequestFrame,
  context: HandlerContext,
): Promise<unknown> {
  const spec: MethodSpec | undefined = Object.hasOwn(contract.methods, frame.method)
    ? contract.methods[frame.method]
    : undefined;
  if (spec === undefined) {
    // A weak client learns only that it lacks a scope, not which names exist.
    if (!hasScope(principal.scopes, "operator.admin"))
      throw new AppError("FORBIDDEN", "missing scope: operator.admin");
    throw new AppError("NOT_FOUND", `unknown method: ${frame.method}`);
  }
  if (!hasScope(principal.scopes, spec.scope))
    throw new AppError("FORBIDDEN", `missing scope: ${spec.scope}`);
  const input = spec.input.safeParse(frame.params ?? {});
  if (!input.success) {
    throw new AppError("INVALID_INPUT", `invalid ${frame.method} params: ${firstIssue(input.error)}`, {
      data: {
        issues: input.error.issues.map((issue) => ({ path: issue.path.join("."), message: issue.message })),
      },
    });
  }
  const handler = (handlers as Record<string, (input: unknown, context: HandlerContext) => unknown>)[
    frame.method
  ];
  if (handler === undefined) throw new Error(`No handler for ${frame.method}`);
  const output = spec.output.safeParse(await handler(input.data, context));
  if (!output.success)
    throw new Error(`Handler of ${frame.method} broke its output schema: ${firstIssue(output.error)}`);
  return output.data;
}

/** @returns the first issue as `at /a/0: message`, the form that the Gateway protocol uses. */
export function firstIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  if (issue === undefined) return "invalid";
  return `at /${issue.path.map(String).join("/")}: ${issue.message}`;
}

function readId(message: unknown): string {
  const id = typeof message === "object" && message !== null ? (message as { id?: unknown }).id : undefined;
  return typeof id === "string" && id !== "" ? id.slice(0, 128) : "?";
}
