// The frame of every page. Pages speak Thai first, with English below or beside it.

import { asText, type Html, html, trusted } from "./html.ts";
import { stylesheet } from "./stylesheet.ts";

/** The same in both languages. */
export type Words = Readonly<{ th: string | Html; en: string | Html }>;

export type Page = Readonly<{
  title: Readonly<{ th: string; en: string }>;
  /** Shown above the content; pages that know of no brand show the mark alone. */
  brand?: string;
  content: Html;
  /** For lists. */
  wide?: boolean;
}>;

/** A whole document. */
export function renderPage({ title, brand = "", content, wide = false }: Page): string {
  return asText(html`<!doctype html>
<html lang="th">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title.th} · ${title.en}${brand && ` – ${displayName(brand)}`}</title>
<link rel="icon" href="${icon}">
<style>${trusted(stylesheet)}</style>
</head>
<body>
<main${wide && html` class="wide"`}>
<div class="brand">${mark} <span>${displayName(brand)}</span></div>
${content}
</main>
</body>
</html>
`);
}

/** Thai, then English on a line of its own or beside it, as the style sheet says. */
export function inBoth({ th, en }: Words): Html {
  return html`${th} <span lang="en">${en}</span>`;
}

/** A name that somebody else chose: it can't turn the direction of the text around it. */
export function foreign(name: string): Html {
  return html`<bdi>${name}</bdi>`;
}

function displayName(brand: string): string {
  return brand.charAt(0).toUpperCase() + brand.slice(1);
}

const heart =
  "M12 21C5.5 16.2 2 12.6 2 8.4 2 5.4 4.3 3 7.2 3 9.1 3 10.9 4 12 5.6 13.1 4 14.9 3 16.8 3 19.7 3 22 5.4 22 8.4 22 12.6 18.5 16.2 12 21z";
const mark = html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${heart}"/></svg>`;
const icon = `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill="#d6336c" d="${heart}"/></svg>`)}`;
