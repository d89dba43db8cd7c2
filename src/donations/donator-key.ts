// Which donations are one donator's: computed once, when the donation is recorded, and stored.

/**
 * `i:` and the identifier's exact code points, or `n:` and the normalised name: NFKC, trimmed, blanks collapsed,
 * case-folded, one leading `@` dropped. A name of which nothing is left keeps its raw form.
 */
export function donatorKey(donatorName: string, identifier: string | null): string {
  if (identifier !== null) return `i:${identifier}`;
  return `n:${normaliseName(donatorName) || donatorName}`;
}

function normaliseName(name: string): string {
  return fold(name).trim().replace(/\s+/gu, " ").replace(/^@/u, "").trim();
}

/** Case folding that does not depend on the database's version: ß, SS and ss are one, as are σ and ς. */
export function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase().toUpperCase().toLowerCase().normalize("NFKC");
}
