// Texts that some normalisation makes equal: line ends, normal forms, case, blanks, characters that are not seen. A server keeps each of them
// as it was sent.

const lineEnds = ["\n", "\r\n", "\r", "\n\r", "\u2028", "\u2029", "\u0085", "\u000b", "\u000c"];
const blanks = [" ", "  ", "\u00a0", "\u3000", "\u200b", "\t", "\ufeff"];
/** Control characters, joiners, marks of direction, invisible operators and fillers, tags. */
const unseen = [
  ...["\u0001", "\u0008", "\u001b", "\u007f", "\u009f", "\u00ad", "\u200d", "\u200e", "\u202e", "\u2060"],
  ...["\u2063", "\u3164", "\ufff9", "\ufffd", "\u{e0067}"],
];
/** Its last six characters are tags. */
const flagOfEngland = "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}";
/** Composed, compatible and cased letters, among them singletons of NFC (the Kelvin and the Angstrom sign) and Thai SARA AM. */
const letters = ["é", "ﬁ①Ａ", "ก้ำ", "\u212a\u212b", "가", "ß", "Σς", "İi", "q\u0323\u0307", "❤\ufe0f", "½²", flagOfEngland];

const changes = [
  (text: string) => text,
  ...(["NFC", "NFD", "NFKC", "NFKD"] as const).map((form) => (text: string) => text.normalize(form)),
  (text: string) => text.toLowerCase(),
  (text: string) => text.toUpperCase(),
];

/** Each spelling once; the shortest has one letter, the longest below 20. */
export const spellings: readonly string[] = [
  ...new Set([
    ...lineEnds.flatMap((end) => [`a${end}b`, `${end}a`, `a${end}`, `a${end}${end}b`]),
    ...blanks.flatMap((blank) => [`a${blank}b`, `${blank}a`, `a${blank}`]),
    ...unseen.flatMap((mark) => [`a${mark}b`, `${mark}a`, `a${mark}`]),
    ...letters.flatMap((text) => changes.map((change) => change(text))),
    "@a",
    "a",
    "A",
  ]),
];

// Secrets are compared letter by letter: one in the other case is another.

/** The text with small letters for capitals, and capitals for small ones. */
export const inOtherCase = (text: string): string =>
  text.replace(/[a-z]/gi, (letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()));
