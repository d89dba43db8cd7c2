// The operation importDonations: a list of donations, or lines of them, each judged and answered on its own.

import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { newId } from "../../db/ids.ts";
import { type BodyLine, type BodyLines, isBodyLines, linesType } from "../../http/body-lines.ts";
import type { Handler, Principal } from "../../http/operations.ts";
import { Problem } from "../../http/problem.ts";
import type { ImportStore } from "./import-store.ts";
import type { Importer } from "./importer.ts";
import { type CheckItem, type ImportOutcome, judgeItems, toOutcomes } from "./outcomes.ts";

export type ImportDeps = {
  importer: Pick<Importer, "record">;
  imports: Pick<ImportStore, "start">;
  checkItem: CheckItem;
  /** Takes tokens of the rate limit, one for each donation, and returns the headers that say what is left. Throws rate_limited. */
  takeTokens: (principal: Principal, tokens: number) => Promise<Readonly<Record<string, string>>>;
  /** Admits a stream of lines, and returns the function that ends it. Throws rate_limited. */
  admit: (streamerId: string) => () => void;
};

type Job = ImportDeps & Readonly<{ principal: Principal; importId: string }>;

export const importDonations =
  (deps: ImportDeps): Handler<"importDonations"> =>
  async ({ query, body }, principal) => {
    const importId = query.importId ?? newId();
    const job = { ...deps, principal, importId };
    const headers = { "Import-Id": importId };
    if (isBodyLines(body)) return { status: 200, headers, type: linesType, body: await openAnswer(job, body) };
    const transport = await takeTokens(job, body.donations.length - 1); // the request itself has taken one
    await deps.imports.start(principal.streamerId, importId);
    const outcomes = await record(
      job,
      body.donations.map((value) => ({ value })),
      0,
    );
    return { status: 200, headers, transport, body: { data: { importId, outcomes } } };
  };

async function takeTokens({ principal, takeTokens: take }: Job, tokens: number) {
  return tokens > 0 ? take(principal, tokens) : {};
}

/** The answer to lines. Its stream reads the lines as fast as the client reads the answer. */
async function openAnswer(job: Job, lines: BodyLines): Promise<Readable> {
  const { principal, importId, imports, admit } = job;
  const release = admit(principal.streamerId);
  try {
    await imports.start(principal.streamerId, importId);
    return Readable.from(answerLines(job, lines), { objectMode: false, highWaterMark: 16_384 }).once("close", release);
  } catch (error) {
    release();
    throw error;
  }
}

/** Answers in the order of the lines. Ends early when the server cannot record: the client sends the import again. */
async function* answerLines(job: Job, lines: BodyLines): AsyncGenerator<string> {
  let index = 0;
  for await (const group of lines) {
    await waitForTokens(job, group.length);
    const outcomes = await record(job, group, index);
    index += outcomes.length;
    yield outcomes.map((outcome) => `${JSON.stringify(outcome)}\n`).join("");
    if (outcomes.every(({ status }) => status >= 500)) return;
  }
}

async function waitForTokens({ principal, takeTokens: take }: Job, tokens: number): Promise<void> {
  for (;;) {
    try {
      await take(principal, tokens);
      return;
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== "rate_limited") throw error;
      await sleep(1_000 * Number(error.extras.headers?.["Retry-After"] ?? 1));
    }
  }
}

async function record(
  { importer, checkItem, principal, importId }: Job,
  items: readonly BodyLine[],
  from: number,
): Promise<ImportOutcome[]> {
  const judged = judgeItems(items, principal, checkItem);
  const donations = judged.flatMap((item) => ("donation" in item ? [item.donation] : []));
  return toOutcomes(judged, await importer.record(importId, donations), from);
}
