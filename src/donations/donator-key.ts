// The key that the donations of one donator share. It is computed when a donation is recorded, and stored.

import { foldText } from "../base/text.ts";

/**
 * Returns `i:` and the exact identifier, or `n:` and the normalised name: NFKC, trimmed, white space collapsed, case-folded, one leading `@`
 * removed. A name that would become empty is used as it is.
 */
export function donatorKey(donatorName: string, identifier: string | null): string {
  if (identifier !== null) return `i:${identifier}`;
  return `n:${normaliseName(donatorName) || donatorName}`;
}

function normaliseName(name: string): string {
  return foldText(name).trim().replace(/\s+/gu, " ").replace(/^@/u, "").trim();
}
