// Prepares each rule: its protection, its time limit, and what a failure shows.

import { subscribe } from "node:diagnostics_channel";
import { afterEach, aroundEach, beforeEach, onTestFailed, type TestContext } from "vitest";
import { operationAt } from "../contract/contract.ts";
import { sampledOut } from "../values/depth.ts";
import { runWithinLimit } from "../values/rule-time.ts";
import { running } from "../values/running.ts";
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

// Notes which operations of the contract each rule calls, whatever client sends the request.

declare module "vitest" {
  interface TaskMeta {
    /** Ids of the operations that the rule has called, on any server. */
    operations?: string[];
  }
}

/** The channels on which Node names each request: those of `node:http`, and those of `fetch` and `WebSocket`. */
const channels = ["http.client.request.start", "undici:request:create"];

let isSubscribed = false;

/** Notes from now on, for the running rule. What a hook around a whole file calls belongs to no rule. */
export function noteCalledOperations(): void {
  if (isSubscribed) return;
  isSubscribed = true;
  for (const channel of channels) subscribe(channel, (message) => noteCall((message as { request: Call }).request));
}

type Call = { method: string; path: string };

function noteCall({ method, path }: Call): void {
  const test = running();
  const id = operationAt(method, path.split("?", 1)[0] ?? "")?.id;
  if (!test || id === undefined) return;
  test.meta.operations ??= [];
  if (!test.meta.operations.includes(id)) test.meta.operations.push(id);
}
