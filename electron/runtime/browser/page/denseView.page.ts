/** Dense snapshots of one document, and what each viewer has seen of it. */

import { type DensePrint, printDense } from "../../../../shared/browser/snapshot/dense.ts";
import { type ControlsPrint, printControls } from "../../../../shared/browser/snapshot/denseControls.ts";
import { diffLines } from "../../../../shared/browser/snapshot/denseDiff.ts";
import { createPrintCache, type PrintCache } from "../../../../shared/browser/snapshot/densePrintCache.ts";
import type { Changes } from "./changes.page.ts";
import { bodyOf, documentElementOf, queryDocument } from "./dom.page.ts";
import type { DenseInput, DenseReply } from "./pageProtocol.ts";
import type { Refs } from "./refs.page.ts";
import { type PageNode, type Walked, walkPage } from "./tree.page.ts";

const MAX_VIEWERS = 8;

type Print = DensePrint | ControlsPrint;
type WalkFacts = Omit<Walked, "root">;

function withoutRoot({ elementCount, cutBy, tooDeep }: Walked): WalkFacts {
  return { elementCount, cutBy, tooDeep };
}

export class DenseView {
  readonly #documentId: string;
  readonly #refs: Refs;
  readonly #changes: Changes;
  /** Lines by viewer and by what was asked for. */
  readonly #seen = new Map<string, string[]>();
  /** The last print, good until something changes. */
  #last: { key: string; version: number; print: Print; walked: WalkFacts; mark: string } | null = null;
  #prints = 0;
  readonly #caches = { plain: createPrintCache<Element>(), withUrls: createPrintCache<Element>() };

  /** @param documentId keeps marks of one document from being taken for those of another */
  constructor(documentId: string, refs: Refs, changes: Changes) {
    this.#documentId = documentId;
    this.#refs = refs;
    this.#changes = changes;
  }

  take(input: DenseInput): DenseReply {
    const start =
      input.selector === undefined
        ? (bodyOf(document) ?? documentElementOf(document))
        : queryDocument(document, input.selector);
    if (start === null) return { found: false };
    const key = JSON.stringify([
      input.selector,
      input.maxDepth,
      input.urls,
      input.interactive,
      input.masks,
      input.prefix,
    ]);
    const known = this.#last;
    const isKnown = (version: number) =>
      input.selector === undefined && known?.key === key && known.version === version;
    const options = {
      sees: "all",
      masks: input.masks,
      clickables: true,
      boxes: false,
      ...(input.selector === undefined ? { changes: this.#changes } : {}),
    } as const;
    const walked = walkPage(start, options, isKnown);
    if (walked === null && known !== null) {
      if (known.mark === input.known && !input.incremental) {
        this.#remember(input, known.print.lines);
        return { found: true, extent: "known" };
      }
      return this.#reply(input, known.print, known.walked, known.mark);
    }
    const fresh = walked ?? walkPage(start, options);
    const print = this.#print(input, fresh.root);
    this.#prints += 1;
    const mark = input.selector === undefined ? `${this.#documentId} ${this.#prints}` : "";
    this.#last = { key, version: this.#changes.version, print, walked: withoutRoot(fresh), mark };
    return this.#reply(input, print, fresh, mark);
  }

  #print(input: DenseInput, root: PageNode): Print {
    const options = {
      prefix: input.prefix,
      urls: input.urls,
      ...(input.maxDepth === undefined ? {} : { maxDepth: input.maxDepth }),
      numberOf: (node: PageNode) =>
        node.source === undefined ? 0 : this.#refs.numberOf(node.source, node.role, node.name),
      ...(input.selector === undefined ? { cache: this.#cacheFor(input) } : {}),
    };
    return input.interactive ? printControls(root, options) : printDense(root, options);
  }

  #reply(input: DenseInput, print: Print, walked: WalkFacts, mark: string): DenseReply {
    const { lines } = print;
    const whole = "short" in print ? print.short : lines;
    const reply = {
      found: true as const,
      frames: print.frames,
      cutBy: walked.cutBy,
      tooDeep: walked.tooDeep,
      elementCount: walked.elementCount,
      omittedByDepth: print.omittedByDepth,
    };
    const before = this.#remember(input, lines);
    if (!input.incremental || before === undefined) {
      return { ...reply, mark, extent: "full", lines: whole, refs: packRefs(print.refs) };
    }
    const changes = diffLines(before, lines);
    const shown = new Set(
      changes.flatMap((line) => [...line.matchAll(/e(\d+)/g)].map((match) => Number(match[1]))),
    );
    const refs = packRefs(print.refs.filter(([number]) => shown.has(number)));
    return {
      ...reply,
      mark: "",
      extent: changes.length === 0 ? "unchanged" : "changes",
      lines: changes,
      refs,
    };
  }

  #cacheFor(input: DenseInput): PrintCache<Element> {
    return input.urls ? this.#caches.withUrls : this.#caches.plain;
  }

  #remember(input: DenseInput, lines: string[]): string[] | undefined {
    if (input.viewer === undefined) return undefined;
    const key = JSON.stringify([input.viewer, input.selector, input.maxDepth, input.urls, input.interactive]);
    const before = this.#seen.get(key);
    this.#seen.delete(key);
    this.#seen.set(key, lines);
    const oldest = this.#seen.keys().next().value;
    if (this.#seen.size > MAX_VIEWERS && oldest !== undefined) this.#seen.delete(oldest);
    return before;
  }
}

function packRefs(refs: readonly (readonly [number, string, string])[]): string {
  return refs.map(([number, role, name]) => `${number}\t${role}\t${name}`).join("\n");
}
