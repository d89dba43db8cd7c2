import { expect } from "vitest";

// What was seen while donations arrived, checked for an order in which each happened at one moment (a legal serial result).

/** When it began and ended, by the caller's clock. */
export type Event = { from: number; to: number };

export type Recording = Event & { id: number };

/** A read and the recordings that it saw. */
export type Sight = Event & { name: string; saw: ReadonlySet<number> };

export async function timed<T>(act: () => Promise<T>): Promise<{ value: T } & Event> {
  const from = performance.now();
  const value = await act();
  return { value, from, to: performance.now() };
}

/** Throws unless some order explains every sight: recordings in a row, and each sight somewhere between them. */
export function expectSerial(recordings: readonly Recording[], sights: readonly Sight[]): void {
  for (const sight of sights) expectInTime(recordings, sight);
  const inOrder = sights.toSorted((a, b) => a.saw.size - b.saw.size);
  for (const [index, later] of inOrder.entries()) {
    const earlier = inOrder[index - 1];
    if (earlier) expectHolds(later, earlier, "no order explains both");
  }
  for (const later of sights)
    for (const earlier of sights.filter(({ to }) => to < later.from)) expectHolds(later, earlier, "what was seen is gone");
}

/** What was answered before the read began is in it; what was sent after its end is not. */
function expectInTime(recordings: readonly Recording[], { name, saw, from, to }: Sight): void {
  for (const one of recordings) {
    if (one.to < from) expect(saw.has(one.id), `${name} misses recording ${one.id}, which was answered before it began`).toBe(true);
    if (one.from > to) expect(saw.has(one.id), `${name} saw recording ${one.id} before it was sent`).toBe(false);
  }
}

function expectHolds(later: Sight, earlier: Sight, reason: string): void {
  const missing = [...earlier.saw].filter((id) => !later.saw.has(id));
  expect(missing, `${reason}: ${earlier.name} saw what ${later.name} did not`).toEqual([]);
}
