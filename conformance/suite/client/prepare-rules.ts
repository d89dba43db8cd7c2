// Prepares each rule: its protection, its time limit, and what a failure shows.

import { afterEach, aroundEach, beforeEach, onTestFailed, type TestContext } from "vitest";

import { sampledOut } from "../values/depth.ts";
import { runWithinLimit } from "../values/rule-time.ts";
import { noteCalledOperations } from "./called-operations.ts";
import { noteFailure } from "./failure.ts";
import { restoreAfterRule } from "./protection/guard.ts";
import { guardFetch } from "./protection/guarded-fetch.ts";
import { curlLinesOf, forgetRequests, lastExchanges } from "./trace.ts";

/** Prepares the rules of a file before they are collected: a server of someone else is left as it was after each. */
export function prepareRules(): void {
  noteCalledOperations();
  guardFetch();
  aroundEach(runWithinLimit);
  afterEach(restoreAfterRule);
  beforeEach(prepareRule);
}

/** A failing rule shows its last requests; quick and rate-limited runs skip some rules. */
function prepareRule(context: TestContext): void {
  forgetRequests();
  const reason = sampledOut(context.task);
  if (reason !== null) context.skip(`not run: ${reason}`);
  onTestFailed(({ task }) => {
    noteFailure();
    const lines = curlLinesOf(lastExchanges());
    if (lines.length > 0) console.error(`last requests of "${task.name}":\n  ${lines.join("\n  ")}`);
  });
}
