import fc from "fast-check";
import { expect, test } from "vitest";
import { cleanText, foldPart, foldText, jsonLine } from "./text.ts";

const asciiAndThai = fc.integer({ min: 0, max: 0xdf }).map((code) => String.fromCharCode(code < 0x80 ? code : 0xe00 + code - 0x80));
/** Marks that NFKC reorders or takes apart, and letters of others. */
const special = fc.constantFrom(...[..."\u0e33\u0e38\u0e39\u0e3a\u0e48\u0e49\u0e4a\u0e4b\u0e4d\u0e32", "ß", "ς", "é", "\u0301", "ﬁ"]);
const written = fc.string({ unit: fc.oneof(asciiAndThai, special), maxLength: 8 });

test("letters of ASCII and Thai are folded as Unicode's tables fold them", () => {
  const folded = (text: string) => text.normalize("NFKC").toLowerCase().toUpperCase().toLowerCase().normalize("NFKC");
  fc.assert(
    fc.property(written, (text) => {
      expect(foldText(text)).toBe(folded(text));
      expect(foldPart(text)).toBe(
        folded(text)
          .replaceAll("ς", "σ")
          .replace(/\u0e4d([\u0e48-\u0e4b])\u0e32/g, "$1\u0e4d\u0e32"),
      );
    }),
    { numRuns: 5_000 },
  );
});

test.each([
  ["Thai with all its marks", "กุ้งกี้ ปู่ย่า ฏุฎู้ ที่นี่ น้ำ เปล่า์", "กุ้งกี้ ปู่ย่า ฏุฎู้ ที่นี่ น้ำ เปล่า์"],
  ["markup, which is text", '<script>alert("1")</script> &amp;', '<script>alert("1")</script> &amp;'],
  ["emoji with joiners, selectors, skin and flags", "👨‍👩‍👧 ❤️‍🔥 👍🏽 🇹🇭 🏴󠁧󠁢󠁥󠁮󠁧󠁿 1️⃣", "👨‍👩‍👧 ❤️‍🔥 👍🏽 🇹🇭 🏴󠁧󠁢󠁥󠁮󠁧󠁿 1️⃣"],
  ["Arabic with vowels", "مُحَمَّدٌ", "مُحَمَّدٌ"],
  ["Vietnamese", "Nguyễn Thị Ngọc", "Nguyễn Thị Ngọc"],
])("cleanText keeps %s", (_title, text, shown) => {
  expect(cleanText(text)).toBe(shown.normalize("NFC"));
});

test.each([
  ["line breaks and tabs", " a\r\n\tb\u2028c\u0085d  ", "a b c d"],
  ["direction overrides and isolates", "\u202Ea\u2066b\u2069\u200Fc\u061C", "abc"],
  ["control characters", "a\u0000\u0007\u001B[31mb\u009F", "a[31mb"],
  ["invisible characters", "a\u00AD\u2060\uFEFFb\u{E0041}c", "abc"],
  ["blank letters", "a\u3164\u2800b", "a b"],
  ["repeated joiners", "a\u200B\u200B\u200Db", "a\u200Bb"],
  ["repeated marks", "ก้้้้้้", "ก้"],
  ["stacked marks", "z\u0301\u0302\u0303\u0304\u0305\u0306", "\u017A\u0302\u0303\u0304"],
  ["marks that joiners hold apart", "z\u0334\u200D\u0335\u200D\u0336\u200D\u0337\u200D\u0338", "z\u0334\u0335\u0336"],
])("cleanText removes %s", (_title, text, shown) => {
  expect(cleanText(text)).toBe(shown);
});

test.each(["", "   ", "\u3164", "\u200B\u200D", "\u0301\u0302", "\u202E\u2066"])(
  "a text without visible characters, %j, becomes empty",
  (text) => {
    expect(cleanText(text)).toBe("");
  },
);

test("a text that is too long is cut", () => {
  expect([...cleanText("🐱".repeat(100_000))].length).toBe(1_000);
});

test("JSON of any text is one line of printable characters, and means what it meant", () => {
  const ends = "\n\v\f\r\u001c\u001d\u001e\u0085\u2028\u2029";
  const line = jsonLine({ message: `a${ends}b "\\u2028"`, [ends]: 1 });
  expect(line).not.toMatch(/[\n\v\f\r\u001c-\u001e\u0085\u2028\u2029]/);
  expect(JSON.parse(line)).toEqual({ message: `a${ends}b "\\u2028"`, [ends]: 1 });
});
