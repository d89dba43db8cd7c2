// The bar on top of every page of the documentation: search, studio, language, theme, menu.

import { type Html, html } from "../ui/html.ts";
import { bilingual, brandMark, languageSwitch } from "../ui/layout.ts";
import { searchForm } from "./search-form.ts";

export type BarParts = Readonly<{
  brand: string;
  /** From the page to /docs/. */
  root: string;
  /** Whether the page has a search field of its own. */
  searches: boolean;
  navigation: Html;
}>;

export function bar({ brand, root, searches, navigation }: BarParts): Html {
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
