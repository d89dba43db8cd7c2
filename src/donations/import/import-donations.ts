// The operation importDonations: a list of donations, or lines of them, each validated and answered on its own.

import { once } from "node:events";
import { PassThrough, pipeline, type Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { jsonLine } from "../../base/text.ts";
import { newId } from "../../db/ids.ts";
import { type BodyLine, type BodyLines, isBodyLines, linesType } from "../../http/body/json.ts";
import type { Authenticator } from "../../http/guards.ts";
import type { Handler, Principal } from "../../http/operations.ts";
import { Problem } from "../../http/problem.ts";
import type { ImportStore } from "./import-store.ts";
import { type Importer, importUndone } from "./importer.ts";
import { type CheckItem, type ImportOutcome, toOutcomes, validateItems } from "./outcomes.ts";
import type { StreamSlot } from "./stream-slots.ts";

export type ImportDeps = {
  importer: Importer;
  imports: ImportStore;
  checkItem: CheckItem;
  /** Takes tokens of the rate limit, one for each donation, and returns the headers that say what is left. Throws rate_limited. */
  takeTokens: (principal: Principal, tokens: number) => Promise<Readonly<Record<string, string>>>;
  /** Admits a stream of lines. Throws rate_limited. */
  admit: (streamerId: string) => StreamSlot;
  /** Asked again for each group of lines, because a credential may be revoked while they are sent. */
  authenticator: Authenticator;
  /** Aborted when the server stops: no further line is read. */
  leaving: AbortSignal;
};

export type ImportJob = ImportDeps & Readonly<{ principal: Principal; authorization: string | undefined; importId: string }>;

export const importDonations =
  (deps: ImportDeps): Handler<"importDonations"> =>
  async ({ query, body, caller: { authorization } }, principal) => {
    const importId = query.importId ?? newId();
    const job = { ...deps, principal, authorization, importId };
    const headers = { "Import-Id": importId };
    const begin = () => deps.imports.start(principal.streamerId, importId);
    if (isBodyLines(body)) return (await begin()) ? { status: 200, headers, type: linesType, body: openAnswer(job, body) } : importUndone;
    const further = body.donations.length - 1; // the request itself has taken one token
    const transport = further > 0 ? await deps.takeTokens(principal, further) : {};
    if (!(await begin())) return importUndone;
    const items = body.donations.map((value, index) => ({ index, value }));
    return { status: 200, headers, transport, body: { data: { importId, outcomes: await recordItems(job, items) } } };
  };

/** Never rejects. */
async function recordItems({ importer, checkItem, principal, importId }: ImportJob, items: readonly BodyLine[]): Promise<ImportOutcome[]> {
  const validated = validateItems(items, principal, checkItem);
  const donations = validated.flatMap((item) => ("donation" in item ? [item.donation] : []));
  return toOutcomes(validated, await importer.record(importId, donations));
}

/** Bytes of outcomes that wait for the client. With more than these no line is read. */
const maxWaitingBytes = 16_384;

/**
 * Has an outcome for each line that is not empty, in their order, and one for all empty lines. It ends early when the server can record nothing
 * or stops, when the credential is revoked, when the import is undone, and when another streamer gets its place: the client then sends the import
 * again. Throws as `admit`.
 */
export function openAnswer(job: ImportJob, lines: BodyLines): Readable {
  const slot = job.admit(job.principal.streamerId);
  const answer = new PassThrough({ highWaterMark: maxWaitingBytes });
  const gone = new AbortController();
  answer.once("close", () => gone.abort()); // also when the client has disconnected
  // The generator ends before `release` is called: the place is taken until the last lines are recorded, also when the client has gone. It is
  // free at once when another streamer got it.
  const ended = AbortSignal.any([gone.signal, job.leaving, slot.lost]);
  pipeline(answerLines({ ...job, slot }, lines, ended), answer, slot.release);
  return answer;
}

type AdmittedJob = ImportJob & Readonly<{ slot: StreamSlot }>;

async function* answerLines(job: AdmittedJob, lines: BodyLines, ended: AbortSignal): AsyncGenerator<string> {
  let isFirst = true;
  for await (const group of readUntil(ended, lines)) {
    const charged = group.filter((line) => !("emptyLines" in line)).length;
    const tokens = isFirst ? charged - 1 : charged; // the request itself has taken one
    isFirst = false;
    if (!(await isStillAllowed(job)) || !(await waitForTokens(job, tokens, ended))) return;
    const outcomes = await recordItems(job, group);
    if (outcomes.some(({ status }) => status < 400)) job.slot.noteUse();
    yield outcomes.map((outcome) => `${jsonLine(outcome)}\n`).join("");
    if (isOutOfOrder(outcomes) || outcomes.some(({ problem }) => problem?.code === "import_undone")) return;
  }
}

/** The groups of lines until the signal, which also ends the wait for the next one. */
async function* readUntil(ended: AbortSignal, lines: BodyLines): AsyncGenerator<readonly BodyLine[]> {
  const groups = lines[Symbol.asyncIterator]();
  while (!ended.aborted) {
    const next = await unlessAborted(ended, groups.next());
    if (next === null || next.done) return;
    yield next.value;
  }
}

/** Null when the signal comes first. The listener is removed each time: a promise of the signal would keep every group in memory. */
async function unlessAborted<Result>(ended: AbortSignal, result: Promise<Result>): Promise<Result | null> {
  const settled = new AbortController();
  const aborted = once(ended, "abort", { signal: settled.signal }).then(
    () => null,
    () => null,
  );
  return Promise.race([result, aborted]).finally(() => settled.abort());
}

async function isStillAllowed({ authenticator, authorization }: ImportJob): Promise<boolean> {
  try {
    return Boolean(authenticator.recall(authorization) ?? (await authenticator.verify(authorization)));
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}

/** Waits until the rate limit allows so many donations; false when the signal comes first. */
async function waitForTokens({ principal, takeTokens }: ImportJob, tokens: number, ended: AbortSignal): Promise<boolean> {
  while (tokens > 0 && !ended.aborted) {
    try {
      await takeTokens(principal, tokens);
      return true;
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== "rate_limited") throw error;
      await sleep(1_000 * Number(error.extras.headers?.["Retry-After"] ?? 1), undefined, { signal: ended }).catch(() => {});
    }
  }
  return !ended.aborted;
}

/** Whether donations failed on the side of the server, and none was recorded. */
function isOutOfOrder(outcomes: readonly ImportOutcome[]): boolean {
  return outcomes.some(({ status }) => status >= 500) && outcomes.every(({ status }) => status >= 400);
}
