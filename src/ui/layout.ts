// The frame of every page. Pages are in Thai or in English.

import { brandMark, displayName, icon } from "./brand.ts";
import { asText, type Html, html, htmlFor, trusted } from "./html.ts";
import { languageSwitch } from "./language-switch.ts";
import { stylesheet } from "./stylesheet.ts";

/** A text in Thai and English. */
export type Bilingual = Readonly<{ th: string | Html; en: string | Html }>;

export type Page = Readonly<{
  title: Readonly<{ th: string; en: string }>;
  /** Shown above the content; a page without a brand shows only the logo. */
  brand?: string;
  content: Html;
  /** Header across the page, with the account and the navigation. The page is wide when it has one. */
  head?: Html;
  /** Address of a script file of this server. */
  script?: string;
}>;

/** Renders a whole HTML document in the language of the current reader. */
export function renderPage({ title, brand = "", content, head, script }: Page): string {
  return asText(html`<!doctype html>
<html lang="${htmlFor(({ language }) => language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${bilingual(title)}${brand && ` – ${displayName(brand)}`}</title>
<link rel="icon" href="${icon}">
<style>${trusted(stylesheet)}</style>
${script && html`<script src="${script}" defer></script>`}
</head>
<body>
${
  head
    ? wideMain(head, content, brand)
    : html`<main>
<div class="top">
${brandMark(brand)}
${languageSwitch}
</div>
${content}
</main>`
}
</body>
</html>
`);
}

function wideMain(head: Html, content: Html, brand: string): Html {
  return html`<a class="skip" href="#content">${bilingual({ th: "ข้ามไปที่เนื้อหา", en: "Skip to content" })}</a>
<header>
${brandMark(brand)}
${languageSwitch}
${head}
</header>
<main class="broad" id="content">
${content}
</main>`;
}

/** The text in the reader's language, for the content of elements and for attributes. */
export function bilingual(text: Bilingual): Html {
  return htmlFor(({ language }) => text[language]);
}

/** A name that somebody else chose, isolated so that it cannot change the direction of the text around it. */
export function isolated(name: string): Html {
  return html`<bdi>${name}</bdi>`;
}
