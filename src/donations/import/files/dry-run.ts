// Answers the donations of a file as an import would, and records nothing: for a dry run.

import { contentOf, isSameDonation, type NewDonation } from "../../donation.ts";
import type { FoundDonation } from "../../record/find-recorded.ts";
import { keyReused } from "../../record/key-conflict.ts";
import type { FileImporter, FileOutcome } from "./import-file.ts";

/** `findRecorded`: the recorded donations that have the idempotency keys of these. */
export function dryRunImporter(findRecorded: (donations: readonly NewDonation[]) => Promise<readonly FoundDonation[]>): FileImporter {
  /** By idempotency key, what a row before would have recorded. It holds a digest for each row of the file, about 100 bytes. */
  const seen = new Map<string, string>();
  const outcomeOf = (donation: NewDonation, stored: FoundDonation | undefined): FileOutcome => {
    if (stored) return isSameDonation(donation, stored) ? repeated : conflicting;
    const [key, content] = [donation.idempotencyKey, contentOf(donation)];
    const before = key === null ? undefined : seen.get(key);
    if (before !== undefined) return before === content ? repeated : conflicting;
    if (key !== null) seen.set(key, content);
    return recorded;
  };
  return {
    record: async (_, donations) => {
      const found = new Map((await findRecorded(donations)).map((stored) => [stored.idempotencyKey ?? stored.askedKey, stored]));
      return donations.map((donation) => outcomeOf(donation, found.get(donation.idempotencyKey)));
    },
  };
}

const recorded: FileOutcome = { status: "fulfilled", value: { created: true } };
const repeated: FileOutcome = { status: "fulfilled", value: { created: false } };
const conflicting: FileOutcome = { status: "rejected", reason: keyReused() };
