// The search of the documentation: its page, and its index for the browser.

import { hash } from "node:crypto";
import { makeYield } from "../base/async.ts";
import type { StaticFile } from "../http/files.ts";
import { type Html, html } from "../ui/html.ts";
import { bilingual } from "../ui/layout.ts";
import { currentReader } from "../ui/reader.ts";
import { type Found, fold, type Piece, type Place, rank, show } from "./page/find.js";
import type { Pages } from "./pages.ts";
import { maxQueryLength, searchForm } from "./search-form.ts";
import { pageFile, textFile } from "./static-files.ts";

export type Search = Readonly<{
  /** The page for the text after the question mark of its address. */
  page: (query: string) => StaticFile;
  /** The file of a path; undefined when it is not of the search. */
  file: (path: string) => StaticFile | undefined;
}>;

type Index = Readonly<{ places: readonly Place[]; name: string; file: StaticFile }>;

const folder = "/docs/assets/";

/** Where the browser finds the index: a redirect to an address that changes with the content. */
const indexPath = `${folder}search.json`;

const maxShown = 40;

/** Takes the places one by one and lets the event loop serve others in between. */
export async function openSearch(given: Iterable<Place>, { render }: Pick<Pages, "render">): Promise<Search> {
  const letOthers = makeYield();
  const taken: Place[] = [];
  for (const place of given) {
    fold(place);
    taken.push(place);
    await letOthers();
  }
  const { places, name, file } = makeIndex(taken);
  return {
    page: (query) => {
      const words = (new URLSearchParams(query).get("q") ?? "").trim();
      const found = words.length > maxQueryLength ? null : search(places, words);
      return { ...pageFile(render(searchPage(words, found), "search", query && `?${query}`)), isMadeForRequest: true };
    },
    file: (path) => {
      if (path === indexPath) return { location: name, isTemporary: true };
      return path === folder + name ? file : undefined;
    },
  };
}

function makeIndex(places: readonly Place[]): Index {
  const text = JSON.stringify(places);
  const file = { ...textFile("application/json", text), cache: "immutable" } as StaticFile;
  return { places, name: `search-${hash("sha256", text, "hex").slice(0, 16)}.json`, file };
}

/** The first of what is found, and how much that is: an excerpt of each place takes longer than finding it. */
type Result = Readonly<{ count: number; shown: readonly Found[] }>;

function search(places: readonly Place[], words: string): Result {
  const { language } = currentReader();
  const ranked = rank(places, words);
  return { count: ranked.length, shown: ranked.slice(0, maxShown).map((place) => show(place, words, language)) };
}

function searchPage(words: string, found: Result | null) {
  const { language } = currentReader();
  const heading = { th: "ค้นหาในเอกสาร", en: "Search the docs" };
  const content = html`<h1>${bilingual(heading)}</h1>
${searchForm("", words)}
<p class="count" role="status">${found === null ? tooLong : words !== "" && count(found.count)}</p>
<ul class="found">
${found?.shown.map(entry)}</ul>`;
  const title = words === "" ? heading[language] : `${words} – ${heading[language]}`;
  return { content, language, title, description: heading[language], href: null, searches: true, styles: ["guide.css"], scripts: [] };
}

const tooLong = bilingual({
  th: `คำค้นยาวได้ไม่เกิน ${maxQueryLength} ตัวอักษร`,
  en: `A search takes at most ${maxQueryLength} characters.`,
});

function count(found: number): Html {
  const shown = Math.min(found, maxShown);
  if (found === 0) return bilingual({ th: "ไม่พบผลลัพธ์", en: "Nothing found." });
  if (shown < found)
    return bilingual({ th: `${found} ผลลัพธ์ แสดง ${shown} รายการแรก`, en: `${found} results, of which the first ${shown} are shown` });
  return bilingual({ th: `${found} ผลลัพธ์`, en: found === 1 ? "1 result" : `${found} results` });
}

/** As page/search.js writes it. */
function entry({ href, title, within, excerpt, language }: Found): Html {
  const lang = language !== currentReader().language && html` lang="${language}"`;
  return html`<li><a href="${href}"${lang}><strong>${title.map(piece)}</strong> <small>${within}</small> <span>${excerpt.map(piece)}</span></a></li>\n`;
}

function piece({ text, isMatch }: Piece): Html | string {
  return isMatch ? html`<mark>${text}</mark>` : text;
}
