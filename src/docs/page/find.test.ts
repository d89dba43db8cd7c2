import { expect, test } from "vitest";
import { find, type Place } from "./find.js";

const place = (title: string, text = "", more: Partial<Place> = {}): Place => ({
  kind: "guide",
  href: title,
  title,
  within: "A guide",
  text,
  ...more,
});
const titles = (places: readonly Place[], query: string) => find(places, query, "en").map(({ href }) => href);
const matches = (pieces: readonly { text: string; isMatch: boolean }[]) => pieces.filter(({ isMatch }) => isMatch).map(({ text }) => text);

test("a search finds what has every word of the query, in any order and in any case", () => {
  const places = [place("Rate limits", "what a burst is"), place("Errors", "what a limit is"), place("Limits")];
  expect(titles(places, "WHAT limit")).toEqual(["Rate limits", "Errors"]);
  expect(titles(places, "burst nothing")).toEqual([]);
  expect(titles(places, "  ")).toEqual([]);
  expect(titles(places, "?!")).toEqual([]);
});

test("the whole title is found before a part of a title, and a title before a text", () => {
  const places = [place("Text", "about scopes"), place("All scopes"), place("scopes"), place("Microscopes")];
  expect(titles(places, "Scopes")).toEqual(["scopes", "All scopes", "Microscopes", "Text"]);
});

test("a guide, an operation and an error are found before a member of the same name", () =>
  expect(titles([place("a1", "", { kind: "member", title: "source" }), place("a2", "", { title: "source" })], "source")).toEqual([
    "a2",
    "a1",
  ]));

test("an English word is found in its other forms, after the word as it was typed", () => {
  const places = [place("b", "retry it"), place("a", "three retries")];
  expect(titles(places, "retries")).toEqual(["a", "b"]);
});

test("a Thai word is found inside of text without spaces, and so are Thai words that stand apart", () => {
  const places = [place("a", "ระบบจะบันทึกโดเนทของคุณ"), place("b", "โดเนทที่คุณบันทึก"), place("c", "อ่านโดเนท")];
  expect(titles(places, "โดเนท").sort()).toEqual(["a", "b", "c"]);
  expect(titles(places, "บันทึกโดเนท"), "first where they stand together").toEqual(["a", "b"]);
});

test("a Thai word that no dictionary has is found and marked as a whole", () => {
  const [found] = find([place("a", "รับโดเนทโดยไม่ใช้เงินสด")], "โดเนท", "en");
  expect(matches(found?.excerpt ?? [])).toEqual(["โดเนท"]);
  expect(titles([place("b", "โดยใช้เน็ต")], "โดเนท")).toEqual([]);
});

test("a section is found in both languages and shown in the reader's", () => {
  const places = [place("q", "Record a donation", { th: { title: "บันทึก", within: "เริ่มต้น", text: "บันทึกโดเนท" } })];
  expect(find(places, "donation", "th")).toMatchObject([{ language: "th", within: "เริ่มต้น", title: [{ text: "บันทึก" }] }]);
  expect(find(places, "โดเนท", "en")).toMatchObject([{ language: "en", title: [{ text: "q" }] }]);
});

test("what was found is marked in the title and in an excerpt around the first match", () => {
  const [found] = find([place("Send it again", `${"word ".repeat(60)}again (and again) ${"word ".repeat(60)}`)], "again", "en");
  expect(matches(found?.title ?? [])).toEqual(["again"]);
  expect(matches(found?.excerpt ?? [])).toEqual(["again", "again"]);
  const text = (found?.excerpt ?? []).map((piece) => piece.text).join("");
  expect(text).toMatch(/^… word .* word …$/);
  expect(text.length).toBeLessThan(200);
});

test("an excerpt of Thai separates no sign from its letter", () => {
  for (let before = 0; before < 40; before++) {
    const [found] = find([place("a", `${"ที่นี้".repeat(60)}${"ก".repeat(before)}ค้นหา${"ที่นี้".repeat(60)}`)], "ค้นหา", "en");
    const text = (found?.excerpt ?? []).map((piece) => piece.text).join("");
    expect(text.replaceAll(/[… ]/g, "")).toMatch(/^[^\p{M}]/u);
    expect(text.length).toBeLessThan(200);
  }
});

test("signs that mean something in a pattern are searched for as they are", () => {
  expect(titles([place("a", "f(x"), place("b", "fx")], "f(x")).toEqual(["a"]);
  expect(titles([place("a", "[a-z]")], "[a-z]")).toEqual(["a"]);
});
