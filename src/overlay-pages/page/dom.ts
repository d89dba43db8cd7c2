// Finds, creates and fits elements of our pages.

import { mayBreakAfter, mayBreakBefore, splitWords } from "../core/words.ts";

/** The element that the document names `data-part`. */
export function part(name: string): HTMLElement {
  const element = document.querySelector<HTMLElement>(`[data-part="${name}"]`);
  if (!element) throw new Error(`the page has no part ${name}`);
  return element;
}

/** Makes text smaller, step by step, until it fits its box. Returns how many pixels of it still do not fit. */
export function shrinkToFit(element: HTMLElement, sizes: readonly number[]): number {
  for (const size of sizes) {
    element.style.setProperty("--fit", String(size));
    if (hiddenHeight(element) <= 0 && element.scrollWidth <= element.clientWidth + 1) return 0;
  }
  return Math.max(0, hiddenHeight(element));
}

/** Tolerates 2 pixels, because marks may reach above and below a line. */
function hiddenHeight({ scrollHeight, clientHeight }: HTMLElement): number {
  return scrollHeight - clientHeight - 2;
}

/** Text that may take several lines: words that browsers would break in two are kept whole. */
export function wrappingText(text: string): (string | HTMLElement)[] {
  const pieces = splitWords(text);
  return pieces.flatMap((piece, place): (string | HTMLElement)[] => {
    if (place % 2 === 0) return piece === "" ? [] : [piece];
    const before = mayBreakAfter(pieces[place - 1] ?? "") ? [element("wbr", "")] : [];
    const after = mayBreakBefore(pieces[place + 1] || pieces[place + 2] || "") ? [element("wbr", "")] : [];
    return [...before, element("span", "whole", piece), ...after];
  });
}

/** A new element with text in it. */
export function element(tag: string, className: string, text = ""): HTMLElement {
  const created = document.createElement(tag);
  created.className = className;
  created.textContent = text;
  return created;
}
