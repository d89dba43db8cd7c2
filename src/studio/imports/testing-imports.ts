// Imports as tests of the studio show them.

import type { FileReading } from "../../donations/import/files/reading.ts";
import type { CheckedUpload } from "../../donations/import/files/uploads.ts";
import type { ImportProgress, ImportSummary } from "../../donations/import/import-store.ts";

const counts = { rows: 3, recorded: 2, recordedBefore: 0, voided: 0, unpaid: 0, faulty: 1, ahead: 0 };
const rowFaults = [{ place: "row 3", fault: "amount must be greater than 0" }];

export const fileReading: FileReading = {
  ...{ encoding: "utf-8", separator: ",", sheets: [], sheet: null, date1904: false, headerRow: 1, rowsBefore: 0 },
  ...{ dateOrder: null, areDatesExchanged: false, hasForeign: false, decimal: null },
  zone: { name: "Asia/Bangkok", from: "choice" },
  columns: { titles: [], places: {}, isOwn: false, timezone: null, dateOrder: null, currency: null },
  questions: [],
};
const donation = { donatorName: "Malee", amount: 20, createdAt: null, localTime: null, message: null };
const row = { place: "row 2", cells: ["Malee", "20", "happy"], donation, isVoided: false, isUnpaid: false, faults: [] };

export function checkedUpload(changes: Partial<CheckedUpload> = {}): CheckedUpload {
  const columns = [
    { title: "Name", member: "donatorName" as const },
    { title: "Tip", member: "amount" as const },
    { title: "Mood", member: null },
  ];
  return {
    preview: { reading: fileReading, columns, rows: [row] },
    counts,
    faults: rowFaults,
    ahead: [],
    unreadable: null,
    ...changes,
  };
}

export function importProgress(changes: Partial<ImportProgress> = {}): ImportProgress {
  return { state: "done", counts, faults: rowFaults, failure: null, ...changes };
}

export function importSummary(changes: Partial<ImportSummary> = {}): ImportSummary {
  return { id: "i1", name: "tips.csv", startedAt: Date.parse("2026-11-21T03:00:00Z"), undoneAt: null, donations: 2, ...changes };
}

/** A reading that leaves every guess to the file. */
export const noChoices = { encoding: null, separator: null, sheet: null, dateOrder: null, decimal: null, withUnpaid: false };

/** The chosen value of each select. */
export const chosenIn = (html: string) =>
  Object.fromEntries(
    Array.from(html.matchAll(/<select[^>]* name="([^"]*)"[^>]*>(.*?)<\/select>/gs), ([, name, options = ""]) => [
      name,
      /<option value="([^"]*)" selected>/.exec(options)?.[1],
    ]),
  );

/** The fields of a form with this file in it. */
export const sent = (text: string) => ({ file: Buffer.from(text).toString("base64"), "file name": "tips.csv" });
