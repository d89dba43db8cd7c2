import { Agent, type IncomingMessage, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { create, expectProblem, list, recorded } from "../../harness/client/api.ts";
import { checkAnswer } from "../../harness/client/check-answer.ts";
import type { Reply, Request } from "../../harness/client/http-client.ts";
import { fullDonation } from "../../harness/generators/donations.ts";
import { needsClients } from "../../harness/oauth/oauth-client.ts";
import { databaseUrl } from "../../harness/server/database.ts";
import { type Process, startProcess } from "../../harness/server/process.ts";
import { keyOf, target } from "../../harness/server/target.ts";

// A server that has more to do than it can, because somebody holds a lock in its database. Refused is early, and nothing else is lost.

/** Those that wait for the lock are given an answer after two seconds; who is refused early has it long before. */
const earlyMs = 1_500;

let server: Process | null = null;
let locker: pg.Client | null = null;
beforeEach(needsClients);
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

/** Runs `work` while the statement's locks are held; then waits for what it has begun. */
async function holding<T>(statement: string, work: () => Promise<Promise<T>[]>): Promise<T[]> {
  await locker?.query("begin");
  await locker?.query(statement);
  return Promise.all(await work().finally(() => locker?.query("rollback")));
}

/** Resolves when so many of them are answered. */
function whenAnswered(count: number, answers: Promise<Timed>[]): Promise<Promise<Timed>[]> {
  let answered = 0;
  return new Promise((resolve, reject) => {
    for (const answer of answers) answer.then(() => ++answered === count && resolve(answers), reject);
  });
}

/** The suite's own client opens 64 connections, which are too few here. */
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

/** What was refused burned no key: it is recorded now, as if it had never been tried. */
async function recordedNow(bodies: object[]): Promise<void> {
  for (const body of bodies) recorded(await create(body, at()));
}

test("donations to a streamer that is locked are refused early; other streamers' are recorded; afterwards all is as before", async (context) => {
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
  expect(new Set(answers.map(({ reply }) => reply.status))).toEqual(new Set([201, 409, 503])); // 409: waited, in vain
  await recordedNow(bodies.filter((_, index) => answers[index]?.reply.status !== 201));
});

test("of 1,300 donations at once to a locked streamer, what is above a thousand is refused at once", async () => {
  const bodies = times(1_300, fullDonation);
  const answers = await holding("select from streamers where handle = 'main' for update", () => whenAnswered(200, bodies.map(post)));
  const refused = bodies.filter((_, index) => answers[index]?.reply.status === 503);
  expect(refused.length).toBeGreaterThanOrEqual(200);
  for (const answer of answers) if (answer.reply.status === 503) expectLater(answer);
  for (const { reply } of answers) expect(reply.status).toBeOneOf([201, 409, 503]); // 409: waited, in vain
  await recordedNow(refused.slice(0, 20));
});

test("readers that wait for a locked table are answered when it is free; more than the server lets wait are refused at once", async () => {
  const asked = () => times(400, () => ask("/api/v1/donations?limit=1"));
  const answers = await holding("lock table donations in access exclusive mode", () => whenAnswered(150, asked()));
  const refused = answers.filter(({ reply }) => reply.status === 503);
  expect(refused.length).toBeGreaterThanOrEqual(150);
  for (const answer of refused) expectLater(answer);
  expect(answers.filter(({ reply }) => reply.status === 200).length).toBe(400 - refused.length);
  expect((await list({ limit: 1 }, at())).status).toBe(200);
});
