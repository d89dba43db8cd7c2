import { Agent, type IncomingMessage, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { create, expectProblem, list, recorded } from "../../suite/client/api.ts";
import { checkAnswer } from "../../suite/client/check-answer.ts";
import { loginOf } from "../../suite/client/oauth/authorization.ts";
import { clientOf } from "../../suite/client/oauth/oauth-client.ts";
import { formTo, newVisitor, submit, visit } from "../../suite/client/page-visitor.ts";
import type { Reply, Request } from "../../suite/contract/http-request.ts";
import { databaseUrl } from "../../suite/servers/database.ts";
import { needsOwnProcess, type Process, startProcess } from "../../suite/servers/start-server.ts";
import { fullDonation } from "../../suite/values/donations.ts";
import { keyOf, target } from "../../suite/values/target.ts";

// An overloaded server: a lock in its database delays it. It must refuse early and lose nothing that it acknowledged. What is early is
// seen from the order of the answers, so that no rule depends on the speed of the machine.

/** An early refusal overtakes a request that was sent at least this many places before it. Without them answers come in the order of requests. */
const overtakenPlaces = 5;
/** Requests that a busy server refuses are repeated, as Retry-After says. */
const maxAttempts = 60;

let server: Process | null = null;
let locker: pg.Client | null = null;
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

const allOf = <T>(count: number, one: (index: number) => Promise<T>): Promise<T[]> => Promise.all(times(count, one));

/** An answer, and the index of its request among those sent together; answers stand in the order in which they came. */
type Answered = { reply: Reply; index: number };

/** Runs `work` while the statement's locks are held; afterwards waits for the requests that it started. */
async function holding<T>(statement: string, work: () => Promise<Promise<T>[]>): Promise<T[]> {
  await locker?.query("begin");
  await locker?.query(statement);
  return Promise.all(await work().finally(() => locker?.query("rollback")));
}

/** Resolves when this many of the requests are refused, or all are answered. */
function whenRefused(count: number, replies: Promise<Reply>[]): Promise<Promise<Reply>[]> {
  let refused = 0;
  return new Promise((resolve, reject) => {
    for (const reply of replies) reply.then(({ status }) => status === 503 && ++refused === count && resolve(replies), reject);
    Promise.allSettled(replies).then(() => resolve(replies));
  });
}

/** Posts over its own connections: the suite's client opens at most 64, too few here. */
const crowd = new Agent({ keepAlive: false });

async function ask(path: string, body?: string): Promise<Reply> {
  const asked: Request = { method: body === undefined ? "GET" : "POST", path, ...(body === undefined ? {} : { body }) };
  const headers = { Authorization: `Bearer ${target().keys.main}`, "Content-Type": "application/json" };
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    request(`${server?.url}${path}`, { agent: crowd, method: asked.method, headers }, resolve).on("error", reject).end(body);
  });
  let text = "";
  for await (const chunk of message.setEncoding("utf8")) text += chunk;
  const reply = { status: message.statusCode ?? 0, headers: message.headers, text, body: JSON.parse(text) };
  checkAnswer(asked, reply);
  return reply;
}

function expectLater(reply: Reply): void {
  expectProblem(reply, 503, "unavailable");
  expect(Number(reply.headers["retry-after"])).toBeGreaterThan(0);
}

const post = (body: object): Promise<Reply> => ask("/api/v1/donations", JSON.stringify(body));

/** Expects each to be recorded or refused, or of unknown outcome, because a busy database answered too late: sending it again settles that. */
function expectHonest(replies: Reply[]): void {
  for (const { status, text } of replies) {
    if (status === 500) expect(text).toContain("The outcome is unknown. Retry with the same idempotencyKey.");
    else expect([201, 409, 503], text).toContain(status); // 409: waited for the first one in vain
  }
}

/** Expects the donation to be recorded; one that the server refuses for being busy is sent again, as Retry-After says. */
async function expectRecorded(body: object, options: { key?: string } = {}): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const reply = await create(body, { ...options, ...at() });
    if (reply.status !== 503 || attempt === maxAttempts) return void recorded(reply);
    await sleep(Number(reply.headers["retry-after"]) * 1000);
  }
}

/** Expects refused donations to have used up no idempotency key: each can be recorded now. */
async function expectAllRecorded(bodies: object[]): Promise<void> {
  for (const body of bodies) await expectRecorded(body);
}

/** The refusals that came while a request that was sent well before theirs was still waiting. */
const earlyRefusals = (answered: Answered[]): Answered[] =>
  answered.filter(
    ({ reply, index }, place) => reply.status === 503 && answered.slice(place).some((later) => later.index <= index - overtakenPlaces),
  );

beforeEach(needsOwnProcess);

test("donations to a locked streamer are refused early and other streamers' are recorded; afterwards all is as before", async (context) => {
  const other = keyOf(context, "other");
  const bodies = times(25, fullDonation);
  const answered: Answered[] = [];
  const replies = await holding(
    "select from streamers where id = (select streamer_id from streamer_handles where handle = 'main') for update",
    async () => {
      const sent: Promise<Reply>[] = [];
      for (const [index, body] of bodies.entries()) {
        const reply = post(body);
        sent.push(reply);
        void reply.then((one) => answered.push({ reply: one, index }));
        await sleep(100);
        if (index % 5 === 0) await expectRecorded(fullDonation(), { key: other });
      }
      return sent;
    },
  );
  for (const reply of replies.filter(({ status }) => status === 503)) expectLater(reply);
  expect(earlyRefusals(answered).length).toBeGreaterThan(3);
  expectHonest(replies);
  await expectAllRecorded(bodies.filter((_, index) => replies[index]?.status !== 201));
});

test("1,300 concurrent donations to a locked streamer: those above a thousand are refused at once", async () => {
  const bodies = times(1_300, fullDonation);
  const replies = await holding(
    "select from streamers where id = (select streamer_id from streamer_handles where handle = 'main') for update",
    () => whenRefused(200, bodies.map(post)),
  );
  const refused = bodies.filter((_, index) => replies[index]?.status === 503);
  expect(refused.length).toBeGreaterThanOrEqual(200);
  for (const reply of replies) if (reply.status === 503) expectLater(reply);
  expectHonest(replies);
  const unknown = bodies.filter((_, index) => replies[index]?.status === 500);
  await expectAllRecorded([...refused.slice(0, 20), ...unknown]);
});

test("reads that wait for a locked table are answered when it is free; more than the server lets wait are refused at once", async () => {
  const asked = () => times(800, (index) => ask(`/api/v1/donations?limit=1&minAmount=0.${1_000 + index}`)); // no two are the same
  const replies = await holding("lock table donations in access exclusive mode", () => whenRefused(150, asked()));
  const refused = replies.filter(({ status }) => status === 503);
  expect(refused.length).toBeGreaterThanOrEqual(150);
  for (const reply of refused) expectLater(reply);
  expect(replies.filter(({ status }) => status === 200).length).toBe(800 - refused.length);
  expect((await list({ limit: 1 }, at())).status).toBe(200);
});

// Pages and probes take no credential, so no rate limit bounds them: strangers who request them endlessly must not keep readers of
// the API from the database. The rules lock tables that pages need, so that pages wait for long.

const crowdSize = 300;
const maxReadings = 10;
/** Only a server that refuses nothing reaches it. */
const longestWaitMs = 60_000;

/** Requests over one connection each. */
const keptCrowd = new Agent({ keepAlive: true });

/**
 * The status; 0 when the connection was closed instead. A server may close an idle connection at the moment when it is used again:
 * that request is sent once more (RFC 9112 9.3.1).
 */
const status = (path: string, cookie = ""): Promise<number> =>
  new Promise((resolve) => {
    const sent = request(`${server?.url}${path}`, { agent: keptCrowd, headers: { Cookie: cookie } }, (answer) => {
      answer.resume().on("end", () => resolve(answer.statusCode ?? 0));
    });
    sent.on("error", () => resolve(sent.reusedSocket ? status(path, cookie) : 0)).end();
  });

/** Runs `work` while the table is locked against reading. */
async function locking<T>(table: string, work: () => Promise<T>): Promise<T> {
  await locker?.query("begin");
  await locker?.query(`lock table ${table} in access exclusive mode`);
  return work().finally(() => locker?.query("rollback"));
}

/** Expects readers to be served while the table is locked: on a busy machine perhaps not at once, but when Retry-After says so. */
async function readersAreServed(): Promise<void> {
  for (const reply of await allOf(8, () => readPatiently())) expect(reply.status).toBe(200);
}

async function readPatiently(): Promise<Reply> {
  for (let attempt = 1; ; attempt += 1) {
    const reply = await list({ limit: 1 }, { server: server?.url ?? "" });
    if (reply.status !== 503 || attempt === maxReadings) return reply;
    await sleep(Number(reply.headers["retry-after"]) * 1000);
  }
}

test("session cookies that were made up, or come from the login page, are not looked up in the database", () =>
  locking("sessions", async () => {
    const invented = (index: number) => `namjai_session=${String(index).padStart(43, "a")}`;
    const visitor = newVisitor(server?.url);
    await visit(visitor, "/oauth/login");
    const [[name, { value }] = ["", { value: "" }]] = [...visitor.cookies];
    const statuses = await allOf(crowdSize, (index) => status("/studio", index % 2 === 0 ? invented(index) : `${name}=${value}`));
    expect(new Set(statuses)).toEqual(new Set([303]));
    await readersAreServed();
  }));

test("streamers' pages that wait for the database delay no reader of the API; more than may wait are refused at once", async () => {
  const visitor = newVisitor(server?.url);
  await submit(visitor, formTo(await visit(visitor, "/studio/keys"), "/oauth/login"), loginOf("main"));
  const cookie = [...visitor.cookies].map(([name, { value }]) => `${name}=${value}`).join("; ");
  let waiting: Promise<number[]> = Promise.resolve([]);
  let refused = 0;
  await locking("sessions", async () => {
    waiting = allOf(2 * crowdSize, async () => {
      const answered = await status("/studio/keys", cookie);
      if (answered === 503) refused += 1;
      return answered;
    });
    await expect.poll(() => refused, { timeout: longestWaitMs }).toBeGreaterThan(crowdSize);
    await readersAreServed();
  });
  const statuses = await waiting;
  expect(new Set(statuses)).toEqual(new Set([200, 503]));
});

test("strangers' authorization requests that wait for the database delay no reader of the API", async () => {
  let waiting: Promise<number[]> = Promise.resolve([]);
  await locking("oauth_clients", async () => {
    waiting = allOf(crowdSize, () => status(`/oauth/authorize?client_id=${clientOf("second").id}`));
    await sleep(500);
    await readersAreServed();
  });
  for (const one of await waiting) expect([400, 503]).toContain(one);
});
