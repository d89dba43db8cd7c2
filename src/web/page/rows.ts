// Lists that keep the elements of unchanged rows, so that only new rows are animated.

import { element } from "./dom.ts";

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

/** The number of rows by ?count=1 to 10; 5 by default. */
export function rowCount(query: URLSearchParams): number {
  const count = Number(query.get("count") ?? 5);
  return Number.isInteger(count) && count >= 1 && count <= 10 ? count : 5;
}

/** A cell with a donor's text. */
export function userTextCell(tag: string, className: string, text: string): HTMLElement {
  const cell = element(tag, `foreign ${className}`, text);
  cell.dir = "auto";
  return cell;
}
