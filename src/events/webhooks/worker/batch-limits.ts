// Limits how many batches a process sends at the same time. Endpoints that fail or answer slowly have a limit of their own, so that they
// delay no other.

import limitConcurrency from "p-limit";

export type BatchLimits = Readonly<{ run: <Result>(isSlow: boolean, task: () => Promise<Result>) => Promise<Result> }>;

const quickBatches = 256;
const slowBatches = 64;

export function openBatchLimits(): BatchLimits {
  const [quick, slow] = [limitConcurrency(quickBatches), limitConcurrency(slowBatches)];
  return { run: (isSlow, task) => (isSlow ? slow : quick)(task) };
}
