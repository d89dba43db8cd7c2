// Imports the donations of a file, or tells what an import would do.

import type { Principal } from "../../../http/operations.ts";
import { type Fault, Problem } from "../../../http/problem.ts";
import { type NewDonation, newDonation } from "../../donation.ts";
import type { CheckItem } from "../outcomes.ts";
import type { FileItem } from "./open-file.ts";
import { checkOrigin, type FileDonation } from "./to-donations.ts";

/** How many rows were read, and what became of them. `voided`: they are void in the file, and are left out. */
export type Counts = { rows: number; recorded: number; recordedBefore: number; voided: number; faulty: number };

export type FileOutcome = PromiseSettledResult<Readonly<{ created: boolean }>>;

/** The importer, or what stands in for it in a dry run (`dryRunImporter`). */
export type FileImporter = Readonly<{ record: (importId: string, donations: readonly NewDonation[]) => Promise<readonly FileOutcome[]> }>;

export type FileImportDeps = Readonly<{
  checkItem: CheckItem;
  importer: FileImporter;
  importId: string;
  by: Pick<Principal, "streamerId" | "applicationId">;
  /** Those of these ids that the streamer has donations with. */
  findKnown: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Called with each row at fault, and the faults in words. */
  onFault: (place: string, fault: string) => void;
  /** Called after each chunk, also after the one that stops the import. */
  onProgress?: (counts: Readonly<Counts>) => void;
}>;

type Row = Readonly<{ place: string; donation: FileDonation }>;

const chunkRows = 200;

/** Reads the items to their end. A faulty row does not affect the others. Throws what reading throws, or why no more can be recorded. */
export async function importFile(items: AsyncIterable<FileItem>, deps: FileImportDeps): Promise<Counts> {
  const counts: Counts = { rows: 0, recorded: 0, recordedBefore: 0, voided: 0, faulty: 0 };
  let rows: Row[] = [];
  const flush = async () => {
    await importRows(rows, deps, counts).finally(() => deps.onProgress?.(counts));
    rows = [];
  };
  for await (const item of items) {
    counts.rows += 1;
    if ("fault" in item) fail(deps, counts, item.place, item.fault);
    else if (item.donation.isVoided) counts.voided += 1;
    else if (rows.push(item) === chunkRows) await flush();
  }
  await flush();
  return counts;
}

async function importRows(rows: readonly Row[], deps: FileImportDeps, counts: Counts): Promise<void> {
  const { importer, importId, by, checkItem } = deps;
  const known = await deps.findKnown(rows.flatMap(({ donation: { knownAs } }) => knownAs));
  const places: string[] = [];
  const donations = rows.flatMap(({ place, donation: { value, origin, knownAs } }) => {
    if (knownAs.some((id) => known.has(id))) {
      counts.recordedBefore += 1;
      return [];
    }
    const [checked, from] = [checkItem({ ...value }), checkOrigin(origin)];
    if ("faults" in checked || "faults" in from) {
      const faults = [checked, from].flatMap((check) => ("faults" in check ? check.faults : []));
      fail(deps, counts, place, faults.map((fault) => describeFault(fault, { ...origin, ...value })).join("; "));
      return [];
    }
    places.push(place);
    return [newDonation(checked.donation, by, from.origin)];
  });
  if (donations.length === 0) return;
  const outcomes = await importer.record(importId, donations);
  for (const [index, outcome] of outcomes.entries()) count(outcome, places[index] ?? "", deps, counts);
  // The database is gone, or the import was undone: what was recorded stays, and the import can be repeated.
  const problem = outcomes.map(problemOf).find((one) => one !== null);
  if (problem) throw problem;
}

/** `amount “5o” must be a number` */
function describeFault({ pointer, message }: Fault, value: FileDonation["value"]): string {
  const member = pointer?.slice(1) ?? "";
  const found = value[member];
  const quoted = found === undefined || found === "" ? "" : ` “${String(found).slice(0, shownCharacters)}”`;
  const rule = member === "createdAt" ? "must be a time such as 2026-11-20 19:30" : message;
  return `${member || "the row"}${quoted} ${rule}`;
}

const shownCharacters = 40;

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
