// Finds a streamer's blocked words in texts, however they are written. Pure.

/** Whether a text contains one of the words. */
export function containsBlocked(words: readonly string[], texts: readonly string[]): boolean {
  if (words.length === 0) return false;
  const plain = texts.map(plainForm);
  const close = plain.map(closeForm);
  return formsOf(words).some((word) => plain.some((text) => text.includes(word.plain)) || close.some((text) => text.includes(word.close)));
}

type Forms = { plain: string; close: string };

const known = new WeakMap<readonly string[], Forms[]>();

/** Leaves out words without visible characters: their empty form would match every text. */
function formsOf(words: readonly string[]): Forms[] {
  const forms =
    known.get(words) ??
    words.map((word) => ({ plain: plainForm(word), close: closeForm(plainForm(word)) })).filter(({ close }) => close !== "");
  known.set(words, forms);
  return forms;
}

/** Normalises compatibility forms and case, makes blanks one space, and removes invisible characters. */
function plainForm(text: string): string {
  const seen = text
    .normalize("NFKC")
    .replace(/[\s\u2800]+/gu, " ")
    .replace(/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, "");
  const folded = seen.toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ").normalize("NFKC");
  return folded.replace(/ +/g, " ").trim();
}

/**
 * Removes the separators of "s p a m" and "s.p.a.m": single letters are joined. Longer pieces are not, because "was sad" would then
 * contain a word that is not there. Thai is written without blanks inside words, so all separators between Thai letters are removed.
 */
function closeForm(plain: string): string {
  const thai = plain.replace(/(?<=\p{Script=Thai})[ ._*·-]+(?=\p{Script=Thai})/gu, "");
  return thai.replace(/(?<![\p{L}\p{N}\p{M}])[\p{L}\p{N}]\p{M}*(?:[ ._*·-]+[\p{L}\p{N}]\p{M}*(?![\p{L}\p{N}\p{M}]))+/gu, (run) =>
    run.replace(/[ ._*·-]+/g, ""),
  );
}

/** The text with `mask` in place of each shortest piece that contains one of the words. The result contains none of them. */
export function maskBlocked(words: readonly string[], text: string, mask: string): string {
  const isBlocked = (piece: string) => containsBlocked(words, [piece]);
  let masked = text;
  for (let rounds = 0; isBlocked(masked); rounds += 1) {
    if (rounds === maxRounds) return mask;
    masked = maskOnce(masked, isBlocked, mask);
  }
  return masked;
}

/** Masking can bring letters together that make a word again; after so many rounds the whole text is masked. */
const maxRounds = 3;

const graphemes = new Intl.Segmenter("th", { granularity: "grapheme" });

/** Masks from left to right. A piece ends with the first letter that completes a word, and begins as late as it still contains one. */
function maskOnce(text: string, isBlocked: (piece: string) => boolean, mask: string): string {
  const letters = [...graphemes.segment(text)].map(({ segment }) => segment);
  const out: string[] = [];
  let from = 0;
  for (let end = 1; end <= letters.length; end += 1) {
    if (!isBlocked(letters.slice(from, end).join(""))) continue;
    let start = end - 1;
    while (start > from && !isBlocked(letters.slice(start, end).join(""))) start -= 1;
    out.push(...letters.slice(from, start), mask);
    from = end;
  }
  const rest = letters.slice(from);
  return out.length === 0 ? mask : [...out, ...rest].join("");
}
