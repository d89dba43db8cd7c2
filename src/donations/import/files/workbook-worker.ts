// Reads a workbook in a thread of its own, and hands over its rows in chunks, each when it is asked for. open-workbook.ts starts and ends it.

import { parentPort, workerData } from "node:worker_threads";
import { type OpenWorkbook, readWorkbook } from "./read-workbook.ts";
import type { TableRow } from "./table.ts";

/** The places of the sheets whose next rows are asked for: the same ones every time. */
export type WorkbookQuestion = readonly number[];
export type WorkbookAnswer = Omit<OpenWorkbook, "rowsOf"> | readonly TableRow[] | Readonly<{ fault: string }>;

/** A chunk ends with either: a row has 16,384 cells at most. */
const [chunkRows, chunkCells] = [500, 5_000];
/** A thread that nobody asks for rows ends. An import waits for seconds at most while other donations are recorded. */
const idleMs = 600_000;

async function answerQuestions(): Promise<void> {
  const { rowsOf, ...workbook } = await readWorkbook(workerData.file, workerData.options);
  let rows: AsyncIterator<TableRow> | null = null;
  const idle = setTimeout(() => process.exit(), idleMs);
  parentPort?.on("message", (places: WorkbookQuestion) => {
    rows ??= rowsOf(places)[Symbol.asyncIterator]();
    nextChunk(rows).then(answer, fail);
    idle.refresh();
  });
  answer(workbook);
}

/** No rows behind the last ones. */
async function nextChunk(rows: AsyncIterator<TableRow>): Promise<TableRow[]> {
  const chunk: TableRow[] = [];
  for (let cells = 0; chunk.length < chunkRows && cells < chunkCells; ) {
    const { value, done } = await rows.next();
    if (done) break;
    chunk.push(value);
    cells += value.cells.length;
  }
  return chunk;
}

function answer(message: WorkbookAnswer): void {
  parentPort?.postMessage(message);
}

function fail(error: unknown): void {
  answer({ fault: error instanceof Error ? error.message : String(error) });
}

answerQuestions().catch(fail);
