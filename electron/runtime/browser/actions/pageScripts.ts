/** The few scripts that run inside pages, as source: this layer is compiled without the types of a page. */

import { inPage } from "./inPage.ts";

/** Who an element is, for one that was found by a selector. */
export const describeElement = inPage(`(element) => ({
  role: String(element.getAttribute("role") || element.tagName.toLowerCase()).slice(0, 40),
  name: String(element.getAttribute("aria-label") || element.innerText || "").trim().slice(0, 200),
})`);

export const tagNameOf = inPage(`(element) => String(element.tagName)`);

export const optionTexts = inPage(`(element) => Array.from(element.options || [])
  .slice(0, 500)
  .map((option) => String(option.label || option.value))`);

/** Whether what is typed into it must not be shown anywhere. */
export const isSecretField = inPage(`(element) => {
  const type = String(element.type || "").toLowerCase();
  const hint = String(element.autocomplete || "").toLowerCase();
  return type === "password" || /password|one-time-code|cc-number|cc-csc/.test(hint);
}`);

/**
 * What a click on this element would send and where to: the form it belongs to, with its fields. Null when it is no
 * control of a form. Secret values never leave the page.
 */
export const formOf = inPage(`(element) => {
  const form = element.form || (element.closest ? element.closest("form") : null);
  const link = element.closest ? element.closest("a[href]") : null;
  if (!form) return link ? { kind: "link", to: String(link.href).slice(0, 2000), fields: [] } : null;
  const fields = [];
  for (const field of Array.from(form.elements).slice(0, 60)) {
    const type = String(field.type || field.tagName).toLowerCase();
    if (type === "submit" || type === "button" || type === "reset" || type === "fieldset") continue;
    if ((type === "checkbox" || type === "radio") && !field.checked) continue;
    const hint = String(field.autocomplete || "").toLowerCase();
    const isSecret = type === "password" || /password|one-time-code|cc-number|cc-csc/.test(hint);
    const label = field.labels && field.labels[0] ? field.labels[0].innerText : field.name || field.id || type;
    const value = type === "file" ? Array.from(field.files || []).map((file) => file.name).join(", ") : String(field.value);
    if (value === "") continue;
    fields.push({
      label: String(label).trim().slice(0, 80),
      value: isSecret ? null : value.slice(0, 200),
      length: value.length,
    });
  }
  const to = element.formAction && element.hasAttribute("formaction") ? element.formAction : form.action;
  return { kind: "form", to: String(to).slice(0, 2000), method: String(form.method), fields };
}`);

/** Draws a frame around an element for a picture, and takes it away again. */
export const markElement = inPage(`(element) => {
  const before = element.style.outline;
  element.style.outline = "3px solid #ff4500";
  return before;
}`);
export const unmarkElement = inPage(`(element, before) => { element.style.outline = before; }`);

/** Resolves when the page has drawn what is due, or after a moment where nothing is drawn. */
export const nextPaint = inPage(`() => new Promise((resolve) => {
  setTimeout(resolve, 60);
  requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
})`);

export interface FormFacts {
  kind: "form" | "link";
  to: string;
  method?: string;
  /** `value` is null for a secret one. */
  fields: { label: string; value: string | null; length: number }[];
}
