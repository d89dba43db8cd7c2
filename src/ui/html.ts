// HTML from template literals: whatever is put into one is escaped, unless it came out of one.

const markup = Symbol("markup");

/** A piece of HTML that `html` made; nothing else can pass for one. */
export type Html = Readonly<{ [markup]: string }>;

type Value = Html | string | number | null | false | undefined | readonly Value[];

/** Attributes must be quoted in the template. null, undefined and false leave nothing behind. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  return { [markup]: strings.reduce((text, piece, i) => text + show(values[i - 1]) + piece) };
}

/** The text of a piece, for the wire. */
export function asText(piece: Html): string {
  return piece[markup];
}

/** Text that is HTML already and written in this program, such as a style sheet. */
export function trusted(text: string): Html {
  return { [markup]: text };
}

function show(value: Value): string {
  if (value === null || value === undefined || value === false) return "";
  if (typeof value === "string" || typeof value === "number") return escapeText(String(value));
  return isList(value) ? value.map(show).join("") : value[markup];
}

function isList(value: Html | readonly Value[]): value is readonly Value[] {
  return Array.isArray(value);
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? "");
}
