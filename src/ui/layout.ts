// The frame of every page, in Thai or in English: logo and name, the switch of the language, and the page that shows an error.

import { asText, type Html, html, htmlFor, trusted } from "./html.ts";
import type { Language } from "./reader.ts";
import { stylesheet } from "./stylesheet.ts";

/** A text without markup in Thai and English. */
export type Words = Readonly<{ th: string; en: string }>;

/** A text in Thai and English. */
export type Bilingual = Readonly<{ th: string | Html; en: string | Html }>;

type Page = Readonly<{
  title: Words;
  /** Shown above the content; a page without a brand shows only the logo. */
  brand?: string;
  content: Html;
  /** Brand, navigation and account of a streamer's page, beside its content. The page is wide when it has one. */
  frame?: Html;
  /** Address of a script file of this server. */
  script?: string;
  /** A narrow, dark page without logo and header. */
  isDock?: boolean;
}>;

/** Renders a whole HTML document in the language of the current reader. */
export function renderPage({ title, brand = "", content, frame, script, isDock = false }: Page): string {
  return asText(html`<!doctype html>
<html lang="${htmlFor(({ language }) => language)}"${htmlFor(({ theme }) => theme && html` data-theme="${theme}"`)}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${bilingual(title)}${brand && ` – ${displayName(brand)}`}</title>
<link rel="icon" href="${favicon}">
<style>${trusted(stylesheet)}</style>
${script && html`<script src="${script}" defer></script>`}
</head>
${frame ? framed(frame, content) : isDock ? html`<body class="dock" data-theme="dark"><main>${content}</main>` : narrowMain(content, brand)}
</body>
</html>
`);
}

function narrowMain(content: Html, brand: string): Html {
  return html`<body><main>
<div class="top">
${brandMark(brand)}
${languageSwitch}
</div>
${content}
</main>`;
}

function framed(frame: Html, content: Html): Html {
  return html`<body class="framed">
<a class="skip" href="#content">${bilingual({ th: "ข้ามไปที่เนื้อหา", en: "Skip to content" })}</a>
<header>
${frame}
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

/** `href`: where it leads to. */
export function brandMark(brand: string, href?: string): Html {
  const content = html`${mark} <span>${displayName(brand)}</span>`;
  return href === undefined ? html`<div class="brand">${content}</div>` : html`<a class="brand" href="${href}">${content}</a>`;
}

export function displayName(brand: string): string {
  return brand.charAt(0).toUpperCase() + brand.slice(1);
}

const heart =
  "M12 21C5.5 16.2 2 12.6 2 8.4 2 5.4 4.3 3 7.2 3 9.1 3 10.9 4 12 5.6 13.1 4 14.9 3 16.8 3 19.7 3 22 5.4 22 8.4 22 12.6 18.5 16.2 12 21z";

const mark = html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${heart}"/></svg>`;

/** The icon of the site as a data: URL. */
export const favicon = `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill="#d6336c" d="${heart}"/></svg>`)}`;

/** The paths that the switches of language and theme post to. */
export const languagePath = "/language";
export const themePath = "/theme";

/** Languages by the names that their readers know them by. */
const names: Record<Language, string> = { th: "ไทย", en: "English" };

export const languageSwitch: Html = htmlFor(({ language, switches: at }) => {
  if (at === null) return null;
  const other: Language = language === "th" ? "en" : "th";
  return html`<form class="language" method="post" action="${at.path(languagePath)}">
<input type="hidden" name="back" value="${at.back}">
<button class="quiet" name="language" value="${other}" lang="${other}">${names[other]}</button>
</form>`;
});

const themeNames = {
  light: { th: "สว่าง", en: "Light" },
  dark: { th: "มืด", en: "Dark" },
  system: { th: "ตามระบบ", en: "System" },
} as const;

/** The choice of light colours, dark ones, or those of the system. */
export const themeSwitch: Html = htmlFor(({ theme, switches: at }) => {
  if (at === null) return null;
  const choice = ([name, words]: [string, Bilingual]) =>
    html`<button name="theme" value="${name}" aria-pressed="${String(name === (theme ?? "system"))}">${bilingual(words)}</button>`;
  return html`<form class="choices" method="post" action="${at.path(themePath)}">
<input type="hidden" name="back" value="${at.back}">
${Object.entries(themeNames).map(choice)}
</form>`;
});

type ErrorPage = Readonly<{
  title: Words;
  /** What the visitor can do. */
  advice: Bilingual;
  /** For the developer of an application, in English; never internal details. */
  detail?: string;
  requestId?: string;
  brand?: string;
}>;

export function errorPage({ title, advice, detail, requestId, brand }: ErrorPage): string {
  const small =
    (detail || requestId) &&
    html`<div class="details note" lang="en">
${detail && html`<p>${detail}</p>`}
${requestId && html`<p>Request ${requestId}</p>`}
</div>`;
  return renderPage({
    title,
    ...(brand && { brand }),
    content: html`<h1>${bilingual(title)}</h1>
<p>${bilingual(advice)}</p>
${small}`,
  });
}
