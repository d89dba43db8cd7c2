// The spans in which this process recorded donations: what happens to a donation later, in the same process, joins its trace.

/** The number of donations whose traces are kept, the latest ones. */
const maxKept = 10_000;
const kept = new Map<string, string>();

/** Keeps the traceparent of a donation that this process records. */
export function noteTrace(donationId: string, traceparent: string): void {
  kept.set(donationId, traceparent);
  for (const id of kept.keys()) {
    if (kept.size <= maxKept) break;
    kept.delete(id);
  }
}

/** The traceparent of a donation; undefined when it is not traced, or when another process or an earlier one has recorded it. */
export function traceOf(donationId: string): string | undefined {
  return kept.get(donationId);
}
