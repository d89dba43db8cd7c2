// Ends exports whose clients read too slowly: each has one of few connections, and a snapshot that keeps PostgreSQL from cleaning up.

/**
 * How long an export may wait for its client altogether: `inAllMs`, and while others wait for its place `graceMs` and `msPerRow` for each row
 * that was passed on. `lookMs`: how often this is looked at.
 */
export type ReaderPatience = Readonly<{ inAllMs: number; graceMs: number; msPerRow: number; lookMs: number }>;

/** 500 rows in a second are 30 to 50 kB of a workbook. */
export const readerPatience: ReaderPatience = { inAllMs: 30 * 60_000, graceMs: 20_000, msPerRow: 2, lookMs: 1_000 };

export type WatchedExport = Readonly<{
  patience: ReaderPatience;
  /** Whether other exports wait for a place. */
  othersWait: () => boolean;
  /** Frees the place. */
  end: () => void;
}>;

/** Passes the batches on. Throws once the export was ended because its client is too slow. Reading the database does not count. */
export async function* endWhenTooSlow<Row>(
  batches: AsyncIterable<Row[]>,
  { patience, othersWait, end }: WatchedExport,
): AsyncIterable<Row[]> {
  const { inAllMs, graceMs, msPerRow, lookMs } = patience;
  let [waitedMs, rows] = [0, 0];
  for await (const batch of batches) {
    rows += batch.length;
    const since = performance.now();
    let isEnded = false;
    const look = () => {
      const waits = waitedMs + performance.now() - since;
      isEnded ||= waits > inAllMs || (waits > graceMs + rows * msPerRow && othersWait());
      if (isEnded) end();
    };
    const timer = setInterval(look, lookMs).unref();
    try {
      yield batch;
    } finally {
      clearInterval(timer);
    }
    if (isEnded) throw new Error("the client read the export too slowly");
    waitedMs += performance.now() - since;
  }
}
