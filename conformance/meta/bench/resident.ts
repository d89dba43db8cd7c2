// The memory that a process keeps, for the benches that compare it.

import { setTimeout as sleep } from "node:timers/promises";

/** The resident memory of the process once it no longer changes, because V8 returns memory with a delay. */
export async function settledMegabytes(metrics: string): Promise<number> {
  const read = async () => {
    const text = await (await fetch(metrics)).text();
    return Number(/^process_resident_memory_bytes (\S+)/m.exec(text)?.[1]) / 2 ** 20;
  };
  const readings = [await read()];
  for (let second = 0; second < 60; second += 1) {
    await sleep(1_000);
    readings.push(await read());
    const last = readings.slice(-8);
    if (last.length === 8 && Math.max(...last) - Math.min(...last) < 1) break;
  }
  return readings.at(-1) as number;
}
