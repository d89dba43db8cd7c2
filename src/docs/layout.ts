// The frame of every page of the documentation: bar, navigation, content, table of contents.

import { brandMark, icon } from "../ui/brand.ts";
import { asText, type Html, html } from "../ui/html.ts";
import type { Heading } from "./markdown.ts";

export type NavigationEntry = Readonly<{ /** As links write it; "." is the overview. */ href: string; title: string }>;

export type DocsPage = Readonly<{
  brand: string;
  title: string;
  description: string;
  /** The address of this page as links write it; null for the page of unknown paths. */
  href: string | null;
  navigation: readonly NavigationEntry[];
  content: Html;
  /** The headings of the content, for the table of contents. */
  headings?: readonly Heading[];
  /** Address of the page as Markdown. */
  markdown?: string;
  /** Scripts and style sheets of this page, below assets/. */
  scripts?: readonly string[];
  styles?: readonly string[];
  /** Whether the content has its own landmarks and navigation and uses the whole width. */
  wide?: boolean;
  /** From the page to /docs/: "../" for pages that stand deeper. */
  root?: string;
}>;

/** Renders a whole HTML document. Its addresses are relative, so that it works behind a proxy with any path prefix. */
export function renderDocsPage(page: DocsPage): string {
  const { brand, title, description, wide, root = "", scripts = ["guide.js"], styles = ["guide.css"] } = page;
  return asText(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – ${brand} docs</title>
<meta name="description" content="${description}">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${icon}">
${["frame.css", ...styles].map((style) => html`<link rel="stylesheet" href="${root}assets/${style}">\n`)}${page.markdown && html`<link rel="alternate" type="text/markdown" href="${root}${page.markdown}">`}
${scripts.map((script) => html`<script defer src="${root}assets/${script}"></script>\n`)}</head>
<body>
<a class="skip" href="#docs-content">Skip to content</a>
${bar(page)}
${wide ? wideContent(page) : columns(page)}
</body>
</html>
`);
}

function bar(page: DocsPage): Html {
  const { brand, root = "" } = page;
  return html`<header class="bar">
<a class="home" href="${root}.">${brandMark(brand)} <span class="what">Docs</span></a>
<a class="studio" href="${root}../studio">Studio</a>
<details class="menu">
<summary>Menu</summary>
${navigation(page, "Documentation menu")}
</details>
</header>`;
}

function wideContent({ content }: DocsPage): Html {
  return html`<div id="docs-content" tabindex="-1">
${content}
</div>`;
}

function columns(page: DocsPage): Html {
  const { content, headings = [] } = page;
  const sections = headings.filter(({ level }) => level === 2 || level === 3);
  return html`<div class="columns">
<div class="side">
${navigation(page, "Documentation")}
</div>
<main id="docs-content" tabindex="-1">
${sections.length > 1 && html`<details class="contents"><summary>On this page</summary>${contents(sections, "Sections, folded")}</details>`}
<article>
${content}
</article>
${neighbours(page)}
${footer(page)}
</main>
<div class="side right">
${sections.length > 1 && html`<p aria-hidden="true">On this page</p>${contents(sections, "On this page")}`}
</div>
</div>`;
}

function navigation({ navigation: entries, href, root = "" }: DocsPage, label: string): Html {
  const entry = (one: NavigationEntry) =>
    html`<li><a href="${root}${one.href}"${one.href === href && html` aria-current="page"`}>${one.title}</a></li>\n`;
  return html`<nav class="places" aria-label="${label}"><ul>
${entries.map(entry)}</ul></nav>`;
}

function contents(sections: readonly Heading[], label: string): Html {
  const entry = ({ level, id, text }: Heading) => html`<li class="level-${level}"><a href="#${id}">${text}</a></li>\n`;
  return html`<nav class="places" aria-label="${label}"><ul>
${sections.map(entry)}</ul></nav>`;
}

/** Links to the previous and the next page. */
function neighbours({ navigation: entries, href, root = "" }: DocsPage): Html | null {
  const here = entries.findIndex((entry) => entry.href === href);
  if (here === -1) return null;
  const link = (entry: NavigationEntry | undefined, relation: "prev" | "next", label: string) =>
    entry && html`<a rel="${relation}" href="${root}${entry.href}"><small>${label}</small> ${entry.title}</a>`;
  return html`<nav class="neighbours" aria-label="Next and previous page">
${link(entries[here - 1], "prev", "Previous")}
${link(entries[here + 1], "next", "Next")}
</nav>`;
}

function footer({ markdown, root = "" }: DocsPage): Html {
  return html`<footer class="more">
${markdown && html`<a href="${root}${markdown}">This page as Markdown</a>`}
<a href="${root}openapi.json">OpenAPI</a>
<a href="${root}../llms.txt">llms.txt</a>
</footer>`;
}
