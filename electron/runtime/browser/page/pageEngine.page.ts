/**
 * What the snapshot engine keeps inside each document, in a world of its own that scripts of the page cannot reach.
 * Compiled to one script; every call takes and gives JSON text.
 */

import { distill } from "../../../../shared/browser/snapshot/distill.ts";
import { earnsRef } from "../../../../shared/browser/snapshot/roles.ts";
import type { SnapNode } from "../../../../shared/browser/snapshot/tree.ts";
import { Changes } from "./changes.page.ts";
import { DenseView } from "./denseView.page.ts";
import { bodyOf, documentElementOf, queryAllInDocument, queryDocument, rectOf, titleOf } from "./dom.page.ts";
import { Generated } from "./generated.page.ts";
import { LookPass } from "./look.page.ts";
import { NamePass } from "./names.page.ts";
import type { PageCalls, PageReply, TreeReply } from "./pageProtocol.ts";
import { Refs, xpathOf } from "./refs.page.ts";
import { roleOf } from "./roles.page.ts";
import { type PageNode, walkPage } from "./tree.page.ts";
import { isOneTimeCode } from "./values.page.ts";

class PageEngine {
  readonly #documentId: string;
  readonly #refs: Refs;
  readonly #dense: DenseView;
  readonly #changes = new Changes();

  constructor(documentId: string, lastRef: number) {
    this.#documentId = documentId;
    this.#refs = new Refs(lastRef);
    this.#dense = new DenseView(documentId, this.#refs, this.#changes);
  }

  call(name: string, argument: string): string {
    const calls: {
      [Name in keyof PageCalls]: (input: PageCalls[Name]["input"]) => PageCalls[Name]["output"];
    } = {
      tree: (input) => this.#tree(input),
      dense: (input) => this.#dense.take(input),
      locate: (input) => this.#locate(input.ref),
      isAsItWas: (input) => this.#isAsItWas(input.mutations),
      unmark: (input) => unmark(input.mark),
      boxes: () => this.#boxes(),
      secrets: () => secretValues(),
      frameRef: (input) => this.#frameRef(input.selector),
    };
    const run = Object.entries(calls).find(([known]) => known === name)?.[1] as
      | ((input: unknown) => unknown)
      | undefined;
    if (run === undefined) throw new Error(`No call ${name}.`);
    const reply: PageReply = {
      documentId: this.#documentId,
      url: location.href,
      title: titleOf(document).slice(0, 500),
      value: run(JSON.parse(argument)),
      lastRef: 0,
    };
    reply.lastRef = this.#refs.last;
    return JSON.stringify(reply);
  }

  elementOf(ref: number): Element | null {
    const found = this.#refs.find(ref);
    return found.kind === "found" ? found.element : null;
  }

  #frameRef(selector: string): { ref: number | null } {
    const element = queryDocument(document, selector);
    const isFrame = element instanceof HTMLIFrameElement || element instanceof HTMLFrameElement;
    return { ref: isFrame ? this.#refs.numberOf(element, "iframe", "") : null };
  }

  #tree(input: PageCalls["tree"]["input"]): TreeReply {
    const start = startElement(input.selector);
    if (start === null) return { found: false };
    const walked = walkPage(start, {
      sees: input.family === "ai" ? "all" : "aria",
      masks: input.masks,
      clickables: input.clickables,
      boxes: true,
    });
    distill(walked.root, input.family === "ai" ? "ai" : "default");
    const frames: { ref: string }[] = [];
    const giveRefs = (node: PageNode): void => {
      for (const child of node.children) {
        if (typeof child === "string") continue;
        const getsRef =
          input.family === "ai"
            ? child.isReachable === true
            : earnsRef(child.role, child.name) || child.role === "iframe" || child.isClickable === true;
        if (getsRef && child.source !== undefined) {
          child.ref = `${input.prefix}e${this.#refs.numberOf(child.source, child.role, child.name)}`;
          if (child.role === "iframe") frames.push({ ref: child.ref });
        }
        giveRefs(child);
      }
    };
    giveRefs(walked.root);
    return {
      found: true,
      root: withoutSources(walked.root),
      frames,
      cutBy: walked.cutBy,
      tooDeep: walked.tooDeep,
      elementCount: walked.elementCount,
    };
  }

  #locate(ref: number): PageCalls["locate"]["output"] {
    this.#changes.catchUp();
    const found = this.#refs.find(ref);
    if (found.kind === "unknown") return { kind: "unknown" };
    const { role, name } = found;
    if (found.kind === "gone") return { kind: "gone", role, name };
    const { element } = found;
    const now = currentRoleAndName(element);
    if (now.role !== role || (name !== "" && now.name !== name)) {
      return { kind: "changed", role, name, nowRole: now.role, nowName: now.name };
    }
    const xpath = xpathOf(element);
    if (xpath !== null) return { kind: "found", role, name, xpath, mutations: this.#changes.mutationCount };
    // Inside of a shadow root only a mark on the element itself can be found from outside; it is gone a moment later.
    const mark = `sp-${crypto.getRandomValues(new Uint32Array(2)).join("-")}`;
    Element.prototype.setAttribute.call(element, mark, "");
    return { kind: "marked", role, name, mark };
  }

  #isAsItWas(mutations: number): boolean {
    this.#changes.catchUp();
    return this.#changes.mutationCount === mutations;
  }

  #boxes(): PageCalls["boxes"]["output"] {
    const boxes: PageCalls["boxes"]["output"] = [];
    for (const { number, element } of this.#refs.living()) {
      const { x, y, width, height } = rectOf(element);
      if (width <= 0 || height <= 0 || x + width <= 0 || y + height <= 0) continue;
      if (x >= innerWidth || y >= innerHeight) continue;
      boxes.push({ ref: number, x, y, width, height });
    }
    return boxes;
  }
}

function startElement(selector: string | undefined): Element | null {
  if (selector !== undefined) return queryDocument(document, selector);
  return bodyOf(document) ?? documentElementOf(document);
}

function currentRoleAndName(element: Element): { role: string; name: string } {
  const generated = new Generated();
  generated.addRoot(document);
  const names = new NamePass(new LookPass(generated), roleOf, true);
  const tag = element.localName;
  if (tag === "iframe" || tag === "frame") return { role: "iframe", name: "" };
  const role = roleOf(element) ?? "generic";
  return { role, name: role === "generic" ? "" : names.nameOf(element).text.replace(/\s+/g, " ").trim() };
}

/** Elements stay here; the rest can be sent. */
function withoutSources(node: PageNode): SnapNode {
  const { source: _, isNameFromContent: __, isInNames: ___, children, ...rest } = node;
  return {
    ...rest,
    children: children.map((child) => (typeof child === "string" ? child : withoutSources(child))),
  };
}

function secretValues(): string[] {
  const values: string[] = [];
  for (const element of queryAllInDocument(document, "input")) {
    if (element instanceof HTMLInputElement && element.value !== "" && isOneTimeCode(element))
      values.push(element.value);
  }
  return values;
}

function unmark(mark: string): Record<string, never> {
  const roots: (Document | ShadowRoot)[] = [document];
  for (const root of roots) {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot !== null) roots.push(element.shadowRoot);
      Element.prototype.removeAttribute.call(element, mark);
    }
  }
  return {};
}

/** Called once per document with what makes its refs its own. */
const start = (documentId: string, lastRef: number): ((name: string, argument: string) => string) => {
  const engine = new PageEngine(documentId, lastRef);
  const call = (name: string, argument: string): string => engine.call(name, argument);
  // Frames are entered through their elements, which only an object reference can name.
  return Object.assign(call, { elementOf: (ref: number): Element | null => engine.elementOf(ref) });
};

Object.assign(globalThis, { sallyportPage: { start } });
