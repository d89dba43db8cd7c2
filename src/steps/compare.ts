// Two ways to do one thing, timed in turn, so that whatever else the machine does meanwhile falls on both.

import { setImmediate as othersTurn } from "node:timers/promises";

export type Step = Readonly<{ name: string; before: Way; now: Way }>;

export type Way = Readonly<{ how: string; repeat: Repeat }>;

/** Does it so many times. */
export type Repeat = (times: number) => void | Promise<void>;

/** Medians, in microseconds each. */
export type Compared = Readonly<{ name: string; before: Timed; now: Timed; ratio: number }>;
type Timed = Readonly<{ how: string; us: number }>;

/** Shorter rounds would tell more of the garbage collector than of the step. */
const roundMs = 60;

export async function compare({ name, before, now }: Step, rounds: number): Promise<Compared> {
  const times = { before: await timesFor(before), now: await timesFor(now) };
  const us: Record<"before" | "now", number[]> = { before: [], now: [] };
  for (let round = 0; round < rounds; round += 1) {
    us.before.push(((await msOf(before, times.before)) * 1_000) / times.before);
    us.now.push(((await msOf(now, times.now)) * 1_000) / times.now);
  }
  const [was, is] = [median(us.before), median(us.now)];
  return { name, before: { how: before.how, us: was }, now: { how: now.how, us: is }, ratio: was / is };
}

/** How many fill a round. Asking this warms the code up, too. */
async function timesFor(way: Way): Promise<number> {
  for (let times = 1; ; times *= 2) {
    const ms = await msOf(way, times);
    if (ms >= roundMs) return times;
  }
}

async function msOf({ repeat }: Way, times: number): Promise<number> {
  await othersTurn(); // revocations, say, are read meanwhile: who can't read them lets nobody in
  const start = performance.now();
  await repeat(times);
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}

/** What was answered last: the compiler must not leave out what nobody looks at. */
export const kept: { answer: unknown } = { answer: undefined };

export function often(once: () => unknown): Repeat {
  return (times) => {
    for (let time = 0; time < times; time += 1) kept.answer = once();
  };
}

/** One after the other. */
export function oftenInTurn(once: () => Promise<unknown>): Repeat {
  return async (times) => {
    for (let time = 0; time < times; time += 1) kept.answer = await once();
  };
}
