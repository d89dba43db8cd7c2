import { Agent, type IncomingMessage, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { create, expectProblem, list, recorded } from "../../harness/client/api.ts";
import { checkAnswer } from "../../harness/client/check-answer.ts";
import type { Reply, Request } from "../../harness/client/http-client.ts";
import { fullDonation } from "../../harness/generators/donations.ts";
import { databaseUrl } from "../../harness/server/database.ts";
import { needsOwnProcess, type Process, startProcess } from "../../harness/server/process.ts";
import { keyOf, target } from "../../harness/server/target.ts";

// An overloaded server: a lock in its database delays it. It must refuse early and lose nothing that it acknowledged.

/** Maximum time of an early refusal; requests that wait for the lock are answered after two seconds. */
const earlyMs = 1_500;

let server: Process | null = null;
let locker: pg.Client | null = null;
beforeEach(needsOwnProcess);
beforeAll(async () => {
  const { operator } = target();
  if (!operator) return;
  server = await startProcess(operator, "overload", { RATE_LIMITS: "read=100000/1,create=100000/1" });
  locker = new pg.Client({ connectionString: await databaseUrl(operator.env) });
  await locker.connect();
});
afterAll(async () => {
  await locker?.end();
  await server?.stop();
});

const at = () => ({ server: server?.url ?? "" });
const times = <T>(count: number, one: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => one(index));

type Timed = { reply: Reply; ms: number };

/** Runs `work` while the statement's locks are held; afterwards waits for the requests that it started. */
async function holding<T>(statement: string, work: () => Promise<Promise<T>[]>): Promise<T[]> {
  await locker?.query("begin");
  await locker?.query(statement);
  return Promise.all(await work().finally(() => locker?.query("rollback")));
}

/** Resolves when this many of the requests are answered. */
function whenAnswered(count: number, answers: Promise<Timed>[]): Promise<Promise<Timed>[]> {
  let answered = 0;
  return new Promise((resolve, reject) => {
    for (const answer of answers) answer.then(() => ++answered === count && resolve(answers), reject);
  });
}

/** Posts over its own connections: the suite's client opens at most 64, too few here. */
const crowd = new Agent({ keepAlive: true });

async function ask(path: string, body?: string): Promise<Timed> {
  const asked: Request = { method: body === undefined ? "GET" : "POST", path, ...(body === undefined ? {} : { body }) };
  const headers = { Authorization: `Bearer ${target().keys.main}`, "Content-Type": "application/json" };
  const began = performance.now();
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    request(`${server?.url}${path}`, { agent: crowd, method: asked.method, headers }, resolve).on("error", reject).end(body);
  });
  let text = "";
  for await (const chunk of message.setEncoding("utf8")) text += chunk;
  const reply = { status: message.statusCode ?? 0, headers: message.headers, text, body: JSON.parse(text) };
  checkAnswer(asked, reply);
  return { reply, ms: performance.now() - began };
}

function expectLater({ reply }: Timed): void {
  expectProblem(reply, 503, "unavailable");
  expect(Number(reply.headers["retry-after"])).toBeGreaterThan(0);
}

const post = (body: object): Promise<Timed> => ask("/api/v1/donations", JSON.stringify(body));

/** Expects refused donations to have used up no idempotency key: each can be recorded now. */
async function recordedNow(bodies: object[]): Promise<void> {
  for (const body of bodies) recorded(await create(body, at()));
}

test("donations to a locked streamer are refused early and other streamers' are recorded; afterwards all is as before", async (context) => {
  const other = keyOf(context, "other");
  const bodies = times(25, fullDonation);
  const answers = await holding("select from streamers where handle = 'main' for update", async () => {
    const sent: Promise<Timed>[] = [];
    for (const [index, body] of bodies.entries()) {
      sent.push(post(body));
      await sleep(100);
      if (index % 5 === 0) recorded(await create(fullDonation(), { key: other, ...at() }));
    }
    return sent;
  });
  const refused = answers.filter(({ reply }) => reply.status === 503);
  for (const answer of refused) expectLater(answer);
  expect(refused.filter(({ ms }) => ms < earlyMs).length).toBeGreaterThan(3);
  for (const { reply } of answers) expect([201, 409, 503], reply.text).toContain(reply.status); // 409: waited for the first one in vain
  await recordedNow(bodies.filter((_, index) => answers[index]?.reply.status !== 201));
});

test("1,300 concurrent donations to a locked streamer: those above a thousand are refused at once", async () => {
  const bodies = times(1_300, fullDonation);
  const answers = await holding("select from streamers where handle = 'main' for update", () => whenAnswered(200, bodies.map(post)));
  const refused = bodies.filter((_, index) => answers[index]?.reply.status === 503);
  expect(refused.length).toBeGreaterThanOrEqual(200);
  for (const answer of answers) if (answer.reply.status === 503) expectLater(answer);
  for (const { reply } of answers) expect([201, 409, 503], reply.text).toContain(reply.status); // 409: waited for the first one in vain
  await recordedNow(refused.slice(0, 20));
});

test("reads that wait for a locked table are answered when it is free; more than the server lets wait are refused at once", async () => {
  const asked = () => times(800, (index) => ask(`/api/v1/donations?limit=1&minAmount=0.${1_000 + index}`)); // no two are the same
  const answers = await holding("lock table donations in access exclusive mode", () => whenAnswered(150, asked()));
  const refused = answers.filter(({ reply }) => reply.status === 503);
  expect(refused.length).toBeGreaterThanOrEqual(150);
  for (const answer of refused) expectLater(answer);
  expect(answers.filter(({ reply }) => reply.status === 200).length).toBe(800 - refused.length);
  expect((await list({ limit: 1 }, at())).status).toBe(200);
});
