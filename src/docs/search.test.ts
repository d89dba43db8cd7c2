import { expect, test } from "vitest";
import { readConfig } from "../config.ts";
import type { StaticFile } from "../http/files.ts";
import { problems } from "../http/problem.ts";
import { asText } from "../ui/html.ts";
import { writeFor } from "../ui/reader.ts";
import { docsFiles } from "./docs-files.ts";
import type { Place } from "./page/find.js";
import { operationsOf, readDocument } from "./published-contract.ts";
import { openSearch } from "./search.ts";

type Content = Extract<StaticFile, { body: Buffer }>;

const find = await docsFiles(readConfig({ BASE_URL: "https://donations.example/tips" }));
const indexName = (find("/docs/assets/search.json") as { location: string }).location;
const index = find(`/docs/assets/${indexName}`) as Content;
const places: Place[] = JSON.parse(index.body.toString());

const search = (query: string, language: "th" | "en" = "en") =>
  writeFor({ language }, () => (find("/docs/search", `q=${encodeURIComponent(query)}`) as Content).body.toString());
const linksIn = (page: string) => [...page.matchAll(/<li><a href="([^"]+)"(?: lang="en")?><strong>/g)].map(([, href]) => href);

test("the address of the index changes with its content, and it is kept for ever", () => {
  expect(indexName).toMatch(/^search-[0-9a-f]{16}\.json$/);
  expect(index).toMatchObject({ type: "application/json; charset=utf-8", cache: "immutable" });
  expect(find("/docs/assets/search-0000000000000000.json")).toMatchObject({ status: 404 });
});

test("the index has every operation, every error and every section of the guides, each under its own address", () => {
  const ofKind = (kind: Place["kind"]) => places.filter((place) => place.kind === kind).map(({ title }) => title);
  expect(ofKind("operation")).toEqual(operationsOf(readDocument()).map(({ operationId }) => operationId));
  expect(ofKind("error")).toEqual(Object.keys(problems));
  expect(ofKind("member")).toEqual(expect.arrayContaining(["donatorName", "idempotencyKey", "hasMore"]));
  expect(ofKind("guide")).toEqual(expect.arrayContaining(["Quickstart", "Take a donation back", "Verify a delivery"]));
  const sections = places.filter(({ kind }) => kind === "guide").map(({ href }) => href);
  expect(sections).toEqual([...new Set(sections)]);
});

test("each section and each error of the index is the address of an element that exists", () => {
  for (const { kind, href } of places) {
    if (kind === "operation" || kind === "member") continue;
    const [name = "", id] = href.split("#");
    const page = (find(`/docs/${name === "." ? "" : name}`) as Content).body.toString();
    if (id) expect(page, href).toContain(` id="${id}"`);
  }
});

test("the search page finds an operation, an error, a member and a section by their names, each first", () => {
  expect(linksIn(search("createDonation"))[0]).toBe("reference#tag/donations/POST/api/v1/donations");
  expect(linksIn(search("rate_limited"))[0]).toBe("errors#rate_limited");
  expect(linksIn(search("hasMore"))[0]).toMatch(/^reference#models\//);
  expect(linksIn(search("take a donation back"))[0]).toBe("quickstart#take-a-donation-back");
});

test("Thai words are found by readers of both languages", () => {
  for (const language of ["th", "en"] as const)
    expect(linksIn(search("ทำให้โดเนทเป็นโมฆะ", language))[0]).toBe("quickstart#take-a-donation-back");
  expect(search("โมฆะ", "th")).toContain("<strong>ทำให้โดเนทเป็น<mark>โมฆะ</mark></strong>");
});

test("a Thai word is found inside running text of guides in Thai, and marked in the excerpt", () => {
  expect(search("ยกเลิก", "th")).toMatch(/[ก-๛]<mark>ยกเลิก<\/mark>[ก-๛]/);
  expect(linksIn(search("ยกเลิก", "th"))).toEqual(expect.arrayContaining(["authentication#6-revoke", "studio#pages"]));
  expect(search("เสียงอ่าน", "th")).toMatch(/[ก-๛]<mark>เสียง<\/mark><mark>อ่าน<\/mark>[ก-๛]/);
  expect(linksIn(search("เสียงอ่าน", "th"))).toEqual(expect.arrayContaining(["overlay#settings", "overlay#the-overlay-key"]));
});

test("the search page is made for each request, and other pages are not", () => {
  expect(find("/docs/search", "q=key")).toMatchObject({ isMadeForRequest: true });
  expect(find("/docs/quickstart")).not.toHaveProperty("isMadeForRequest");
});

test("what was searched for is escaped in the search page, and stays in its field", () => {
  const page = search('"><script>alert(1)</script>');
  expect(page).not.toContain("<script>alert");
  expect(page).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"');
});

test("the search page says when nothing is found, and when the query is too long", () => {
  expect(search("nosuchword")).toContain('role="status">Nothing found.</p>');
  expect(search("x".repeat(101))).toContain("A search takes at most 100 characters.");
  expect(search("")).toContain('role="status"></p>');
});

test("a switch of the language leads back to the same search", () => {
  expect(search("a b")).toContain('name="back" value="/tips/docs/search?q=a%20b"');
});

test("a search reads again only the texts of the places that it shows", async () => {
  let reads = 0;
  const counted = (title: string): Place => ({
    ...{ kind: "guide", href: title, title, within: "" },
    get text() {
      reads += 1;
      return "a text that many places have";
    },
  });
  const many = Array.from({ length: 500 }, (_, place) => counted(`place ${place}`));
  const { page } = await openSearch(many, ({ content }) => asText(content));
  page("q=text");
  reads = 0;
  expect((page("q=text") as Content).body.toString()).toContain("500 ผลลัพธ์ แสดง 40 รายการแรก");
  expect(reads).toBeLessThanOrEqual(200);
});

test("others have their turn of the event loop between the places that an index is made of", async () => {
  let turns = 0;
  let counting = setImmediate(function count() {
    turns += 1;
    counting = setImmediate(count);
  });
  const seen: number[] = [];
  function* slowPlaces(): Generator<Place> {
    for (const title of ["a", "b", "c"]) {
      seen.push(turns);
      for (const began = performance.now(); performance.now() - began < 20; );
      yield { kind: "guide", href: title, title, within: "", text: "" };
    }
  }
  await openSearch(slowPlaces(), () => "");
  clearImmediate(counting);
  expect(seen).toEqual([...new Set(seen)]);
});
