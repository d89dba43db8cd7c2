import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { expectProblem, list } from "../../suite/client/api.ts";
import { authorizationPath } from "../../suite/client/oauth/authorization.ts";
import { clientOf, post } from "../../suite/client/oauth/oauth-client.ts";
import { formTo, newVisitor, type Page, submit, visit } from "../../suite/client/page-visitor.ts";
import type { Reply } from "../../suite/contract/http-request.ts";
import { type Redis, redisOf, startRedis } from "../../suite/servers/redis.ts";
import { freePort, needsOwnProcess, type Process, startProcess } from "../../suite/servers/start-server.ts";
import { remember } from "../../suite/values/redact.ts";
import { keyOf, target } from "../../suite/values/target.ts";

// Two processes that share their counts through one Redis. Their buckets refill so slowly that a rule can neglect it.

const limits = "read=1/600/10,failed=1/600/40,failed-client=6/600/6,token=100/60/100";

/** A process counts alone what Redis does not count in time: on a busy machine that would be soon. */
const patientMs = "30000";

type Counted = Process & { metric: (name: string) => Promise<number> };

let redis: Redis | null = null;
let processes: Counted[] = [];

beforeAll(async () => {
  const { operator } = target();
  redis = operator && (await startRedis());
  if (!operator || !redis) return;
  const { url } = redis;
  const start = async (name: string): Promise<Counted> => {
    const port = String(await freePort());
    const env = { REDIS_URL: url, RATE_LIMITS: limits, RATE_LIMIT_TIMEOUT_MS: patientMs, METRICS_PORT: port };
    const metric = async (metric: string) => {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      return Number(new RegExp(`^${metric} (\\S+)$`, "m").exec(text)?.[1]);
    };
    return { ...(await startProcess(operator, name, env)), metric };
  };
  processes = [await start("limits-here"), await start("limits-there")];
});
afterAll(async () => {
  await Promise.all(processes.map(({ stop }) => stop()));
  await redis?.stop();
});
beforeEach(async (context) => {
  needsOwnProcess(context as never);
  redisOf(context as never, redis);
});

const connections = async (): Promise<number> => String(await redis?.command("CLIENT", "LIST")).match(/ name=limits /g)?.length ?? 0;

/** Waits until both processes report a connection to Redis. */
async function joined(): Promise<void> {
  await expect.poll(connections, { interval: 100 }).toBe(2);
  await sleep(200);
}

const there = (index: number): { server: string } => ({ server: processes[index % 2]?.url ?? "" });
const times = <T>(count: number, one: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => one(index)));
const count = (replies: Reply[], status: number): number => replies.filter((reply) => reply.status === status).length;
const countedLocally = (): Promise<number[]> => Promise.all(processes.map(({ metric }) => metric("rate_limits_counted_locally_total")));

describe("with Redis", () => {
  beforeEach(joined);

  test("a credential has one bucket with Redis: as many requests pass as it holds, at all processes together", async (context) => {
    const key = keyOf(context, "main");
    const before = await countedLocally();
    const replies = await times(30, (index) => list({ limit: 1 }, { key, ...there(index) }));
    expect([count(replies, 200), count(replies, 429)]).toEqual([10, 20]);
    for (const index of [0, 1]) expectProblem(await list({ limit: 1 }, { key, ...there(index) }), 429, "rate_limited");
    expect(await countedLocally()).toEqual(before);
  });

  test("a client's secret can be guessed with Redis as often as the limit says, at all processes together", async () => {
    const guess = "guess-at-several-processes";
    remember(guess);
    const { id: client_id, secret } = clientOf("readOnly");
    const asked = { grant_type: "refresh_token", refresh_token: "x", client_id };
    const replies = await times(12, (index) => post("/oauth/token", { ...asked, client_secret: guess }, there(index)));
    expect([count(replies, 401), count(replies, 429)]).toEqual([6, 6]);
    for (const index of [0, 1]) {
      const right = await post("/oauth/token", { ...asked, client_secret: secret }, there(index));
      expect([right.status, right.body]).toMatchObject([429, { error: "temporarily_unavailable" }]);
    }
  });

  test("a password can be guessed with Redis 20 times from one address, at all processes together", async () => {
    const guess = "guess-at-several-processes";
    const visitor = newVisitor(processes[0]?.url);
    let page: Page = await visit(visitor, authorizationPath(clientOf("second")));
    const statuses: number[] = [];
    for (let index = 0; index < 22; index += 1) {
      visitor.server = there(index).server;
      page = await submit(visitor, formTo(page, "/oauth/login"), { handle: "quiet", password: guess });
      statuses.push(page.reply.status);
    }
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 403), 429, 429]);
  });

  // Runs last: afterwards both processes refuse this address.
  test("an address with too many invalid credentials is refused by all processes with another invalid one, and valid ones pass", async (context) => {
    const strange = { key: "namjai_v1_made_up" };
    const replies: Reply[] = [];
    for (let index = 0; index < 42; index += 1) replies.push(await list({}, { ...strange, ...there(index) }));
    expect(replies.at(0)?.status).toBe(401);
    expect(count(replies, 401)).toBeLessThanOrEqual(40);
    for (const index of [0, 1]) {
      expectProblem(await list({}, { ...strange, ...there(index) }), 429, "rate_limited");
      expect((await list({}, { key: keyOf(context, "other"), ...there(index) })).status).toBe(200);
    }
  });
});

describe("while Redis is stopped", () => {
  beforeAll(() => redis?.stop());

  test("requests pass while Redis is stopped, each process counts for itself, and its metrics say so", async (context) => {
    const key = keyOf(context, "main");
    for (const index of [0, 1]) {
      const replies = await times(15, () => list({ limit: 1 }, { key, ...there(index) }));
      expect([count(replies, 200), count(replies, 429)]).toEqual([10, 5]);
    }
    for (const alone of await countedLocally()) expect(alone).toBeGreaterThanOrEqual(15);
  });

  test("guesses are still counted while Redis is stopped", async () => {
    const { id: client_id } = clientOf("second");
    const asked = { grant_type: "refresh_token", refresh_token: "x", client_id, client_secret: "guess-at-several-processes" };
    const replies = await times(8, () => post("/oauth/token", asked, there(0)));
    expect([count(replies, 401), count(replies, 429)]).toEqual([6, 2]);
  });

  test("all processes count together again when Redis is back", async (context) => {
    await redis?.start();
    await joined();
    const key = keyOf(context, "quiet");
    const replies = await times(30, (index) => list({ limit: 1 }, { key, ...there(index) }));
    expect([count(replies, 200), count(replies, 429)]).toEqual([10, 20]);
  });
});
