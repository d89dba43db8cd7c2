// Opens a workbook in a worker thread: it cannot keep other requests waiting, its memory is limited, and it is ended with whoever reads it.

import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { chooseSheets } from "./choose-sheets.ts";
import type { OpenWorkbook } from "./read-workbook.ts";
import type { Table, TableRow, TableRows } from "./table.ts";
import type { WorkbookAnswer, WorkbookQuestion } from "./workbook-worker.ts";

/** `sheet`: the name of the one to read; null: the one that is meant. */
export type WorkbookSource = Readonly<{ file: string; sheet: string | null; maxInflatedBytes: number; signal: AbortSignal | null }>;

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
async function* rowsOf(worker: Worker, places: WorkbookQuestion, signal: AbortSignal | null): TableRows {
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

async function answerOf(worker: Worker, signal: AbortSignal | null): Promise<WorkbookAnswer> {
  const timeout = AbortSignal.timeout(maxWaitMs);
  const [answer] = await once(worker, "message", { signal: signal ? AbortSignal.any([timeout, signal]) : timeout }).catch((error) => {
    if (timeout.aborted) throw new Error(`the workbook was not read within ${maxWaitMs / 1_000} seconds`);
    if (error.code === "ERR_WORKER_OUT_OF_MEMORY") throw new Error(`the workbook needs more than ${maxHeap} MiB of memory`);
    throw error;
  });
  if ("fault" in answer) throw new Error(answer.fault);
  return answer;
}
