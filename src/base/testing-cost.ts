// What work costs the processor, measured by a loop that every machine runs, so that bounds in tests hold on slow machines, too.

/** How many times the loop's processor time `work` takes of this thread, whatever else the machine does. The loop takes 60 to 110 ms. */
export function costInLoops(work: () => void): number {
  const before = processorTimeOf(loop);
  const own = processorTimeOf(work);
  return own / Math.max(before, processorTimeOf(loop));
}

function processorTimeOf(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  return process.threadCpuUsage(before).user;
}

function loop(): void {
  let sum = 0;
  for (let round = 0; round < 20_000_000; round += 1) sum = (sum + round) % 7;
  if (sum > 7) throw new Error("so that the loop is not left out");
}
