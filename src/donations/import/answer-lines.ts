// The answer to an import of lines: a stream that reads the lines as fast as the client reads the answer.

import { once } from "node:events";
import { PassThrough, pipeline, type Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { jsonLine } from "../../base/text.ts";
import type { BodyLine, BodyLines } from "../../http/body/body-lines.ts";
import { Problem } from "../../http/problem.ts";
import type { ImportJob } from "./import-donations.ts";
import type { ImportOutcome } from "./outcomes.ts";
import { recordItems } from "./record-items.ts";
import type { StreamSlot } from "./stream-slots.ts";

/** Bytes of outcomes that wait for the client. With more than these no line is read. */
const maxWaitingBytes = 16_384;

/**
 * Has an outcome for each line that is not empty, in their order, and one for all empty lines. It ends early, and the client sends the import again, when the server can record nothing,
 * when it stops, when the credential is revoked, when the import is undone, and when another streamer gets its place. Throws as `admit`.
 */
export function openAnswer(job: ImportJob, lines: BodyLines): Readable {
  const slot = job.admit(job.principal.streamerId);
  const answer = new PassThrough({ highWaterMark: maxWaitingBytes });
  const gone = new AbortController();
  answer.once("close", () => gone.abort()); // also when the client has disconnected
  // The generator ends before `release` is called, so that the place is taken until its last lines are recorded, also when the client has gone; not when another streamer got it.
  const ended = AbortSignal.any([gone.signal, job.leaving, slot.lost]);
  pipeline(answerLines({ ...job, noteUse: slot.noteUse }, lines, ended), answer, slot.release);
  return answer;
}

type AdmittedJob = ImportJob & Pick<StreamSlot, "noteUse">;

async function* answerLines(job: AdmittedJob, lines: BodyLines, ended: AbortSignal): AsyncGenerator<string> {
  let isFirst = true;
  for await (const group of readUntil(ended, lines)) {
    const charged = group.filter((line) => !("emptyLines" in line)).length;
    const tokens = isFirst ? charged - 1 : charged; // the request itself has taken one
    isFirst = false;
    if (!(await isStillAllowed(job)) || !(await waitForTokens(job, tokens, ended))) return;
    const outcomes = await recordItems(job, group);
    if (outcomes.some(({ status }) => status < 400)) job.noteUse();
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
