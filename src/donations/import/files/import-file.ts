// Imports the donations of a file, or tells what an import would do.

import { msPerDay } from "../../../base/local-days.ts";
import { type Fault, Problem } from "../../../http/problem.ts";
import { contentOf, isSameDonation } from "../../columns.ts";
import { type DonationInput, type NewDonation, newDonation, type Origin, type RecordedBy } from "../../donation.ts";
import { keyReused } from "../../record/attempt.ts";
import type { FoundDonation } from "../../record/find-recorded.ts";
import type { CheckItem } from "../outcomes.ts";
import { quoteFault, timeRule } from "./cells.ts";
import type { FileItem } from "./open-file.ts";
import { checkOrigin, type FileDonation } from "./to-donations.ts";

/**
 * How many rows were read, and what became of them. `voided` and `unpaid`: they are void in the file, or were not paid as their status says, and
 * are left out. `ahead`: of the others, without those at fault, how many are dated more than a day ahead.
 */
export type Counts = {
  rows: number;
  recorded: number;
  recordedBefore: number;
  voided: number;
  unpaid: number;
  faulty: number;
  ahead: number;
};

export const noCounts: Readonly<Counts> = { rows: 0, recorded: 0, recordedBefore: 0, voided: 0, unpaid: 0, faulty: 0, ahead: 0 };

export type FileOutcome = PromiseSettledResult<Readonly<{ created: boolean }>>;

/** The importer, or what stands in for it in a dry run (`dryRunImporter`). */
export type FileImporter = Readonly<{ record: (importId: string, donations: readonly NewDonation[]) => Promise<readonly FileOutcome[]> }>;

export type FileImportDeps = Readonly<{
  checkItem: CheckItem;
  importer: FileImporter;
  importId: string;
  by: RecordedBy;
  /** Those of these ids that the streamer has donations with. */
  findKnown: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Called with each row at fault, and the faults in words. */
  onFault: (place: string, fault: string) => void;
  /** Called with each row that is dated more than a day ahead. */
  onAhead?: (place: string) => void;
  /** Called after each chunk, also after the one that stops the import. */
  onProgress?: (counts: Readonly<Counts>) => void;
}>;

type Row = Readonly<{ place: string; donation: FileDonation }>;

const chunkRows = 200;

/** Reads the items to their end. A faulty row does not affect the others. Throws what reading throws, or why no more can be recorded. */
export async function importFile(items: AsyncIterable<FileItem>, deps: FileImportDeps): Promise<Counts> {
  const counts: Counts = { ...noCounts };
  let rows: Row[] = [];
  const flush = async () => {
    await importRows(rows, deps, counts).finally(() => deps.onProgress?.(counts));
    rows = [];
  };
  for await (const item of items) {
    counts.rows += 1;
    if ("fault" in item) fail(deps, counts, item.place, item.fault);
    else if (item.donation.isVoided) counts.voided += 1;
    else if (item.donation.isUnpaid) counts.unpaid += 1;
    else if (rows.push(item) === chunkRows) await flush();
  }
  await flush();
  return counts;
}

async function importRows(rows: readonly Row[], deps: FileImportDeps, counts: Counts): Promise<void> {
  const { importer, importId, by } = deps;
  const known = await deps.findKnown(rows.flatMap(({ donation: { knownAs } }) => knownAs));
  const places: string[] = [];
  const donations = rows.flatMap(({ place, donation }) => {
    if (donation.knownAs.some((id) => known.has(id))) {
      counts.recordedBefore += 1;
      return [];
    }
    const checked = checkRow(donation, deps.checkItem);
    if ("faults" in checked) {
      fail(deps, counts, place, checked.faults.join("; "));
      return [];
    }
    places.push(place);
    const made = newDonation(checked.donation, by, checked.origin);
    if ((made.createdAt ?? 0) > Date.now() + msPerDay) {
      counts.ahead += 1;
      deps.onAhead?.(place);
    }
    return [made];
  });
  if (donations.length === 0) return;
  const outcomes = await importer.record(importId, donations);
  for (const [index, outcome] of outcomes.entries()) count(outcome, places[index] ?? "", deps, counts);
  // The database is gone, or the import was undone: what was recorded stays, and the import can be repeated.
  const problem = outcomes.map(problemOf).find((one) => one !== null);
  if (problem) throw problem;
}

/** The donation of a row, or what is wrong with it: what its cells show already, and what the contract says of the other members. */
export function checkRow(
  { value, origin, faults }: FileDonation,
  checkItem: CheckItem,
): Readonly<{ donation: DonationInput; origin: Origin } | { faults: string[] }> {
  const [checked, from] = [checkItem({ ...value }), checkOrigin(origin)];
  if (!("faults" in checked || "faults" in from || Object.keys(faults).length > 0))
    return { donation: checked.donation, origin: from.origin };
  const others = [checked, from]
    .flatMap((check) => ("faults" in check ? check.faults : []))
    .filter(({ pointer }) => !(memberAt(pointer) in faults));
  return { faults: [...others.map((fault) => describeFault(fault, { ...origin, ...value })), ...Object.values(faults)] };
}

function describeFault({ pointer, message }: Fault, value: FileDonation["value"]): string {
  const member = memberAt(pointer);
  return quoteFault(member, value[member], member === "createdAt" ? timeRule : message);
}

function memberAt(pointer: string | undefined): string {
  return pointer?.slice(1) || "the row";
}

function count(outcome: FileOutcome, place: string, deps: FileImportDeps, counts: Counts): void {
  if (outcome.status === "fulfilled") counts[outcome.value.created ? "recorded" : "recordedBefore"] += 1;
  else if (problemOf(outcome) === null) fail(deps, counts, place, (outcome.reason as Error).message);
}

function problemOf(outcome: FileOutcome): Problem | null {
  return outcome.status === "rejected" && outcome.reason instanceof Problem ? outcome.reason : null;
}

function fail({ onFault }: FileImportDeps, counts: Counts, place: string, fault: string): void {
  counts.faulty += 1;
  onFault(place, fault);
}

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
