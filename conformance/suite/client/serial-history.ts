// Checks that reads during concurrent recordings are explained by one order in which each happened at one moment (serializability).

import { expect } from "vitest";

/** Start and end by the caller's clock, in ms. */
export type Interval = { from: number; to: number };

export type Recording = Interval & { id: number };

/** A read and the recordings that it saw. */
export type Read = Interval & { name: string; saw: ReadonlySet<number> };

export async function timed<T>(act: () => Promise<T>): Promise<{ value: T } & Interval> {
  const from = performance.now();
  const value = await act();
  return { value, from, to: performance.now() };
}

/** Throws unless one order of the recordings, with each read somewhere between them, explains what every read saw. */
export function expectSerial(recordings: readonly Recording[], reads: readonly Read[]): void {
  for (const read of reads) expectInTime(recordings, read);
  const inOrder = reads.toSorted((a, b) => a.saw.size - b.saw.size);
  for (const [index, later] of inOrder.entries()) {
    const earlier = inOrder[index - 1];
    if (earlier) expectHolds(later, earlier, "no order explains both");
  }
  for (const later of reads)
    for (const earlier of reads.filter(({ to }) => to < later.from)) expectHolds(later, earlier, "what was seen is gone");
}

/** A read contains what was answered before it began, and nothing that was sent after its end. */
function expectInTime(recordings: readonly Recording[], { name, saw, from, to }: Read): void {
  for (const one of recordings) {
    if (one.to < from) expect(saw.has(one.id), `${name} misses recording ${one.id}, which was answered before it began`).toBe(true);
    if (one.from > to) expect(saw.has(one.id), `${name} saw recording ${one.id} before it was sent`).toBe(false);
  }
}

function expectHolds(later: Read, earlier: Read, reason: string): void {
  const missing = [...earlier.saw].filter((id) => !later.saw.has(id));
  expect(missing, `${reason}: ${earlier.name} saw what ${later.name} did not`).toEqual([]);
}
