// Texts of reports: numbers in words, the versions that every report names, and a small template language for HTML that escapes by default.

import contract from "../../../generated/openapi.json" with { type: "json" };
import project from "../../../package.json" with { type: "json" };

export const count = (value: number): string => value.toLocaleString("en");

export const plural = (value: number, one: string): string => `${count(value)} ${one}${value === 1 ? "" : "s"}`;

// The versions that every report names.

export const versions = { contract: contract.info.version, suite: project.version };

// A small template language for report.html that escapes by default.

/** HTML that is safe to insert into other HTML. */
export type Markup = { readonly html: string; toString: () => string };

type Part = Markup | string | number | readonly Markup[];

/** Marks HTML as trusted; it is not escaped. */
export const raw = (html: string): Markup => ({ html, toString: () => html });

/** Template tag: escapes every value that is not Markup. */
export const markup = (texts: TemplateStringsArray, ...parts: readonly Part[]): Markup =>
  raw(texts.map((text, at) => text + (at < parts.length ? toHtml(parts[at] as Part) : "")).join(""));

/** Returns the markup if the condition is truthy, else nothing. */
export const when = (wanted: unknown, some: Markup): Markup => (wanted ? some : raw(""));

function toHtml(part: Part): string {
  if (typeof part === "string" || typeof part === "number") return escaped(String(part));
  return "html" in part ? part.html : part.map(({ html }) => html).join("");
}

const escaped = (text: string): string =>
  text.toWellFormed().replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
