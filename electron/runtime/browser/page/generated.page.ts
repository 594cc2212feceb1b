/**
 * Text that style sheets put before and after elements. Asking every element for its two pseudo-elements would
 * double the cost of a walk, so the style sheets are read first: only elements that a rule with `content` matches
 * are asked.
 */

import { attributeOf, styleSheetsOf } from "./dom.page.ts";

/** What the style sheets of one root can do, as far as the walk cares. */
export interface StyleFacts {
  /** Selectors of elements with generated text, without their pseudo-element; null: unreadable sheets, ask everyone. */
  generatedBy: string[] | null;
  /** Looks may change without a change of the document: `:hover`, `:has`, container queries, unreadable sheets. */
  isVolatile: boolean;
  /** Rules counted, to notice sheets that scripts change. */
  ruleCount: number;
}

const pseudo = /::?(before|after)\b/;
/** Properties that make something appear or go. */
const shownBy = ["display", "visibility", "content", "content-visibility"];
/** Conditions that come and go without a mutation, or that look further than from parent to child. */
const dynamic =
  /:(hover|focus|active|target|checked|indeterminate|invalid|valid|user-|in-range|out-of-range|has|placeholder-shown|autofill|popover-open|modal|fullscreen|state)/;
const MAX_RULES = 50_000;

export function readStyleSheets(root: Document | ShadowRoot): StyleFacts {
  const facts: StyleFacts = { generatedBy: [], isVolatile: false, ruleCount: 0 };
  const sheets = [
    ...(root instanceof Document ? styleSheetsOf(root) : root.styleSheets),
    ...root.adoptedStyleSheets,
  ];
  for (const sheet of sheets) {
    let rules: CSSRuleList;
    try {
      rules = sheet.cssRules;
    } catch {
      // A sheet of another origin does not show its rules: nothing is known, so everything must be asked.
      facts.generatedBy = null;
      facts.isVolatile = true;
      continue;
    }
    readRules(rules, facts, "");
  }
  return facts;
}

function readRules(rules: CSSRuleList, facts: StyleFacts, parentSelector: string): void {
  for (let i = 0; i < rules.length; i += 1) {
    const rule = rules[i];
    if (rule === undefined) continue;
    facts.ruleCount += 1;
    if (facts.ruleCount > MAX_RULES) {
      facts.generatedBy = null;
      facts.isVolatile = true;
      return;
    }
    if (rule instanceof CSSStyleRule) {
      const selector = parentSelector === "" ? rule.selectorText : `${parentSelector} ${rule.selectorText}`;
      if (pseudo.test(selector) && rule.style.getPropertyValue("content") !== "") {
        addGenerated(facts, parentSelector === "" ? rule.selectorText : "*::before");
      }
      if (dynamic.test(selector) && shownBy.some((name) => rule.style.getPropertyValue(name) !== "")) {
        facts.isVolatile = true;
      }
      if (rule.cssRules.length > 0) readRules(rule.cssRules, facts, selector);
    } else if (rule instanceof CSSImportRule) {
      try {
        if (rule.styleSheet !== null) readRules(rule.styleSheet.cssRules, facts, "");
      } catch {
        // As above: an imported sheet of another origin.
        facts.generatedBy = null;
        facts.isVolatile = true;
      }
    } else if ("cssRules" in rule && rule.cssRules instanceof CSSRuleList) {
      if (rule.constructor.name === "CSSContainerRule") facts.isVolatile = true;
      if (!(rule instanceof CSSKeyframesRule)) readRules(rule.cssRules, facts, parentSelector);
    }
  }
}

function addGenerated(facts: StyleFacts, selectorText: string): void {
  if (facts.generatedBy === null) return;
  for (const part of selectorText.split(",")) {
    if (!pseudo.test(part)) continue;
    const base = part.replace(new RegExp(pseudo, "g"), "").trim();
    facts.generatedBy.push(base === "" || /[>+~]$/.test(base) ? `${base} *`.trim() : base);
  }
}

/** Generated text of one walk. */
export class Generated {
  readonly #facts = new Map<Document | ShadowRoot, StyleFacts>();
  readonly #elements = new Set<Element>();
  #asksEveryone = false;
  isVolatile = false;
  ruleCount = 0;

  /** Reads the sheets of a document or shadow root; once for each. */
  addRoot(root: Document | ShadowRoot): void {
    if (this.#facts.has(root)) return;
    const facts = readStyleSheets(root);
    this.#facts.set(root, facts);
    this.isVolatile ||= facts.isVolatile;
    this.ruleCount += facts.ruleCount;
    if (facts.generatedBy === null) this.#asksEveryone = true;
    else if (facts.generatedBy.length > 200) this.#asksEveryone = true;
    else {
      for (const selector of facts.generatedBy) {
        if (/:host|::slotted/.test(selector)) {
          this.#asksEveryone = true;
          continue;
        }
        try {
          const scope: ParentNode = root;
          const found =
            root instanceof Document
              ? Document.prototype.querySelectorAll.call(scope, selector)
              : DocumentFragment.prototype.querySelectorAll.call(scope, selector);
          for (const element of found) this.#elements.add(element);
        } catch {
          // A selector split inside a bracket is none; the elements it means are then found by asking all.
          this.#asksEveryone = true;
        }
      }
    }
  }

  /** @returns the text, with blanks around it where it is a block; empty when there is none */
  textOf(element: Element, which: "::before" | "::after"): string {
    if (!this.#asksEveryone && !this.#elements.has(element)) return "";
    const style = getComputedStyle(element, which);
    const content = style.content;
    if (content === "" || content === "none" || content === "normal") return "";
    if (style.display === "none" || style.visibility === "hidden") return "";
    const text = parseContent(element, content);
    return style.display === "inline" ? text : ` ${text} `;
  }
}

const contentPart = /\s*(?:"((?:[^"\\]|\\.)*)"|attr\(([\w-]+)\)|(\/))\s*/y;

/** Value of `content`: strings and `attr()`; the alternative after `/` wins; anything else has no text. */
function parseContent(element: Element, content: string): string {
  let text = "";
  contentPart.lastIndex = 0;
  while (contentPart.lastIndex < content.length) {
    const match = contentPart.exec(content);
    if (match === null) {
      // An image or a counter: only an alternative text behind `/` counts.
      const slash = content.indexOf("/", contentPart.lastIndex);
      if (slash === -1) return "";
      text = "";
      contentPart.lastIndex = slash + 1;
      continue;
    }
    if (match[3] !== undefined) text = "";
    else if (match[1] !== undefined) text += unescapeString(match[1]);
    else if (match[2] !== undefined) text += attributeOf(element, match[2]) ?? "";
  }
  return text;
}

function unescapeString(text: string): string {
  return text.replace(
    /\\(?:([0-9a-fA-F]{1,6})\s?|(.))/g,
    (_, hex: string | undefined, plain: string | undefined) => {
      if (hex === undefined) return plain ?? "";
      const code = Number.parseInt(hex, 16);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
    },
  );
}
