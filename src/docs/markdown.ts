// Renders Markdown as HTML. Raw HTML is escaped, tables scroll on narrow screens, and headings link to themselves.

import MarkdownIt, { type Token } from "markdown-it";
import { asText, type Html, trusted } from "../ui/html.ts";
import { bilingual } from "../ui/layout.ts";
import { renderCode } from "./code.ts";

export type Heading = Readonly<{ level: number; id: string; text: string }>;

type Rendered = Readonly<{ content: Html; headings: readonly Heading[] }>;

/** Renders a page; its headings have these ids, by default those that GitHub gives them. Labels are in the reader's language. */
export function renderMarkdown(markdown: string, ids?: readonly string[]): Rendered {
  const tokens = renderer.parse(withoutNotes(markdown), {});
  const headings = nameHeadings(tokens, ids);
  return { content: trusted(renderer.renderer.render(tokens, renderer.options, {})), headings };
}

export function headingsOf(markdown: string): readonly Heading[] {
  return nameHeadings(renderer.parse(withoutNotes(markdown), {}));
}

/** A heading with the text below it, up to the next heading; code is left out. */
export type Section = Readonly<{ id: string; title: string; text: string }>;

export function sectionsOf(markdown: string): Section[] {
  const tokens = renderer.parse(withoutNotes(markdown), {});
  const starts = tokens.flatMap(({ type }, index) => (type === "heading_open" ? [index] : []));
  return nameHeadings(tokens).map(({ id, text: title }, number) => {
    const parts = tokens.slice((starts[number] ?? 0) + 3, starts[number + 1]).filter(({ type }) => type === "inline");
    return { id, title, text: parts.map(textOf).join(" ") };
  });
}

/** The text of a line of Markdown, without its markup. */
export function plainText(markdown: string): string {
  return renderer.parseInline(markdown, {}).map(textOf).join("");
}

/** Removes comments such as `<!-- prints: 201 -->`, which tell the test of the samples the expected output. */
function withoutNotes(markdown: string): string {
  return markdown.replaceAll(/^<!-- prints: .* -->\n/gm, "");
}

function nameHeadings(tokens: readonly Token[], ids: readonly string[] = []): Heading[] {
  const given = ids.values();
  const nameOf = slugger();
  const name = (text: string) => given.next().value ?? nameOf(text);
  return tokens.flatMap((token, index) => {
    const inline = tokens[index + 1];
    if (token.type !== "heading_open" || !inline) return [];
    const text = textOf(inline);
    const id = name(text);
    token.attrSet("id", id);
    return [{ level: Number(token.tag.slice(1)), id, text }];
  });
}

/** Names headings as GitHub does: `What to do?` → `what-to-do`, and `what-to-do-1` for the next of that name. */
export function slugger(): (text: string) => string {
  const seen = new Map<string, number>();
  return (text) => {
    const slug = text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, "")
      .replaceAll(" ", "-");
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  };
}

function textOf({ type, content, children }: Token): string {
  if (children) return children.map(textOf).join("");
  return type === "softbreak" ? " " : content;
}

const renderer = makeRenderer();

function makeRenderer() {
  const markdown = new MarkdownIt({ html: false });
  const { rules } = markdown.renderer;
  markdown.core.ruler.push("empty_corners", ({ tokens }) => emptyCorners(tokens));
  rules.table_open = () =>
    `<div class="scroll" tabindex="0" role="group" aria-label="${asText(bilingual({ th: "ตาราง", en: "Table" }))}">\n<table>\n`;
  rules.table_close = () => "</table>\n</div>\n";
  rules.fence = (tokens, index) => renderCode(tokens, index);
  rules.heading_open = (tokens, index) => {
    const { tag } = tokens[index] as Token;
    const id = tokens[index]?.attrGet("id") ?? "";
    return tag === "h1" ? `<h1 id="${id}">` : `<${tag} id="${id}"><a class="anchor" href="#${id}">`;
  };
  rules.heading_close = (tokens, index) => {
    const { tag } = tokens[index] as Token;
    return tag === "h1" ? "</h1>\n" : `</a></${tag}>\n`;
  };
  return markdown;
}

/** An empty cell in the head of a table heads nothing: a screen reader would announce it for each cell below. */
function emptyCorners(tokens: readonly Token[]): void {
  for (const [index, token] of tokens.entries()) {
    const [inline, close] = [tokens[index + 1], tokens[index + 2]];
    if (token.type === "th_open" && inline?.content === "" && close) token.tag = close.tag = "td";
  }
}
