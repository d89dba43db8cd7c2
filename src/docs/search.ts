// The search of the documentation: its page, and its index for the browser.

import { hash } from "node:crypto";
import { makeYield } from "../base/async.ts";
import type { StaticFile } from "../http/files.ts";
import { type Html, html } from "../ui/html.ts";
import { bilingual } from "../ui/layout.ts";
import { currentReader } from "../ui/reader.ts";
import type { Guide, Guides } from "./guides.ts";
import { maxQueryLength, searchForm } from "./layout.ts";
import { plainText, type Section, sectionsOf } from "./markdown.ts";
import { type Found, fold, type Piece, type Place, rank, show } from "./page/find.js";
import type { RenderPage } from "./pages.ts";
import { type Document, operationsOf } from "./published-contract.ts";
import { pageFile, textFile } from "./static-files.ts";

type Search = Readonly<{
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
export async function openSearch(given: Iterable<Place>, render: RenderPage): Promise<Search> {
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

// What a search of the documentation finds: sections of guides, operations, errors, and members of schemas.

/** The places in the order in which they stand when they are found equally well. Each is made when it is taken, because all of them take long. */
export function* placesOf(document: Document, guides: Guides): Generator<Place> {
  yield* operationPlaces(document);
  yield* errorPlaces(document);
  for (const place of guides.en.keys()) yield* guidePlaces(document, guides, place);
  yield* memberPlaces(document);
}

/** Each section of the guide; an error is found by its own place. The changelog is not searched. */
function guidePlaces({ "x-problems": problems }: Document, { en, th }: Guides, place: number): Place[] {
  const guide = en[place] as Guide;
  if (guide.slug === "changelog") return [];
  const translation = th[place] === guide ? null : translated(th[place] as Guide);
  return sectionsOf(guide.markdown).flatMap(({ id, title, text }, number): Place[] => {
    if (guide.slug === "errors" && Object.hasOwn(problems, id)) return [];
    const page = guide.slug === "index" ? "." : guide.slug;
    const href = number === 0 ? page : `${page}#${id}`;
    return [
      {
        kind: "guide",
        href,
        title,
        within: number === 0 ? "" : guide.title,
        text,
        ...(translation && { th: translation[number] as NonNullable<Place["th"]> }),
      },
    ];
  });
}

function translated(guide: Guide): Place["th"][] {
  return sectionsOf(guide.markdown).map(({ title, text }: Section, number) => ({ title, within: number === 0 ? "" : guide.title, text }));
}

function operationPlaces(document: Document): Place[] {
  return operationsOf(document).map(({ operationId, method, path, tags: [tag = ""], summary, description = "" }) => ({
    kind: "operation",
    href: `reference#tag/${tag.toLowerCase().replaceAll(" ", "-")}/${method}${path}`,
    title: operationId,
    within: `${method} ${path}`,
    text: plainText(`${summary}. ${description}`),
  }));
}

function errorPlaces({ "x-problems": problems }: Document): Place[] {
  return Object.entries(problems).map(([code, { status, title, when, remedy }]) => ({
    kind: "error",
    href: `errors#${code}`,
    title: code,
    within: `${status} ${title}`,
    text: plainText(`${when} ${remedy}`),
  }));
}

type WithMembers = { properties?: Record<string, { description?: string }> };

/** Members that have a description. Those of problems are the same for each error. */
function* memberPlaces({ components: { schemas } }: Document): Generator<Place> {
  for (const [schema, { properties = {} }] of Object.entries(schemas as Record<string, WithMembers>)) {
    if (schema.endsWith("Problem")) continue;
    for (const [name, { description }] of Object.entries(properties))
      if (description)
        yield { kind: "member", href: `reference#models/${schema}`, title: name, within: schema, text: plainText(description) };
  }
}
