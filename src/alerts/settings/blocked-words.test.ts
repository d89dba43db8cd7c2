import fc from "fast-check";
import { expect, test } from "vitest";
import { cleanText } from "../../base/text.ts";
import { spokenText } from "../../speech/speech-text.ts";
import { containsBlocked, maskBlocked, withoutMasks } from "./blocked-words.ts";

const blocks = (word: string, text: string) => containsBlocked([word], [text]);

test.each([
  ["as it stands", "spam", "this is spam!"],
  ["inside a word", "spam", "antispammer"],
  ["in other case", "SpAm", "sPaM"],
  ["ß and SS", "straße", "STRASSE"],
  ["a final sigma", "λόγος", "ΛΌΓΟΣ"],
  ["full-width letters", "spam", "ｓｐａｍ"],
  ["styled letters", "spam", "𝓼𝓹𝓪𝓶"],
  ["zero-width characters between", "spam", "s\u200bp\u200da\u2060m"],
  ["a soft hyphen and a variation selector", "spam", "sp\u00ada\ufe0fm"],
  ["right-to-left marks", "spam", "\u202es\u202cpa\u200fm"],
  ["letters set apart", "spam", "buy s p a m now"],
  ["letters set apart by dots", "spam", "s.p.a.m"],
  ["letters set apart by wide blanks", "spam", "s\u3000p\u00a0a\u2800m"],
  ["Thai without word breaks", "สแปม", "ขายสแปมครับ"],
  ["Thai with blanks inside", "สแปม", "ขาย ส แ ป ม ครับ"],
  ["Thai deps with a blank inside", "สแปม", "สแ ปม"],
  ["Thai with zero-width spaces", "สแปม", "ส\u200bแ\u200bป\u200bม"],
  ["Thai sara am in two deps", "น้ำ", "น้\u0e4d\u0e32"],
  ["a phrase, its blanks being what they like", "bad word", "so  bad\tword"],
  ["an emoji", "🖕", "take 🖕🏽 that"],
  ["decomposed letters", "é", "e\u0301"],
  ["a part of an emoji inside", "spam", "buy sp\u{1f3fb}am now"],
  ["emoji inside", "spam", "buy s😀pa🎉m now"],
  ["Thai with emoji inside", "สแปม", "ขายสแ😀ปมครับ"],
  ["a blank letter inside", "spam", "sp\u3164am"],
  ["a mark that is repeated", "น้ำ", "น้้้้ำ"],
  ["Thai sara am whose circle was typed first", "น้ำ", "น\u0e4d\u0e49\u0e32"],
  ["a word that speech says twice", "แปลกแปลก", "แปลกๆ"],
  ["a repetition that speech shortens", "haaay", "haaaaaaaay"],
  ["Thai around a link, which speech leaves out", "สแปม", "สแ http://a.example/b ปม"],
  ["Thai digits", "191", "๑๙๑"],
])("a blocked word is found: %s", (_, word, text) => expect(blocks(word, text)).toBe(true));

test.each([
  ["across two words", "ass", "was sad"],
  ["in letters that stand alone beside a word", "am", "a man"],
  ["something else", "spam", "ham"],
  ["a word of which nothing can be seen", "\u200b", "anything"],
  ["a blank", " ", "two words"],
  ["a Thai word in another order", "สแปม", "มปแส"],
  ["an empty text", "a", ""],
])("a blocked word is not found: %s", (_, word, text) => expect(blocks(word, text)).toBe(false));

test("a match of any blocked word in any of the texts counts", () => {
  expect(containsBlocked(["x", "spam"], ["hello", "Spam"])).toBe(true);
  expect(containsBlocked([], ["spam"])).toBe(false);
});

test.each([
  ["a word", ["spam"], "this is spam, Spam!", "this is ***, ***!"],
  ["letters set apart", ["spam"], "buy s p a m now", "buy *** now"],
  ["letters set apart by invisible characters", ["spam"], "a s\u200bp\u200da\u2060m b", "a *** b"],
  ["Thai inside a sentence", ["สแปม"], "ขายสแปมครับ", "ขาย***ครับ"],
  ["Thai set apart", ["สแปม"], "ขาย ส แ ป ม ครับ", "ขาย *** ครับ"],
  ["two words", ["red", "blue"], "red and blue", "*** and ***"],
  ["the whole text", ["spam"], "SPAM", "***"],
  ["a word with a part of an emoji inside", ["spam"], "buy sp\u{1f3fb}am now", "buy *** now"],
  ["a word with an emoji inside", ["spam"], "😀 buy sp😀am now 😀", "😀 buy *** now 😀"],
  ["the whole text, where only speech makes the word", ["แปลกแปลก"], "คนแปลกๆ", "***"],
  ["nothing of a text without the word", ["spam"], "ดีมาก 👍🏽", "ดีมาก 👍🏽"],
])("a blocked word is masked and what stands around it stays: %s", (_, words, text, masked) =>
  expect(maskBlocked(words, text)).toBe(masked),
);

test("a masked text contains none of the blocked words, whatever text and words are", () => {
  const letters = fc.constantFrom(..."abcAB .*-\u200bสแปม \ufb01ß😀");
  const texts = fc.string({ unit: letters, maxLength: 40 });
  fc.assert(
    fc.property(fc.array(fc.string({ unit: letters, minLength: 1, maxLength: 4 }), { maxLength: 4 }), texts, (words, text) => {
      const blocked = words.filter((word) => !containsBlocked([word], ["***"]));
      const masked = maskBlocked(blocked, text);
      expect(containsBlocked(blocked, [masked])).toBe(false);
      if (!containsBlocked(blocked, [text])) expect(masked).toBe(text);
    }),
  );
});

/** Characters that the card or speech drops, of all that Unicode may have. */
const dropped = fc
  .oneof(
    fc.constantFrom(..."\u{1f3fb}\u{1f1f9}\u{1f9b1}\u20e3\u200b\u202e\u034f\u00ad\u{e0041}\ufe0f\u0001\ue000"),
    fc.integer({ min: 0x80, max: 0x10ffff }),
  )
  .map((code) => (typeof code === "string" ? code : String.fromCodePoint(code >= 0xd800 && code < 0xe000 ? 0xe000 : code)))
  .map((char) => ([cleanText, said].some((seen) => seen(`a${char}b`) === "ab") ? char : "\u{1f3ff}"));

function said(text: string): string {
  return spokenText(withoutMasks(text), 1_000);
}

test("a blocked word is neither shown nor said, wherever characters that the card or speech drops are inserted", () => {
  const words = ["spam", "สแปม", "bad word", "น้ำ"];
  const written = fc
    .constantFrom(...words)
    .chain((word) =>
      fc
        .tuple(...[...word].map((letter) => fc.string({ unit: dropped, maxLength: 2 }).map((more) => letter + more)))
        .map((parts) => parts.join("")),
    );
  const around = fc.constantFrom("", "buy ", "x", "ขาย", "😀");
  fc.assert(
    fc.property(around, written, around, (before, word, after) => {
      const text = `${before}${word}${after}`;
      expect(containsBlocked(words, [text])).toBe(true);
      const masked = maskBlocked(words, text);
      for (const seen of [masked, cleanText(masked), said(masked)])
        for (const one of words) expect(seen.normalize("NFKC").toLowerCase()).not.toContain(one.normalize("NFKC"));
    }),
    { seed: 35, numRuns: 300 },
  );
});
