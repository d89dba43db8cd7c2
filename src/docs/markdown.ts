// Renders Markdown as HTML. Raw HTML is escaped, tables scroll on narrow screens, and headings link to themselves.

import MarkdownIt, { type Token } from "markdown-it";
import { asText, type Html, html, trusted } from "../ui/html.ts";

export type Heading = Readonly<{ level: number; id: string; text: string }>;

export type Rendered = Readonly<{ content: Html; headings: readonly Heading[] }>;

/** Renders a page; its headings have the ids that GitHub gives them. */
export function renderMarkdown(markdown: string): Rendered {
  const tokens = renderer.parse(withoutNotes(markdown), {});
  const headings = nameHeadings(tokens);
  return { content: trusted(renderer.renderer.render(tokens, renderer.options, {})), headings };
}

/** The text of a line of Markdown, without its markup. */
export function plainText(markdown: string): string {
  return renderer.parseInline(markdown, {}).map(textOf).join("");
}

/** Removes comments such as `<!-- prints: 201 -->`, which tell the test of the samples the expected output. */
function withoutNotes(markdown: string): string {
  return markdown.replaceAll(/^<!-- prints: .* -->\n/gm, "");
}

function nameHeadings(tokens: readonly Token[]): Heading[] {
  const name = slugger();
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
  rules.table_open = () => `<div class="scroll" tabindex="0" role="group" aria-label="Table">\n<table>\n`;
  rules.table_close = () => "</table>\n</div>\n";
  rules.fence = (tokens, index) => codeBlock(tokens[index] as Token);
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

/** Wide lines scroll, also by keyboard. The copy button comes from a script (page/guide.js). */
function codeBlock({ info, content }: Token): string {
  const language = info.trim();
  return asText(html`<div class="code"${language && html` data-language="${languages[language] ?? language}"`}>
<pre tabindex="0" role="group" aria-label="Code"><code>${content}</code></pre>
</div>
`);
}

const languages: Readonly<Record<string, string>> = {
  sh: "Shell",
  js: "Node.js",
  ts: "TypeScript",
  python: "Python",
  json: "JSON",
  http: "HTTP",
  html: "HTML",
  css: "CSS",
  text: "Text",
};
