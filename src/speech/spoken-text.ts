// Makes what donors wrote fit to be read out: nothing that a voice would spell, stumble over or take for an instruction.

/** Longer texts than the contract allows are cut before any work is done on them. */
const longestRead = 1_000;

/** A text to read out, at most `limit` UTF-16 units long. Empty when nothing of it can be spoken. */
export function spokenText(written: string, limit: number): string {
  const steps = [withoutPictures, withoutRepeats, withoutLinks, withoutMarkup, withRepeatedWords, withSingleBlanks];
  const text = steps.reduce((text, step) => step(text), cutBetweenGraphemes(plainLetters(written), longestRead));
  return cutBetweenGraphemes(text, limit).trimEnd();
}

/** 𝓗𝓲 and Ｈｉ become Hi, Thai digits the ones that every engine knows. */
function plainLetters(text: string): string {
  return text
    .normalize("NFKC")
    .replace(/\u0e4d([\u0e48-\u0e4b]?)\u0e32/g, "$1\u0e33") // NFKC takes ำ apart
    .replace(/[๐-๙]/g, (digit) => String(digit.charCodeAt(0) - 0x0e50));
}

/** No emoji and other pictures, no control and bidi characters, no towers of combining marks. */
function withoutPictures(text: string): string {
  return text
    .replace(/[[\p{C}\p{Emoji_Component}]--[\p{Cc}0-9#*]]/gv, "") // zero-width and bidi characters stand inside words
    .replace(/[\p{Cc}\p{Extended_Pictographic}\p{So}\p{Sk}]/gu, " ")
    .replace(/(\p{M}{3})\p{M}+/gu, "$1");
}

/**
 * What is written more than three times in a row is said three times. Of numbers only laughter is shortened (5 is "ha"),
 * and what is longer than any price: 1000000 stays a million.
 */
function withoutRepeats(text: string): string {
  return text
    .replace(/(?<![0-9])5{4,}(?![0-9])/g, "555")
    .replace(/([0-9])\1{9,}/g, "$1$1$1")
    .replace(/([^0-9]{1,12}?)\1{3,}/gu, "$1$1$1");
}

// Web and e-mail addresses. A dot alone makes no link, for "Mr.Somchai" is a name: it takes a well-known ending or a path.
const ending = "(?:com|net|org|info|io|co|th|tv|gg|app|dev|xyz)(?![a-z0-9])(?:[:/?#][!-~]*)?|[a-z]{2,}/[!-~]*";
const links = new RegExp(`[a-z][a-z0-9+.-]*:/[!-~]*|www\\.[!-~]*|(?:[\\w.+-]*@)?(?:[a-z0-9-]+\\.)+(?:${ending})`, "gi");

function withoutLinks(text: string): string {
  return text.replace(links, " ");
}

/** Nothing that an engine could take for a tag, a phoneme or an escape. */
function withoutMarkup(text: string): string {
  return text.replace(/[<>[\]{}|\\~_=]/g, " ");
}

/** Segmenting takes time, and no word that somebody repeats is longer. */
const longestWord = 100;

const words = new Intl.Segmenter("th", { granularity: "word" });

/** ๆ says the word before it once more. */
function withRepeatedWords(text: string): string {
  const [head = "", ...rest] = text.split(/\s*ๆ/);
  return rest.reduce((spoken, next) => spoken + again(lastWord(spoken)) + next, head);
}

function lastWord(text: string): string {
  const last = [...words.segment(text.slice(-longestWord))].at(-1);
  return last?.isWordLike ? last.segment : "";
}

/** Thai puts no blank between words. */
function again(word: string): string {
  return /\p{Script=Thai}/u.test(word) ? word : ` ${word}`;
}

function withSingleBlanks(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

const graphemes = new Intl.Segmenter("th", { granularity: "grapheme" });

function cutBetweenGraphemes(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const next = graphemes.segment(text).containing(limit);
  return text.slice(0, next?.index ?? 0);
}
