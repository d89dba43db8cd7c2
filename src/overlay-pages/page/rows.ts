// Lists that keep the elements of unchanged rows, so that only new rows are animated.

import { element, wrappingText } from "./dom.ts";

export type Row = Readonly<{ id: string; parts: readonly HTMLElement[] }>;

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
