// Words that a streamer keeps off the stream, however they are written. Pure.

/** Whether a text contains one of the words. */
export function containsBlocked(words: readonly string[], texts: readonly string[]): boolean {
  if (words.length === 0) return false;
  const plain = texts.map(plainForm);
  const close = plain.map(closeForm);
  return formsOf(words).some((word) => plain.some((text) => text.includes(word.plain)) || close.some((text) => text.includes(word.close)));
}

type Forms = { plain: string; close: string };

const known = new WeakMap<readonly string[], Forms[]>();

/** A word of which nothing is left once what can't be seen is gone blocks nothing: it would block everything. */
function formsOf(words: readonly string[]): Forms[] {
  const forms =
    known.get(words) ??
    words.map((word) => ({ plain: plainForm(word), close: closeForm(plainForm(word)) })).filter(({ close }) => close !== "");
  known.set(words, forms);
  return forms;
}

/** Compatibility forms and case are one, blanks are one blank, and what can't be seen is gone. */
function plainForm(text: string): string {
  const seen = text
    .normalize("NFKC")
    .replace(/[\s\u2800]+/gu, " ")
    .replace(/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, "");
  const folded = seen.toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ").normalize("NFKC");
  return folded.replace(/ +/g, " ").trim();
}

/**
 * Without the blanks and dots of "s p a m" and "s.p.a.m": pieces of one letter are put together. Longer pieces are not, or "was sad"
 * would hold a word that nobody wrote. Thai needs no blank inside a word, so none between its letters counts.
 */
function closeForm(plain: string): string {
  const thai = plain.replace(/(?<=\p{Script=Thai})[ ._*·-]+(?=\p{Script=Thai})/gu, "");
  return thai.replace(/(?<![\p{L}\p{N}\p{M}])[\p{L}\p{N}]\p{M}*(?:[ ._*·-]+[\p{L}\p{N}]\p{M}*(?![\p{L}\p{N}\p{M}]))+/gu, (run) =>
    run.replace(/[ ._*·-]+/g, ""),
  );
}
