// Texts that some normalisation makes equal: line ends, normal forms, case, blanks. A server keeps each of them as it was sent.

const lineEnds = ["\n", "\r\n", "\r", "\n\r", "\u2028", "\u2029", "\u0085", "\u000b", "\u000c"];
const blanks = [" ", "  ", "\u00a0", "\u3000", "\u200b", "\t", "\ufeff"];
/** Composed, compatible and cased letters, among them singletons of NFC (the Kelvin and the Angstrom sign) and Thai SARA AM. */
const letters = ["é", "ﬁ①Ａ", "ก้ำ", "\u212a\u212b", "가", "ß", "Σς", "İi", "q\u0323\u0307", "❤\ufe0f", "½²"];

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
    ...letters.flatMap((text) => changes.map((change) => change(text))),
    "@a",
    "a",
    "A",
  ]),
];
