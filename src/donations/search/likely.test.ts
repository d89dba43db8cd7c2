import fc from "fast-check";
import { expect, test } from "vitest";
import { foldPart } from "../../base/text.ts";
import { boundQuery } from "../../db/batched-reads.ts";
import { useDatabase } from "../../db/testing.ts";
import { likelyBy } from "./likely.ts";

const database = useDatabase();

const everyLetter = Array.from({ length: 0x110000 }, (_, code) => code).filter((code) => code > 0 && (code < 0xd800 || code > 0xdfff));
const changed = everyLetter.map((code) => String.fromCodePoint(code)).filter((letter) => foldPart(letter) !== letter);

test("a donation with any letter that folding changes is likely to contain what it becomes", async () => {
  const cases = changed.map((letter) => ({ text: `x${letter}y`, term: foldPart(letter) }));
  expect(await unlikely(cases)).toEqual([]);
});

test("a donation is likely to contain every part of its folded text, whatever letters and marks stand side by side", async () => {
  const thai = fc.integer({ min: 0xe01, max: 0xe5b }).map((code) => String.fromCodePoint(code));
  const marks = fc.constantFrom(
    "\u0301",
    "\u0323",
    "\u0345",
    "\u0e38",
    "\u0e3a",
    "\u0e48",
    "\u0e4d",
    "\u0eb3",
    "\ufe0f",
    "\u200d",
    "\u0338",
  );
  const others = fc.constantFrom("😀", "❤️", "é", "ß", "Σ", "ς", "İ", "ŉ", "ﬁ", "…", "½", "Ж", "ｶﾞ", "한", "日", "“", "≠", "\u212a", "ẖ");
  const letter = fc.oneof(thai, marks, others, fc.constantFrom(...changed), fc.constantFrom(..."aAzZ09 %_\\'=."));
  const text = fc.array(letter, { minLength: 1, maxLength: 12 }).map((letters) => letters.join(""));
  const part = fc.record({ text, from: fc.nat(12), length: fc.integer({ min: 1, max: 6 }) });
  const cases = fc.sample(part, { numRuns: 3_000, seed: Number(process.env.SEED ?? 1) }).map(({ text, from, length }) => {
    const letters = [...foldPart(text)];
    return { text, term: foldPart(letters.slice(from % letters.length, (from % letters.length) + length).join("")) };
  });
  const contained = cases.filter(({ text, term }) => foldPart(text).includes(term));
  expect(contained.length).toBeGreaterThan(2_000);
  expect(await unlikely(contained)).toEqual([]);
});

test("a donation without the text is left out by the database where it has letters of ASCII, Thai and emoji alone", async () => {
  const text = "สมชาย Mint 42 สู้ๆ ❤️ 😀";
  const absent = ["ไดโนเสาร์", "dino", "2856", "ก", "Ж", "é", "🎉", "เพลงนี้ lol"].map((term) => ({ text, term: foldPart(term) }));
  expect(await unlikely(absent)).toEqual(absent);
});

type Case = { text: string; term: string };

/** The cases that the condition leaves out. Those with the same SQL are asked for in one statement. */
async function unlikely(cases: readonly Case[]): Promise<Case[]> {
  const found: Case[] = [];
  for (let at = 0; at < cases.length; at += 200) {
    const some = cases.slice(at, at + 200);
    const rows = await boundQuery<{ at: number }>(database.knex, (bind) =>
      some
        .map(
          ({ text, term }, index) =>
            `select ${index} as at from (select ${bind(text, "text")} as donator_name, '' as message, null as identifier) d where not ${likelyBy(bind, term)}`,
        )
        .join(" union all "),
    );
    found.push(...rows.map(({ at }) => some[at] as Case));
  }
  return found;
}
