// HTML from template literals: every value is escaped, except the result of another template. It becomes text for one reader, so that the
// parts of a page that are made before any request are in the language of each. And the form that posts to this server.

import { currentReader, type Reader } from "./reader.ts";

const markup = Symbol("markup");

/** HTML that `html` or `trusted` made. The symbol keeps other objects from being rendered as HTML. */
export type Html = Readonly<{ [markup]: (reader: Reader) => string }>;

type Value = Html | string | number | null | false | undefined | readonly Value[];

/** Attributes must be quoted in the template. null, undefined and false render nothing. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  return { [markup]: (reader) => strings.reduce((text, piece, i) => text + show(values[i - 1], reader) + piece) };
}

/** HTML that depends on who reads it. */
export function htmlFor(write: (reader: Reader) => Value): Html {
  return { [markup]: (reader) => show(write(reader), reader) };
}

/** The text of the HTML, for the response. */
export function asText(piece: Html): string {
  return piece[markup](currentReader());
}

/** Marks text of this program that is HTML already, such as a style sheet. */
export function trusted(text: string): Html {
  return { [markup]: () => text };
}

function show(value: Value, reader: Reader): string {
  if (value === null || value === undefined || value === false) return "";
  if (typeof value === "string" || typeof value === "number") return escapeText(String(value));
  return isList(value) ? value.map((one) => show(one, reader)).join("") : value[markup](reader);
}

function isList(value: Html | readonly Value[]): value is readonly Value[] {
  return Array.isArray(value);
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** The text as HTML shows it, between tags and in quoted attributes. */
export function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? "");
}

export type PostForm = Readonly<{
  action: string;
  formToken: string;
  /** The fields; a form with an id may have its buttons elsewhere in the page. */
  content?: Html;
  id?: string;
  /** For a form with a file. */
  multipart?: boolean;
}>;

export function postForm({ action, formToken, content, id, multipart = false }: PostForm): Html {
  return html`<form${id && html` id="${id}"`} method="post" action="${action}"${multipart && html` enctype="multipart/form-data"`}>
<input type="hidden" name="formToken" value="${formToken}">
${content}
</form>`;
}
