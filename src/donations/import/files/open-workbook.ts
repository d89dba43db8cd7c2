// Opens a workbook in a worker thread: it cannot keep other requests waiting, its memory is limited, and it is ended with whoever reads it.

import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { guessColumns, maxColumns } from "./columns.ts";
import type { OpenWorkbook, SheetHead } from "./read-workbook.ts";
import type { Table, TableRow, TableRows } from "./table.ts";
import type { WorkbookAnswer, WorkbookQuestion } from "./workbook-worker.ts";

/** `sheet`: the name of the one to read; null: the one that is meant. */
type WorkbookSource = Readonly<{ file: string; sheet: string | null; maxInflatedBytes: number; signal: AbortSignal | undefined }>;

/** Of the thread, in MiB: the texts that a workbook has for all sheets are most of it. */
const maxHeap = 512;
/** For the longest part of the work, to which no row comes: reading the texts of all sheets. */
const maxWaitMs = 60_000;

/** Throws an Error for a file that is no workbook, or that needs too much memory or time. The thread ends with `rows`, or by `signal`. */
export async function openWorkbook({ file, sheet, maxInflatedBytes, signal }: WorkbookSource): Promise<Table> {
  const worker = new Worker(new URL("./workbook-worker.ts", import.meta.url), {
    workerData: { file, options: { maxInflatedBytes, hasChoice: sheet !== null } },
    resourceLimits: { maxOldGenerationSizeMb: maxHeap },
  });
  worker.on("error", () => {}); // one without memory while it is being ended, when nobody waits for its answer
  try {
    const { sheets, date1904 } = (await answerOf(worker, signal)) as Omit<OpenWorkbook, "rowsOf">;
    const { places, isQuestion } = chooseSheets(sheets, sheet);
    const reading = {
      ...{ encoding: null, separator: null, date1904, sheet: sheets[places[0] ?? 0]?.name ?? null },
      sheets: sheets.map(({ name, isHidden }) => ({ name, isHidden })),
      questions: isQuestion ? (["sheet"] as const) : [],
    };
    return { reading, rows: rowsOf(worker, places, signal) };
  } catch (error) {
    await worker.terminate();
    throw error;
  }
}

/** The next chunk is read while the last one is being used. */
async function* rowsOf(worker: Worker, places: WorkbookQuestion, signal: AbortSignal | undefined): TableRows {
  const ask = async () => {
    worker.postMessage(places);
    return (await answerOf(worker, signal)) as readonly TableRow[];
  };
  try {
    for (let next = ask(); ; ) {
      const rows = await next;
      if (rows.length === 0) return;
      next = ask();
      next.catch(() => {}); // a reader that leaves does not wait for it
      yield* rows;
    }
  } finally {
    await worker.terminate();
  }
}

async function answerOf(worker: Worker, signal: AbortSignal | undefined): Promise<WorkbookAnswer> {
  const timeout = AbortSignal.timeout(maxWaitMs);
  const [answer] = await once(worker, "message", { signal: signal ? AbortSignal.any([timeout, signal]) : timeout }).catch((error) => {
    if (timeout.aborted) throw new Error(`the workbook was not read within ${maxWaitMs / 1_000} seconds`);
    if (error.code === "ERR_WORKER_OUT_OF_MEMORY") throw new Error(`the workbook needs more than ${maxHeap} MiB of memory`);
    throw error;
  });
  if ("fault" in answer) throw new Error(answer.fault);
  return answer;
}

/** What the columns are that a header names. */
type NamedColumns = Readonly<{ members: ReadonlySet<string>; isOwn: boolean }>;

/** A sheet, its place among the tabs, and its header. */
type Candidate = NamedColumns & Readonly<{ sheet: SheetHead; place: number }>;

/**
 * The places of the sheets to read; several where an export of ours had too many rows for one sheet. `isQuestion`: several could be meant, or all
 * are hidden; the first of them is then shown. Throws an Error for a name that no sheet has.
 */
export function chooseSheets(
  sheets: readonly SheetHead[],
  name: string | null,
): Readonly<{ places: readonly number[]; isQuestion: boolean }> {
  if (name !== null) return { places: [placeOf(sheets, name)], isQuestion: false };
  const visible = sheets.map(candidate).filter(({ sheet }) => !sheet.isHidden);
  const [first = visible[0], ...others] = likely(visible.filter(({ sheet }) => sheet.rows.length > 1));
  if (first === undefined) return { places: [0], isQuestion: true }; // all are hidden
  const isOneList = first.isOwn && others.every(({ sheet }) => headerText(sheet) === headerText(first.sheet));
  return isOneList
    ? { places: [first, ...others].map(({ place }) => place), isQuestion: false }
    : { places: [first.place], isQuestion: others.length > 0 };
}

function placeOf(sheets: readonly SheetHead[], name: string): number {
  const place = sheets.findIndex((sheet) => sheet.name === name);
  if (place >= 0) return place;
  throw new Error(`the workbook has no sheet "${name}"; there are ${sheets.map((sheet) => `"${sheet.name}"`).join(", ")}`);
}

/** Sheets with columns for a name and an amount, and for a time if the first of them has one: notes and sums beside a list are not meant. */
function likely(candidates: readonly Candidate[]): readonly Candidate[] {
  const lists = candidates.filter(({ members }) => members.has("donatorName") && members.has("amount"));
  const isTimed = lists[0]?.members.has("createdAt");
  return lists.length === 0 ? candidates : lists.filter(({ members }) => !isTimed || members.has("createdAt"));
}

/** The header is the row that names most columns. */
function candidate(sheet: SheetHead, place: number): Candidate {
  const headers = sheet.rows.map(headerOf);
  const best = headers.reduce((most, one) => (one.members.size > most.members.size ? one : most), noHeader);
  return { sheet, place, ...best };
}

function headerOf({ cells }: TableRow): NamedColumns {
  if (cells.length > maxColumns) return noHeader;
  const { places, isOwn } = guessColumns(cells);
  return { members: new Set(Object.keys(places)), isOwn };
}

const noHeader: NamedColumns = { members: new Set(), isOwn: false };

function headerText({ rows }: SheetHead): string {
  return JSON.stringify(rows[0]?.cells);
}
