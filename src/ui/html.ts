// HTML from template literals: every value is escaped, except the result of another template.

const markup = Symbol("markup");

/** HTML that `html` or `trusted` made. The symbol keeps other objects from being rendered as HTML. */
export type Html = Readonly<{ [markup]: string }>;

type Value = Html | string | number | null | false | undefined | readonly Value[];

/** Attributes must be quoted in the template. null, undefined and false render nothing. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  return { [markup]: strings.reduce((text, piece, i) => text + show(values[i - 1]) + piece) };
}

/** The text of the HTML, for the response. */
export function asText(piece: Html): string {
  return piece[markup];
}

/** Marks text of this program that is HTML already, such as a style sheet. */
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
