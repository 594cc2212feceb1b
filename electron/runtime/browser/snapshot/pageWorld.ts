/// <reference path="./pageScript.d.ts" />
/**
 * Calls into the engine's part inside of documents. It lives in an isolated world: it sees the page's elements, the
 * page does not see it, and prototypes that the page changes are not its prototypes.
 */

import type { CDPSession, Frame, Page } from "playwright-core";
import { AppError, messageOf } from "../../../../shared/errors/index.ts";
import pageScript from "../page/pageEngine.page.ts?script";
import type { PageCalls, PageReply } from "../page/pageProtocol.ts";
import { browserProblem } from "../problems.ts";

const WORLD = "sallyport-snapshot";
const DEFAULT_CALL_TIMEOUT_MS = 15_000;

/** One document's frame: how to reach it over CDP, and what its refs begin with. */
export interface FramePlace {
  frame: Frame;
  session: CDPSession;
  frameId: string;
  /** Empty for the main frame, else `f1`, `f2`, … */
  prefix: string;
}

interface Installed {
  contextId: number;
  callId: string;
}

export class PageWorld {
  readonly #page: Page;
  readonly #callTimeoutMs: number;
  readonly #installed = new Map<string, Installed>();
  readonly #lastRefs = new Map<string, number>();
  readonly #documents = new Map<string, string>();
  #main: Promise<FramePlace> | null = null;
  #serial = 0;
  /** Why nothing can be asked any more; calls under way are told through `#waiting`. */
  #ended: AppError | null = null;
  readonly #waiting = new Set<(error: AppError) => void>();

  /** @param callTimeoutMs how long a page may take to answer */
  constructor(page: Page, callTimeoutMs = DEFAULT_CALL_TIMEOUT_MS) {
    this.#page = page;
    this.#callTimeoutMs = callTimeoutMs;
    page.on("crash", () => this.#end(crashed()));
    page.once("close", () => this.#end(closed()));
    page.on("framenavigated", (frame) => {
      // A crashed tab that is sent elsewhere lives again.
      if (frame === page.mainFrame()) this.#ended = null;
    });
  }

  /** Document that the place showed when it was last asked; null before. */
  documentOf(place: FramePlace): string | null {
    return this.#documents.get(place.prefix) ?? null;
  }

  lastRefOf(prefix: string): number {
    return this.#lastRefs.get(prefix) ?? 0;
  }

  main(): Promise<FramePlace> {
    this.#main ??= this.#openMain().catch((error: unknown) => {
      this.#main = null;
      throw asAppError(error);
    });
    return this.#main;
  }

  async #openMain(): Promise<FramePlace> {
    if (this.#page.isClosed()) throw closed();
    const session = await this.#inTime(this.#page.context().newCDPSession(this.#page));
    session.once("close", () => {
      this.#main = null;
      this.#installed.clear();
    });
    const { frameTree } = await this.#inTime(session.send("Page.getFrameTree"));
    return { frame: this.#page.mainFrame(), session, frameId: frameTree.frame.id, prefix: "" };
  }

  /** @throws AppError TIMEOUT when the page does not answer, UNAVAILABLE when it is gone */
  async call<Name extends keyof PageCalls>(
    place: FramePlace,
    name: Name,
    input: PageCalls[Name]["input"],
  ): Promise<PageReply<PageCalls[Name]["output"]>> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        const text = await this.#evaluate(place, name, JSON.stringify(input));
        const reply = JSON.parse(text) as PageReply<PageCalls[Name]["output"]>;
        this.#lastRefs.set(place.prefix, Math.max(reply.lastRef, this.lastRefOf(place.prefix)));
        this.#documents.set(place.prefix, reply.documentId);
        return reply;
      } catch (error) {
        // A navigation took the world away between two calls: the new document gets its own.
        this.#installed.delete(place.frameId);
        if (attempt >= 2 || !isWorldGone(error)) throw asAppError(error);
      }
    }
  }

  async #evaluate(place: FramePlace, name: string, input: string): Promise<string> {
    let installed = this.#installed.get(place.frameId);
    if (installed === undefined) {
      installed = await this.#install(place);
      this.#installed.set(place.frameId, installed);
    }
    const { result, exceptionDetails } = await this.#inTime(
      place.session.send("Runtime.callFunctionOn", {
        objectId: installed.callId,
        functionDeclaration: "function(name, input) { return this(name, input); }",
        arguments: [{ value: name }, { value: input }],
        returnByValue: true,
      }),
    );
    if (exceptionDetails !== undefined) {
      const detail = exceptionDetails.exception?.description ?? exceptionDetails.text;
      throw new AppError("TOOL_FAILED", `The page could not be read: ${detail.slice(0, 300)}`);
    }
    return String(result.value);
  }

  async #install({ session, frameId, prefix }: FramePlace): Promise<Installed> {
    const { executionContextId } = await this.#inTime(
      session.send("Page.createIsolatedWorld", { frameId, worldName: WORLD, grantUniveralAccess: false }),
    );
    this.#serial += 1;
    const documentId = `${prefix}d${this.#serial}-${Math.random().toString(36).slice(2, 10)}`;
    await this.#inTime(
      session.send("Runtime.evaluate", { contextId: executionContextId, expression: pageScript }),
    );
    const { result, exceptionDetails } = await this.#inTime(
      session.send("Runtime.evaluate", {
        contextId: executionContextId,
        expression: `sallyportPage.start(${JSON.stringify(documentId)}, ${this.lastRefOf(prefix)})`,
      }),
    );
    if (exceptionDetails !== undefined || result.objectId === undefined) {
      const detail = exceptionDetails?.exception?.description ?? "no engine";
      throw new AppError("TOOL_FAILED", `The page could not be read: ${detail.slice(0, 300)}`);
    }
    return { contextId: executionContextId, callId: result.objectId };
  }

  /** CDP id of the frame that the `<iframe>` with this ref holds; null when there is none any more. */
  async frameIdOf(place: FramePlace, ref: number): Promise<string | null> {
    const installed = this.#installed.get(place.frameId);
    if (installed === undefined) return null;
    const { result } = await this.#inTime(
      place.session.send("Runtime.callFunctionOn", {
        objectId: installed.callId,
        functionDeclaration: "function(ref) { return this.elementOf(ref); }",
        arguments: [{ value: ref }],
      }),
    );
    if (result.objectId === undefined) return null;
    const { node } = await this.#inTime(
      place.session.send("DOM.describeNode", { objectId: result.objectId }),
    );
    return node.frameId ?? null;
  }

  /** Pages that hold an open dialog or spin in a script do not answer: say so instead of waiting for ever. */
  async #inTime<Value>(answer: Promise<Value>): Promise<Value> {
    // The answer may still fail after the wait is over; that is told already.
    answer.catch(() => {});
    if (this.#ended !== null) throw this.#ended;
    let giveUp: (error: AppError) => void = () => {};
    const late = new Promise<never>((_, reject) => {
      giveUp = reject;
    });
    this.#waiting.add(giveUp);
    const timer = setTimeout(() => {
      giveUp(
        browserProblem(
          "busy_page",
          `The page did not answer for ${this.#callTimeoutMs / 1000} seconds: a dialog may be open in it, or a script of it is busy. Handle the dialog, or navigate away.`,
        ),
      );
    }, this.#callTimeoutMs);
    try {
      return await Promise.race([answer, late]);
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(giveUp);
    }
  }

  #end(error: AppError): void {
    this.#ended = error;
    this.#installed.clear();
    for (const giveUp of this.#waiting) giveUp(error);
    this.#waiting.clear();
  }
}

function crashed(cause?: unknown): AppError {
  return browserProblem("page_crashed", "The page has crashed. Navigate again, or close the tab.", { cause });
}

function closed(cause?: unknown): AppError {
  return browserProblem("tab_closed", "The tab is closed. List the tabs and choose another.", { cause });
}

function isWorldGone(error: unknown): boolean {
  return /Cannot find context|context was destroyed|Could not find object|No frame (?:for|with)|Inspected target navigated/i.test(
    messageOf(error),
  );
}

function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const message = messageOf(error);
  if (/crash/i.test(message)) return crashed(error);
  if (/closed|detached/i.test(message)) return closed(error);
  return new AppError("TOOL_FAILED", `The page could not be read: ${message.slice(0, 300)}`, {
    cause: error,
  });
}
