// The frame of every page of the documentation: bar, navigation, content, table of contents. It is in the reader's language; what it
// frames may be in another one.

import { asText, type Html, html, htmlFor } from "../ui/html.ts";
import { type Bilingual, bilingual, brandMark, favicon, languageSwitch } from "../ui/layout.ts";
import type { Language } from "../ui/reader.ts";
import type { Heading } from "./markdown.ts";

export type NavigationEntry = Readonly<{
  /** As links write it; "." is the overview. */
  href: string;
  /** In `language`, or in both. */
  title: string | Bilingual;
  language?: Language;
}>;

export type DocsPage = Readonly<{
  brand: string;
  title: string;
  description: string;
  /** Of title and content. */
  language: Language;
  /** The address of this page as links write it; null for the page of unknown paths. */
  href: string | null;
  navigation: readonly NavigationEntry[];
  content: Html;
  /** The headings of the content, for the table of contents. */
  headings?: readonly Heading[];
  /** Address of the page as Markdown. */
  markdown?: string;
  /** A script that is no module, below assets/, which runs before `scripts`. */
  program?: string;
  /** Modules and style sheets of this page, below assets/. */
  scripts?: readonly string[];
  styles?: readonly string[];
  /** Whether the content has its own landmarks and navigation and uses the whole width. */
  wide?: boolean;
  /** From the page to /docs/: "../" for pages that stand deeper. */
  root?: string;
  /** Whether the page has a search field of its own. */
  searches?: boolean;
}>;

/** Renders a whole HTML document. Its addresses are relative, so that it works behind a proxy with any path prefix. */
export function renderDocsPage(page: DocsPage): string {
  const { title, description, brand, wide, root = "", searches = false } = page;
  const { scripts = ["guide.js"], styles = ["guide.css", "code.css"] } = page;
  return asText(html`<!doctype html>
<html lang="${htmlFor(({ language }) => language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – ${brand} docs</title>
<script src="${root}assets/theme.js"></script>
<meta name="description" content="${description}">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${favicon}">
${["frame.css", ...styles].map((style) => html`<link rel="stylesheet" href="${root}assets/${style}">\n`)}${page.markdown && html`<link rel="alternate" type="text/markdown" href="${root}${page.markdown}">`}
${page.program && html`<script defer src="${root}assets/${page.program}"></script>\n`}${["frame.js", "search.js", ...scripts].map((script) => html`<script type="module" src="${root}assets/${script}"></script>\n`)}</head>
<body>
<a class="skip" href="#docs-content">${bilingual({ th: "ข้ามไปที่เนื้อหา", en: "Skip to content" })}</a>
${bar({ brand, root, searches, navigation: navigation(page, { th: "เมนูเอกสาร", en: "Documentation menu" }) })}
${wide ? wideContent(page) : columns(page)}
</body>
</html>
`);
}

function wideContent({ content, language }: DocsPage): Html {
  return html`<div id="docs-content" tabindex="-1"${langUnlessReaders(language)}>
${content}
</div>`;
}

function columns(page: DocsPage): Html {
  const { content, language, headings = [] } = page;
  const sections = headings.filter(({ level }) => level === 2 || level === 3);
  return html`<div class="columns">
<div class="side">
${navigation(page, { th: "เอกสาร", en: "Documentation" })}
</div>
<main id="docs-content" tabindex="-1">
${sections.length > 1 && html`<details class="contents"><summary>${onThisPage}</summary>${contents(page, sections, { th: "หัวข้อในหน้านี้ แบบพับ", en: "Sections, folded" })}</details>`}
${onlyInEnglish(language)}
<article${langUnlessReaders(language)}>
${content}
</article>
${neighbours(page)}
${footer(page)}
</main>
<div class="side right">
${sections.length > 1 && html`<p aria-hidden="true">${onThisPage}</p>${contents(page, sections, { th: "ในหน้านี้", en: "On this page" })}`}
</div>
</div>`;
}

function navigation({ navigation: entries, href, root = "" }: DocsPage, label: Bilingual): Html {
  const entry = (one: NavigationEntry) =>
    html`<li><a href="${root}${one.href}"${one.href === href && html` aria-current="page"`}${langUnlessReaders(one.language)}>${titleOf(one)}</a></li>\n`;
  return html`<nav class="places" aria-label="${bilingual(label)}"><ul>
${entries.map(entry)}</ul></nav>`;
}

const onThisPage = bilingual({ th: "ในหน้านี้", en: "On this page" });

function contents({ language }: DocsPage, sections: readonly Heading[], label: Bilingual): Html {
  const entry = ({ level, id, text }: Heading) => html`<li class="level-${level}"><a href="#${id}">${text}</a></li>\n`;
  return html`<nav class="places" aria-label="${bilingual(label)}"><ul${langUnlessReaders(language)}>
${sections.map(entry)}</ul></nav>`;
}

/** Links to the previous and the next page. */
function neighbours({ navigation: entries, href, root = "" }: DocsPage): Html | null {
  const here = entries.findIndex((entry) => entry.href === href);
  if (here === -1) return null;
  const link = (entry: NavigationEntry | undefined, relation: "prev" | "next", label: Bilingual) =>
    entry &&
    html`<a rel="${relation}" href="${root}${entry.href}"><small>${bilingual(label)}</small> <span${langUnlessReaders(entry.language)}>${titleOf(entry)}</span></a>`;
  return html`<nav class="neighbours" aria-label="${bilingual({ th: "หน้าก่อนและหน้าถัดไป", en: "Next and previous page" })}">
${link(entries[here - 1], "prev", { th: "ก่อนหน้า", en: "Previous" })}
${link(entries[here + 1], "next", { th: "ถัดไป", en: "Next" })}
</nav>`;
}

function footer({ markdown, root = "" }: DocsPage): Html {
  return html`<footer class="more">
${markdown && html`<a href="${root}${markdown}">${bilingual({ th: "หน้านี้เป็น Markdown", en: "This page as Markdown" })}</a>`}
<a href="${root}openapi.json">OpenAPI</a>
<a href="${root}../llms.txt">llms.txt</a>
</footer>`;
}

function onlyInEnglish(language: Language): Html {
  return htmlFor((reader) => reader.language === "th" && language === "en" && html`<p class="only">หน้านี้มีเฉพาะภาษาอังกฤษ</p>`);
}

function titleOf({ title }: NavigationEntry): string | Html {
  return typeof title === "string" ? title : bilingual(title);
}

/** The attribute that says that a part of the page is in another language than the page. */
function langUnlessReaders(language: Language | undefined): Html {
  return htmlFor((reader) => language && language !== reader.language && html` lang="${language}"`);
}

// The bar on top of every page of the documentation: search, studio, language, theme, menu.

type BarParts = Readonly<{
  brand: string;
  /** From the page to /docs/. */
  root: string;
  /** Whether the page has a search field of its own. */
  searches: boolean;
  navigation: Html;
}>;

function bar({ brand, root, searches, navigation }: BarParts): Html {
  const studio = html`<a class="studio" href="${root}../studio">${bilingual({ th: "สตูดิโอ", en: "Studio" })}</a>`;
  return html`<header class="bar">
<a class="home" href="${root}.">${brandMark(brand)} <span class="what">${bilingual({ th: "เอกสาร", en: "Docs" })}</span></a>
${!searches && searchForm(root)}
${studio}
<div class="extra">${languageSwitch}</div>
<a class="icon to-search" href="${root}search" aria-label="${bilingual({ th: "ค้นหา", en: "Search" })}">${glass}</a>
${themeButton}
<details class="menu">
<summary>${bilingual({ th: "เมนู", en: "Menu" })}</summary>
<div class="panel">
<div class="extra">${languageSwitch}</div>
${navigation}
</div>
</details>
</header>`;
}

const stroke = (path: string, name = "") =>
  html`<svg${name && html` class="${name}"`} viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" aria-hidden="true"><path d="${path}"/></svg>`;

const glass = stroke("M10.5 4a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13zM15.5 15.5 21 21");

const themes = {
  system: stroke("M4 5h16v11H4zM9 20h6M12 16v4", "system"),
  light: stroke(
    "M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6 19 19M5 19l1.4-1.4M17.6 6.4 19 5",
    "light",
  ),
  dark: stroke("M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z", "dark"),
};

/** Shown, named and made to work by scripts (page/theme.js, page/frame.js): without them the system's theme is used. */
const themeButton = html`<button class="icon theme" type="button" data-system="${bilingual({ th: "ธีม: ตามระบบ", en: "Theme: system" })}" data-light="${bilingual({ th: "ธีม: สว่าง", en: "Theme: light" })}" data-dark="${bilingual({ th: "ธีม: มืด", en: "Theme: dark" })}" aria-label="${bilingual({ th: "ธีม", en: "Theme" })}">${Object.values(themes)}</button>`;

/** Longer queries are not searched for. */
export const maxQueryLength = 100;

/** `root`: from the page to /docs/. */
export function searchForm(root: string, query = ""): Html {
  const label = bilingual({ th: "ค้นหาในเอกสาร", en: "Search the docs" });
  return html`<form class="search" role="search" action="${root}search">
<label class="unseen" for="query">${label}</label>
<input id="query" type="search" name="q" value="${query}" placeholder="${label}" maxlength="${maxQueryLength}" autocomplete="off" autocapitalize="none" spellcheck="false">
</form>`;
}
