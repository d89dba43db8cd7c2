// Prepares each rule: its protection, its time limit, and what a failure shows.

import { subscribe } from "node:diagnostics_channel";
import { afterEach, aroundEach, beforeEach, onTestFailed, type TestContext } from "vitest";
import { operationAt } from "../contract/contract.ts";
import { isRepeatable } from "../contract/http-request.ts";
import { expectTimeToWait, sampledOut } from "../values/depth.ts";
import { running, runWithinLimit } from "../values/running.ts";
import { target } from "../values/target.ts";
import { noteFailure } from "./failure.ts";
import { guarded, refuseAfterInterruption, restoreAfterRule } from "./protection/guard.ts";
import { expectNotRefused, withRateLimitRetries } from "./send-once.ts";
import { curlLinesOf, forgetRequests, lastExchanges } from "./trace.ts";

// Sends what official clients request through the guard.

/** Lets `fetch`, which official clients use, send to the server under test only what the guard allows. */
function guardFetch(): void {
  if (target().protection === null || globalThis.fetch === guardedFetch) return;
  globalThis.fetch = guardedFetch;
}

const plainFetch = globalThis.fetch;

async function guardedFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  const base = new URL(target().url);
  const { origin, pathname, search } = new URL(request.url);
  if (origin !== base.origin) return plainFetch(input, init);
  const body = await request.clone().text();
  const path = pathname.slice(base.pathname.replace(/\/$/, "").length) + search;
  const key = /^Bearer (.*)$/i.exec(request.headers.get("authorization") ?? "")?.[1] ?? null;
  const sent = { method: request.method, path, key, body };
  const how = { beforeWait: expectTimeToWait, isRepeatable: isRepeatable(sent) };
  const attempt = async () => {
    const response = await plainFetch(request.clone());
    return { response, status: response.status, headers: Object.fromEntries(response.headers), body: await jsonOf(response) };
  };
  const answer = await guarded(sent, attempt, (once) => withRateLimitRetries(once, how));
  expectNotRefused(answer);
  return answer.response;
}

/** The body of an answer that is JSON; a stream is not read. */
async function jsonOf(response: Response): Promise<unknown> {
  if (!/^application\/json\b/i.test(response.headers.get("content-type") ?? "")) return undefined;
  return response
    .clone()
    .json()
    .catch(() => undefined);
}

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
  refuseAfterInterruption(context.signal);
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
