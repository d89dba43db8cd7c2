// The frame of every page. Pages speak Thai first, with English below or beside it.

import { brandMark, displayName, icon } from "./brand.ts";
import { asText, type Html, html, trusted } from "./html.ts";
import { stylesheet } from "./stylesheet.ts";

/** The same in both languages. */
export type Words = Readonly<{ th: string | Html; en: string | Html }>;

export type Page = Readonly<{
  title: Readonly<{ th: string; en: string }>;
  /** Shown above the content; pages that know of no brand show the mark alone. */
  brand?: string;
  content: Html;
  /** Stands above the content, across the page, which is broad then: who is logged in, where else to go. */
  head?: Html;
  /** Address of a script file of ours. */
  script?: string;
}>;

/** A whole document. */
export function renderPage({ title, brand = "", content, head, script }: Page): string {
  return asText(html`<!doctype html>
<html lang="th">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title.th} · ${title.en}${brand && ` – ${displayName(brand)}`}</title>
<link rel="icon" href="${icon}">
<style>${trusted(stylesheet)}</style>
${script && html`<script src="${script}" defer></script>`}
</head>
<body>
${
  head
    ? broad(head, content, brand)
    : html`<main>
${brandMark(brand)}
${content}
</main>`
}
</body>
</html>
`);
}

function broad(head: Html, content: Html, brand: string): Html {
  return html`<a class="skip" href="#content">${inBoth({ th: "ข้ามไปที่เนื้อหา", en: "Skip to the content" })}</a>
<header>
${brandMark(brand)}
${head}
</header>
<main class="broad" id="content">
${content}
</main>`;
}

/** Thai, then English on a line of its own or beside it, as the style sheet says. */
export function inBoth({ th, en }: Words): Html {
  return html`${th} <span lang="en">${en}</span>`;
}

/** A name that somebody else chose: it can't turn the direction of the text around it. */
export function foreign(name: string): Html {
  return html`<bdi>${name}</bdi>`;
}
