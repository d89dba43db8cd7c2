// Finds, creates, fits and animates elements of our pages. Lists keep the elements of unchanged rows, so that only new rows are animated.

import { mayBreakAfter, mayBreakBefore, splitWords } from "../core/text.ts";

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

type Row = Readonly<{ id: string; parts: readonly HTMLElement[] }>;

/** Shows these rows in this order. New rows are animated, unless it is the `first` time. */
export function showRows(list: HTMLElement, rows: readonly Row[], first: boolean): void {
  const known = new Map([...list.children].map((row) => [(row as HTMLElement).dataset.id, row as HTMLElement]));
  const next = rows.map(({ id, parts }) => {
    const row = known.get(id) ?? element("li", first ? "" : "new");
    row.dataset.id = id;
    if (row.textContent !== parts.map(({ textContent }) => textContent).join("")) row.replaceChildren(...parts);
    return row;
  });
  for (const row of known.values()) if (!next.includes(row)) row.remove();
  for (const [index, row] of next.entries()) if (list.children[index] !== row) list.insertBefore(row, list.children[index] ?? null);
}

/** From the usual text to the smallest that is still read on a stream. */
const sizes = [1, 0.9, 0.8, 0.72, 0.65, 0.58, 0.52, 0.46];

/** Makes the text of the page smaller until its card and its shadow fit the source in OBS; messages lose their second line first. */
export function fitToPage(card: HTMLElement): void {
  const { style, classList } = document.documentElement;
  const shadow = () => Number.parseFloat(getComputedStyle(document.body).paddingBottom);
  const fits = () => card.getBoundingClientRect().bottom + shadow() <= innerHeight;
  classList.remove("tight");
  style.setProperty("--fit", "1");
  if (fits()) return;
  classList.add("tight");
  for (const size of sizes) {
    style.setProperty("--fit", String(size));
    if (fits()) return;
  }
}

/** A cell with a donator's text. */
export function userTextCell(tag: string, className: string, text: string): HTMLElement {
  const cell = element(tag, `foreign ${className}`);
  cell.replaceChildren(...wrappingText(text));
  cell.dir = "auto";
  return cell;
}

const durationMs = 900;
const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

/** Returns a function that shows the next value; with `atOnce`, without an animation. */
export function countingText(element: HTMLElement, format: (value: number) => string): (value: number, atOnce: boolean) => void {
  let shown = 0;
  let run = 0;
  const show = (value: number) => {
    shown = value;
    element.textContent = format(value);
  };
  return (value, atOnce) => {
    const ownRun = ++run;
    if (atOnce || value === shown || reducedMotion.matches || document.hidden) return show(value);
    const [from, begin] = [shown, performance.now()];
    const step = (now: number) => {
      if (ownRun !== run) return;
      const done = Math.min(1, Math.max(0, (now - begin) / durationMs));
      if (done === 1) return show(value);
      show(Math.round(from + (value - from) * (1 - (1 - done) ** 3)));
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  };
}
