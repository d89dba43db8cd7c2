// What vitest's functions read of their worker, set by the package itself.

import type { VitestOptions } from "../suite/command/vitest.ts";
import { stateLimitMs } from "../suite/values/time-limits.ts";

/** Sets what vitest's functions `inject` and `expect` read of the worker they run in; once in each thread. */
export function provideWorkerState(targets: VitestOptions["targets"]): void {
  const config = { snapshotOptions: { expand: false }, expect: { poll: { timeout: stateLimitMs } } };
  Object.defineProperty(globalThis, "__vitest_worker__", { value: { config, providedContext: { targets: [...targets] }, ctx: {} } });
}
