// The limits of the contract, and the Retry-After of what they refuse.

import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { create, expectProblem, list, me, problemOf } from "../../suite/client/api.ts";
import { holdsForEach } from "../../suite/client/holds.ts";
import { send, sendUnchecked } from "../../suite/client/http-client.ts";
import { importAll, verdictsOf } from "../../suite/client/imports.ts";
import { clientOf, post } from "../../suite/client/oauth/oauth-client.ts";
import { acknowledge } from "../../suite/client/overlay/overlay-page.ts";
import { contract, operation, operations } from "../../suite/contract/contract.ts";
import type { Reply } from "../../suite/contract/http-request.ts";
import { offline } from "../../suite/contract/offline-rules.ts";
import { unknownId } from "../../suite/contract/resources.ts";
import { needsOwnProcess, type Process, startProcess } from "../../suite/servers/start-server.ts";
import { donation, freshKey } from "../../suite/values/donations.ts";
import { type Client, keyOf, target } from "../../suite/values/target.ts";

// Uses separate processes with full buckets, because the server under test does not limit the rate.

type Published = Record<string, { quota: number; window: number; burst: number; per: string }>;
const published = contract["x-rate-limits"] as Published;
const limitOf = (id: string): string | undefined => {
  const { path, method } = operation(id);
  return (contract.paths as Record<string, Record<string, Record<string, string>>>)[path]?.[method.toLowerCase()]?.["x-rate-limit"];
};

// So slow that no bucket gains a token while a rule runs, however busy the machine is.
const small = "import=5/3600/5,create=3/3600/3,read=2/3600/2,export=1/3600/1,token=2/3600/2,media=2/3600/2,failed=3/3600/3";
let limited: Process | null = null;
let asPublished: Process | null = null;
let behindProxy: Process | null = null;

beforeAll(async () => {
  const { operator } = target();
  if (!operator) return;
  limited = await startProcess(operator, "limits-small", { RATE_LIMITS: small });
  asPublished = await startProcess(operator, "limits-published", { RATE_LIMITS: "on" });
  behindProxy = await startProcess(operator, "limits-proxy", { RATE_LIMITS: small, PROXIES: "1" });
});
afterAll(() => Promise.all([limited?.stop(), asPublished?.stop(), behindProxy?.stop()]));
beforeEach(needsOwnProcess);

const there = (process = limited): { server: string } => ({ server: process?.url ?? "" });
const times = <T>(count: number, one: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => one(i)));
/** Tokens that a bucket of the published limit of 600 a minute gains since a time; on a slow machine a rule proves less and never fails. */
const gained = (since: number): number => Math.ceil((performance.now() - since) / 100);
const statuses = (replies: Reply[]): number[] => replies.map(({ status }) => status).sort();

describe("the limits are those of the contract", () => {
  test("the published limits are: creating 600 a minute, 60 at once; reading 300 a minute; exporting 6 in 5 minutes", offline, () =>
    expect([published.create, published.read, published.export]).toMatchObject([
      { quota: 600, window: 60, burst: 60 },
      { quota: 300, window: 60, burst: 300 },
      { quota: 6, window: 300, burst: 6 },
    ]),
  );

  test.each(operations.filter(({ scopes }) => scopes !== null))(
    "$id counts against a limit that the contract publishes",
    offline,
    ({ id }) => expect(Object.keys(published)).toContain(limitOf(id)),
  );

  test("60 concurrent creates pass, and not many more", async (context) => {
    const key = keyOf(context, "secondApplication");
    const began = performance.now();
    const replies = await times(90, () => create(donation({ skipAlert: true }), { key, ...there(asPublished) }));
    const passed = replies.filter(({ status }) => status === 201 || status === 503); // 503: the limit let it pass to a busy server
    expect(passed.length).toBeGreaterThanOrEqual(60);
    expect(passed.length).toBeLessThanOrEqual(60 + gained(began));
  });
});

describe("RateLimit headers", () => {
  test("successes and refusals carry RateLimit-Policy and RateLimit", async (context) => {
    const options = { key: keyOf(context, "other"), ...there(asPublished) };
    const began = performance.now();
    const good = await create(donation({ skipAlert: true }), options);
    const refused = await create({}, options);
    expect([good.headers["ratelimit-policy"], refused.headers["ratelimit-policy"]]).toEqual(['"create";q=600;w=60', '"create";q=600;w=60']);
    expect(good.headers.ratelimit).toMatch(/^"create";r=\d+;t=1$/);
    const left = (reply: Reply): number => Number(/r=(\d+)/.exec(String(reply.headers.ratelimit))?.[1]);
    expect(left(refused)).toBeGreaterThanOrEqual(left(good) - 1);
    expect(left(refused)).toBeLessThanOrEqual(left(good) - 1 + gained(began));
  });
});

describe("beyond the limit", () => {
  test("a request beyond the limit is refused with 429 rate_limited and a Retry-After that is long enough", async (context) => {
    const options = { key: keyOf(context, "main"), ...there(asPublished) };
    let late: Reply | undefined;
    for (let tries = 0; !late && tries < 20; tries += 1) {
      const replies = await times(90, () => create(donation({ skipAlert: true }), options));
      late = replies.find(({ status }) => status === 429);
    }
    if (!late) throw new Error("90 concurrent creates passed twenty times in a row");
    expectProblem(late, 429, "rate_limited");
    expect(late.headers.ratelimit).toBe(`"create";r=0;t=${late.headers["retry-after"]}`);
    await sleep(Number(late.headers["retry-after"]) * 1000);
    expect((await create(donation({ skipAlert: true }), options)).status).toBe(201);
  });

  test("the limit is checked before the body: an invalid body beyond it gets 429, not 400", async (context) => {
    const options = { key: keyOf(context, "writeOnly"), ...there() };
    await times(5, () => create({}, options));
    expectProblem(await create({}, options), 429, "rate_limited");
  });

  test("a request beyond the limit uses up no idempotency key", async (context) => {
    const options = { key: keyOf(context, "secondApplication"), ...there() };
    const body = donation({ skipAlert: true, idempotencyKey: freshKey() });
    let reply = await create(body, options);
    for (let i = 0; reply.status !== 429 && i < 20; i += 1) reply = await create(donation({ skipAlert: true }), options);
    expect(reply.status).toBe(429);
    const other = donation({ skipAlert: true, idempotencyKey: freshKey() });
    expect((await create(other, options)).status).toBe(429);
    expect((await create(other, { key: options.key })).status).toBe(201); // on the server without limits
  });

  test("each limit and each credential has a bucket of its own", async (context) => {
    const options = { key: keyOf(context, "readOnly"), ...there() };
    expect(statuses(await times(4, () => list({ limit: 1 }, options)))).toEqual([200, 200, 429, 429]);
    const exported = await send({ path: "/api/v1/donations/export?to=1990-01-01", ...options });
    expect(exported.status).toBe(200);
    for (const another of ["main", "quiet"] as const)
      expect((await list({ limit: 1 }, { ...options, key: keyOf(context, another) })).status).toBe(200);
  });

  test("an import takes a token for each donation: a list above what is left is refused, and records nothing", async (context) => {
    const options = { key: keyOf(context, "writeOnly"), ...there() };
    const some = (count: number) => Array.from({ length: count }, () => donation({ skipAlert: true, idempotencyKey: freshKey() }));
    const first = await importAll("JSON", some(3), options);
    expect([verdictsOf(first), first.headers["ratelimit-policy"]]).toEqual([[201, 201, 201], '"import";q=5;w=3600']);
    expect(first.headers.ratelimit).toMatch(/^"import";r=2;/);
    const more = some(3);
    expectProblem(await importAll("JSON", more, options), 429, "rate_limited"); // its request itself has taken a token
    expect(verdictsOf(await importAll("JSON", more, { key: options.key }))).toEqual([201, 201, 201]); // on the server without limits
    expect(verdictsOf(await importAll("NDJSON", some(1), options))).toEqual([201]);
    expectProblem(await importAll("NDJSON", some(1), options), 429, "rate_limited");
  });

  test("token requests count for the client that authenticates, and are refused with OAuth's error members", async () => {
    const { id, secret } = clientOf("second");
    const members = { grant_type: "refresh_token", refresh_token: "none", client_id: id, client_secret: secret ?? "" };
    const replies = [];
    for (let i = 0; i < 3; i += 1) replies.push(await post("/oauth/token", members, there()));
    expect(statuses(replies)).toEqual([400, 400, 429]);
    expect(replies[0]?.headers["ratelimit-policy"]).toBe('"token";q=2;w=3600');
    expect(replies[2]?.body).toMatchObject({ error: "temporarily_unavailable" });
  });

  test("files at /media count for each address alone, and a request beyond the limit is refused with 429 and Retry-After", async () => {
    const read = (address: string): Promise<Reply> =>
      sendUnchecked({ path: `/media?id=${"A".repeat(43)}`, key: null, ...there(behindProxy), headers: { "X-Forwarded-For": address } });
    const replies = [await read("203.0.113.1"), await read("203.0.113.1"), await read("203.0.113.1"), await read("203.0.113.2")];
    expect(replies.map(({ status }) => status)).toEqual([404, 404, 429, 404]);
    expect(Number(replies[2]?.headers["retry-after"])).toBeGreaterThan(0);
    expect(replies[2]?.headers["ratelimit-policy"]).toBe('"media";q=2;w=3600');
  });

  describe("token requests from several addresses", () => {
    const refreshFrom = (address: string, { id, secret }: Client): Promise<Reply> => {
      const members = { grant_type: "refresh_token", refresh_token: "none", client_id: id, ...(secret && { client_secret: secret }) };
      return post("/oauth/token", members, { ...there(behindProxy), headers: { "X-Forwarded-For": address } });
    };
    const statusesFrom = async (addresses: string[], client: Client): Promise<number[]> => {
      const replies = [];
      for (const address of addresses) replies.push(await refreshFrom(address, client));
      return replies.map(({ status }) => status);
    };

    test("a public client, which anybody can name, counts for each address alone: nobody can lock it out for others", async () => {
      const client = clientOf("public");
      expect(await statusesFrom(["203.0.113.1", "203.0.113.1", "203.0.113.1"], client)).toEqual([400, 400, 429]);
      expect(await statusesFrom(["203.0.113.2", "2001:db8::1", "2001:db8::2", "2001:db8::3"], client)).toEqual([400, 400, 400, 429]);
    });

    test("a confidential client, which has authenticated, counts as one whatever addresses it uses", async () =>
      expect(await statusesFrom(["203.0.113.1", "203.0.113.2", "203.0.113.3"], clientOf("confidential"))).toEqual([400, 400, 429]));
  });
});

// Runs last: afterwards this address is refused for a while.
test("an address with too many invalid credentials is refused with any other invalid one, and valid ones pass", async (context) => {
  const strange = { key: "namjai_v1_made_up", ...there() };
  const replies = [];
  for (let i = 0; i < 4; i += 1) replies.push(await list({}, strange));
  expect(replies.map(({ status }) => status)).toEqual([401, 401, 401, 429]);
  expect(problemOf(replies[3] as Reply)).toMatchObject({ code: "rate_limited" });
  expectProblem(await list({}, { key: null, ...there() }), 429, "rate_limited");
  for (const holder of ["quiet", "other"] as const) expect((await list({}, { key: keyOf(context, holder), ...there() })).status).toBe(200);
});

// Waits as each Retry-After says. A bucket of this process holds one token and gains the next one after 1.4 s: a time that is rounded down, or
// to the nearest second, is too short. Each request is judged by the time at which it was sent or answered, so that a slow
// machine makes a rule prove less and never fail.

const policies = ["create", "read", "export", "control", "overlay", "token"];
/** Tenths of a second until a bucket has its next token. */
const period = 14;
const periodMs = period * 100;
const limits = [...policies, "failed"].map((name) => `${name}=10/${period}/1`).join(",");
/** Milliseconds from a token to the request that is refused: once Retry-After is 1, and once 2. A new process is slow at first, when it matters less. */
const delaysMs = [600, 0];
/** The server's clock counts whole milliseconds. */
const clockMs = 5;

let oneToken: Process | null = null;
beforeAll(async () => {
  const { operator } = target();
  if (operator) oneToken = await startProcess(operator, "retry-after", { RATE_LIMITS: limits });
});
afterAll(() => oneToken?.stop());

type Ask = (server: string) => Promise<Reply>;
type Timed = { reply: Reply; sentAt: number; answeredAt: number };

async function timed(ask: () => Promise<Reply>): Promise<Timed> {
  const sentAt = performance.now();
  const reply = await ask();
  return { reply, sentAt, answeredAt: performance.now() };
}

/** The request that took a token, and the next one, which was refused. */
type Refusal = { taken: Timed; refused: Timed };

/** Asks again, so long after the token was taken, until a request is refused. */
async function untilRefused(ask: () => Promise<Reply>, taken: Timed, delayMs: number): Promise<Refusal> {
  let last = taken;
  for (let tries = 0; tries < 50; tries += 1) {
    await sleep(delayMs);
    const next = await timed(ask);
    if (next.reply.status === 429) return { taken: last, refused: next };
    last = next;
  }
  throw new Error("fifty requests in a row passed a limit of one at a time");
}

/** Every Retry-After that is right, as far as the times of both requests tell when the server decided on them. */
function possibleSeconds({ taken, refused }: Refusal): number[] {
  const shortest = periodMs - (refused.answeredAt - taken.sentAt) - clockMs;
  const longest = periodMs - (refused.sentAt - taken.answeredAt) + clockMs;
  const [from, to] = [shortest, longest].map((ms) => Math.max(1, Math.ceil(ms / 1000))) as [number, number];
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

/** The Retry-After of a refusal is the time to the next token, rounded up. */
async function expectTrueRetryAfter(ask: () => Promise<Reply>): Promise<void> {
  let last = await timed(ask);
  for (const delayMs of delaysMs) {
    const refusal = await untilRefused(ask, last, delayMs);
    const seconds = Number(refusal.refused.reply.headers["retry-after"]);
    expect(seconds, "Retry-After").toBeOneOf(possibleSeconds(refusal));
    const neverBefore = refusal.taken.sentAt + periodMs - clockMs;
    await sleep(Math.max(0, neverBefore - 200 - performance.now()));
    const early = await timed(ask);
    if (early.answeredAt < neverBefore) expect(early.reply.status, "a request before the next token").toBe(429);
    last = early.reply.status === 429 ? await askOnTime(ask, refusal.refused.answeredAt, seconds) : early;
  }
}

async function askOnTime(ask: () => Promise<Reply>, refusedAt: number, seconds: number): Promise<Timed> {
  await sleep(Math.max(0, refusedAt + seconds * 1000 - performance.now()));
  const onTime = await timed(ask);
  expect(onTime.reply.status, `a request ${seconds} s after the refusal, as Retry-After says`).not.toBe(429);
  return onTime;
}

const asks = (context: Parameters<typeof keyOf>[0]): Record<string, Ask> => {
  const [key, overlay] = [keyOf(context, "main"), keyOf(context, "overlay")];
  const { id, secret } = clientOf("second");
  const refreshing = { grant_type: "refresh_token", refresh_token: "none", client_id: id, client_secret: secret ?? "" };
  // Invalid requests count as well, and an invalid export does not keep the next one waiting.
  return {
    create: (server) => create(donation({ skipAlert: true }), { key, server }),
    read: (server) => list({ limit: 1 }, { key, server }),
    export: (server) => send({ path: "/api/v1/donations/export?sort=none", key, server }),
    control: (server) => send({ method: "POST", path: `/api/v1/donations/${unknownId}/replay`, key, server }),
    overlay: (server) => acknowledge("ended", unknownId, { player: "p", key: overlay, server }),
    token: (server) => post("/oauth/token", refreshing, { server }),
  };
};

const atOneToken = (): string => oneToken?.url ?? "";

test("Retry-After of every limit is the time to the next token, rounded up: requests before it are refused, and one after it passes", async (context) => {
  const all = asks(context);
  await holdsForEach(policies, (policy) => expectTrueRetryAfter(() => (all[policy] as Ask)(atOneToken())), policies.length);
});

// Runs last: afterwards this address is refused for a while.
test("Retry-After of an address with too many invalid credentials is rounded up: one more is refused before it, and not after it", () =>
  expectTrueRetryAfter(() => me({ key: "namjai_v1_made_up", server: atOneToken() })));
