// Imports as tests of the studio show them.

import type { CheckedUpload, ImportProgress, ImportSummary } from "./imports-deps.ts";

const counts = { rows: 3, recorded: 2, recordedBefore: 0, voided: 0, faulty: 1 };
const rowFaults = [{ place: "row 3", fault: "amount must be greater than 0" }];

export function checkedUpload(changes: Partial<CheckedUpload> = {}): CheckedUpload {
  const columns = [
    { title: "Name", member: "donatorName" as const },
    { title: "Tip", member: "amount" as const },
    { title: "Mood", member: null },
  ];
  return {
    preview: { columns, rows: [["Malee", "20", "happy"]] },
    headerZone: null,
    counts,
    faults: rowFaults,
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
