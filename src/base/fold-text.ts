// Folds texts, so that texts that people read as the same are equal. Donator keys, blocked words and searches all compare folded texts. Pure.

/**
 * NFKC and case-folded, independent of the version of the database: ß, SS and ss become equal. So do ำ and its two-letter spelling, because
 * NFKC takes ำ apart.
 */
export function foldText(text: string): string {
  return text.normalize("NFKC").toLowerCase().toUpperCase().toLowerCase().normalize("NFKC");
}

/**
 * The same for a text that is looked for inside others, or in which others are looked for. A final sigma becomes a sigma, because it may end a
 * part of a word. The circle of ำ comes after the tone mark, where NFKC puts it: people who type its two letters type it before. Donator
 * keys are stored, so they keep both apart.
 */
export function foldPart(text: string): string {
  return foldText(text)
    .replaceAll("ς", "σ")
    .replace(/\u0e4d([\u0e48-\u0e4b])\u0e32/g, "$1\u0e4d\u0e32");
}
