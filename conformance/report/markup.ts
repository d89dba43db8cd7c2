/** HTML that is safe to put into other HTML. */
export type Markup = { readonly html: string; toString: () => string };

type Part = Markup | string | number | readonly Markup[];

/** HTML that is trusted as it stands. */
export const raw = (html: string): Markup => ({ html, toString: () => html });

/** A template in which every value that is no markup is escaped. */
export const markup = (texts: TemplateStringsArray, ...parts: readonly Part[]): Markup =>
  raw(texts.map((text, at) => text + (at < parts.length ? written(parts[at] as Part) : "")).join(""));

/** The markup, where there is something to say. */
export const when = (wanted: unknown, some: Markup): Markup => (wanted ? some : raw(""));

function written(part: Part): string {
  if (typeof part === "string" || typeof part === "number") return escaped(String(part));
  return "html" in part ? part.html : part.map(({ html }) => html).join("");
}

const escaped = (text: string): string =>
  text.toWellFormed().replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
