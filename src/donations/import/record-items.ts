// Records the items of an import that are donations, and says what became of each item.

import type { BodyLine } from "../../http/body/body-lines.ts";
import type { ImportJob } from "./import-donations.ts";
import { type ImportOutcome, toOutcomes, validateItems } from "./outcomes.ts";

/** Never rejects. */
export async function recordItems(
  { importer, checkItem, principal, importId }: Pick<ImportJob, "importer" | "checkItem" | "principal" | "importId">,
  items: readonly BodyLine[],
): Promise<ImportOutcome[]> {
  const validated = validateItems(items, principal, checkItem);
  const donations = validated.flatMap((item) => ("donation" in item ? [item.donation] : []));
  return toOutcomes(validated, await importer.record(importId, donations));
}
