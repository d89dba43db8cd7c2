// Arrays as PostgreSQL reads them. `pg` writes them as well, but looks at what each element is: that took twice as long for a batch.

type Element = string | number | boolean | null;

/** Elements that need no quotes: numbers, truth values, uuids. */
export function plainArray(elements: readonly Element[]): string {
  return `{${elements.map((element) => element ?? "NULL").join(",")}}`;
}

/** Any text; null stays null, and "NULL" a text. */
export function textArray(elements: readonly (string | null)[]): string {
  return `{${elements.map((element) => (element === null ? "NULL" : quoted(element))).join(",")}}`;
}

function quoted(text: string): string {
  return `"${/["\\]/.test(text) ? text.replace(/["\\]/g, "\\$&") : text}"`;
}
