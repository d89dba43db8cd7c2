import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { type BodyLine, type BodyLines, readBodyLines } from "../../http/body/json.ts";
import type { Principal } from "../../http/operations.ts";
import { Problem, problemOf } from "../../http/problem.ts";
import { type DonationInput, justStored } from "../donation.ts";
import { type ImportJob, openAnswer } from "./import-donations.ts";
import type { ImportStore } from "./import-store.ts";
import { importUndone } from "./importer.ts";
import type { ImportOutcome } from "./outcomes.ts";

const principal: Principal = { streamerId: "s", applicationId: "a", scopes: [], credential: { kind: "api_key", id: "k" } };
const line: BodyLine = {
  index: 0,
  value: { donatorName: "a", amount: 1, currency: "THB", message: "", skipAlert: true, idempotencyKey: "k" },
};
const faulty: BodyLine = { index: 0, problem: new Problem("malformed_json", "The body is not well-formed JSON.") };

/** A job that records everything at once, and the number of streams that are open. */
function makeJob(others: Partial<ImportJob> = {}): { job: ImportJob; open: () => number } {
  let open = 0;
  const job: ImportJob = {
    importer: {
      record: async (_, donations) =>
        donations.map((donation) => ({ status: "fulfilled", value: { created: true, donation: justStored(donation, 0, 1) } })),
      drain: async () => {},
    },
    imports: {} as ImportStore,
    checkItem: (value) => ({ donation: value as DonationInput }),
    takeTokens: async () => ({}),
    admit: () => {
      open += 1;
      return { release: () => void (open -= 1), lost: new AbortController().signal, noteUse: () => {} };
    },
    authenticator: { recall: () => principal, verify: async () => principal, likelihood: () => "proven" },
    leaving: new AbortController().signal,
    principal,
    authorization: "Bearer k",
    importId: "i",
    ...others,
  };
  return { job, open: () => open };
}

/** Lines of a sender that sends no more after these groups, and does not end. */
async function* stalledAfter(...groups: BodyLine[][]): BodyLines & AsyncGenerator<readonly BodyLine[]> {
  yield* groups;
  await new Promise(() => {});
}

async function* endedAfter(...groups: BodyLine[][]): AsyncGenerator<readonly BodyLine[]> {
  yield* groups;
}

const rateLimited = async () => {
  throw new Problem("rate_limited", "Too many.", { headers: { "Retry-After": "3600" } });
};

async function outcomesOf(answer: AsyncIterable<Buffer>): Promise<ImportOutcome[]> {
  let text = "";
  for await (const chunk of answer) text += String(chunk);
  return text
    .split("\n")
    .slice(0, -1)
    .map((one) => JSON.parse(one));
}

const statusesOf = async (answer: AsyncIterable<Buffer>) => (await outcomesOf(answer)).map(({ status }) => status);

test("an import of lines whose place another streamer gets ends with the outcomes of what it has sent", async () => {
  const lost = new AbortController();
  let uses = 0;
  const admit = () => ({ release: () => {}, lost: lost.signal, noteUse: () => void (uses += 1) });
  const { job } = makeJob({ admit });
  const statuses = statusesOf(openAnswer(job, stalledAfter([line], [faulty])));
  await vi.waitUntil(() => uses > 0);
  await sleep(50);
  lost.abort();
  expect(await statuses).toEqual([201, 400]);
  expect(uses).toBe(1);
});

test("an import of lines whose client disconnects while it waits for the rate limit gives its place up at once", async () => {
  const { job, open } = makeJob({ takeTokens: rateLimited });
  const answer = openAnswer(job, stalledAfter([line, line]));
  answer.resume();
  await sleep(20);
  expect(open()).toBe(1);
  answer.destroy();
  await expect.poll(open).toBe(0);
});

test("an import of lines whose client disconnects while no line arrives gives its place up at once", async () => {
  const { job, open } = makeJob();
  const answer = openAnswer(job, stalledAfter([line]));
  answer.resume();
  await sleep(20);
  answer.destroy();
  await expect.poll(open).toBe(0);
});

test("a server that stops ends an import of lines after the lines that have arrived, without an error", async () => {
  const leaving = new AbortController();
  const { job, open } = makeJob({ leaving: leaving.signal });
  const statuses = statusesOf(openAnswer(job, stalledAfter([line, line])));
  await sleep(20);
  leaving.abort();
  expect(await statuses).toEqual([201, 201]);
  await expect.poll(open).toBe(0);
});

test("a sender that stalls in the middle of a line has its lines before it recorded, then request_timeout, and the answer ends", async () => {
  const body = new PassThrough();
  body.write(`${JSON.stringify("value" in line && line.value)}\n{"donatorName":`);
  const lines = readBodyLines(body as unknown as IncomingMessage, 50);
  expect(await outcomesOf(openAnswer(makeJob().job, lines))).toMatchObject([
    { index: 0, status: 201 },
    { index: 1, status: 408, problem: { code: "request_timeout" } },
  ]);
});

test("an import of lines ends before the next lines when its credential is revoked", async () => {
  let asked = 0;
  const verify = () => (++asked > 1 ? Promise.reject(new Problem("token_revoked", "Revoked.")) : Promise.resolve(principal));
  const { job } = makeJob({ authenticator: { likelihood: () => "none", recall: () => null, verify } });
  expect(await statusesOf(openAnswer(job, endedAfter([line], [line], [line])))).toEqual([201]);
});

test("an import of lines ends when the streamer undoes it meanwhile", async () => {
  const record = async () => [{ status: "rejected" as const, reason: problemOf(importUndone) }];
  const { job } = makeJob({ importer: { record, drain: async () => {} } });
  expect(await statusesOf(openAnswer(job, endedAfter([faulty, line], [line])))).toEqual([400, 409]);
});

test("an import of lines takes a token for each line, counting that of the request", async () => {
  const taken: number[] = [];
  const takeTokens = async (_: Principal, tokens: number) => {
    taken.push(tokens);
    return {};
  };
  await outcomesOf(openAnswer(makeJob({ takeTokens }).job, endedAfter([line], [line, faulty], [line])));
  expect(taken).toEqual([2, 1]);
});

test("empty lines take no tokens, and have one outcome at the end with the place of the first and their count", async () => {
  const taken: number[] = [];
  const takeTokens = async (_: Principal, tokens: number) => {
    taken.push(tokens);
    return {};
  };
  const text = JSON.stringify("value" in line && line.value);
  const body = PassThrough.from([Buffer.from(`${text}\n\n \t\n${text}\r\n\r\n${"\n".repeat(300_000)}${text}`)]);
  const outcomes = await outcomesOf(openAnswer(makeJob({ takeTokens }).job, readBodyLines(body as unknown as IncomingMessage)));
  expect(outcomes.map(({ index, status }) => [index, status])).toEqual([
    [0, 201],
    [3, 201],
    [300_005, 201],
    [1, 400],
  ]);
  expect(outcomes.at(-1)?.problem).toMatchObject({
    code: "malformed_json",
    detail: "300003 lines are empty and left out.",
    emptyLines: 300_003,
  });
  expect(taken).toEqual([1, 1]);
});

test("empty lines do not keep a sender's import open: the line that does not arrive is request_timeout", async () => {
  const body = new PassThrough();
  const trickle = setInterval(() => body.write("\n"), 5);
  const lines = readBodyLines(body as unknown as IncomingMessage, 100);
  const outcomes = await outcomesOf(openAnswer(makeJob().job, lines)).finally(() => clearInterval(trickle));
  expect(outcomes.map(({ problem }) => problem?.code)).toEqual(["request_timeout", "malformed_json"]);
});

test("an import of lines ends when the server can record nothing, also when lines at fault are among the others", async () => {
  const record = async () => [{ status: "rejected" as const, reason: new Problem("unavailable", "Nothing was recorded.") }];
  const { job } = makeJob({ importer: { record, drain: async () => {} } });
  expect(await statusesOf(openAnswer(job, endedAfter([faulty, line], [line])))).toEqual([400, 503]);
});

test("lines at fault alone do not end an import of lines", async () => {
  expect(await statusesOf(openAnswer(makeJob().job, endedAfter([faulty], [line])))).toEqual([400, 201]);
});

test("an import of lines reads no further than the client reads its answer", async () => {
  let read = 0;
  async function* endless(): AsyncGenerator<readonly BodyLine[]> {
    for (;;) {
      read += 1;
      yield Array.from({ length: 100 }, () => line);
    }
  }
  const answer = openAnswer(makeJob().job, endless());
  await sleep(100);
  expect(read).toBeLessThan(10);
  answer.destroy();
});

test("an import whose client has gone keeps its place until its lines are recorded", async () => {
  let finish = () => {};
  const recorded = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let recording = 0;
  const record: ImportJob["importer"]["record"] = async (_, donations) => {
    recording += 1;
    await recorded;
    return donations.map((donation) => ({ status: "fulfilled", value: { created: true, donation: justStored(donation, 0, 1) } }));
  };
  const { job, open } = makeJob({ importer: { record, drain: async () => {} } });
  const answer = openAnswer(job, stalledAfter([line]));
  answer.resume();
  await expect.poll(() => recording).toBe(1);
  answer.destroy();
  await sleep(50);
  expect(open()).toBe(1);
  finish();
  await expect.poll(open).toBe(0);
});
