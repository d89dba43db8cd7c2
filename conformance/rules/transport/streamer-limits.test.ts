import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { expectProblem, list, me } from "../../suite/client/api.ts";
import { send, sendUnchecked } from "../../suite/client/http-client.ts";
import { addKey } from "../../suite/client/operator.ts";
import { type Form, formTo, newStreamer, newVisitor, type Page, submit, type Visitor, visit } from "../../suite/client/page-visitor.ts";
import type { Reply } from "../../suite/contract/http-request.ts";
import { databaseUrl } from "../../suite/servers/database.ts";
import { needsOwnProcess, type Process, startProcess } from "../../suite/servers/start-server.ts";
import { remember } from "../../suite/values/redact.ts";
import { keyOf, type Operator, target } from "../../suite/values/target.ts";

// A streamer can create keys, and each key has its own buckets; so a bucket of the streamer and a maximum number of keys limit what one
// streamer can request. The buckets of these processes refill so slowly that a rule can neglect it.

const burst = 12;
const timesPerStreamer = 5;
const exportBurst = 4;

let limited: Process | null = null;
let database: pg.Client | null = null;
beforeAll(async () => {
  const { operator } = target();
  if (!operator) return;
  limited = await startProcess(operator, "limits-per-streamer", {
    RATE_LIMITS: `read=1/600/${burst},control=1/600/${burst},export=1/600/${exportBurst}`,
  });
  database = new pg.Client({ connectionString: await databaseUrl(operator.env) });
  await database.connect();
});
afterAll(async () => {
  await database?.end();
  await limited?.stop();
});
beforeEach(needsOwnProcess);

const there = () => ({ server: limited?.url ?? "" });
const times = <T>(count: number, one: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => one(index)));
const count = (replies: Reply[], status: number): number => replies.filter((reply) => reply.status === status).length;

/** A logged-in streamer and their handle. */
async function newVisit(server = target().url): Promise<{ visitor: Visitor; handle: string }> {
  const login = await newStreamer(target().operator as Operator);
  const visitor = newVisitor(server);
  await submit(visitor, formTo(await visit(visitor, "/studio/keys"), "/oauth/login"), login);
  return { visitor, handle: login.handle };
}

/** Sends the form for a new key `count` times, a few concurrently: the server refuses more waiting pages. */
async function makeKeys(visitor: Visitor, wanted: number): Promise<Page[]> {
  const form = formTo(await visit(visitor, "/studio/keys"), "/studio/keys");
  const fields = { formToken: form.fields["formToken"] ?? "", name: "Bot", "scope read:donations": "on" };
  const pages: Page[] = [];
  while (pages.length < wanted)
    pages.push(...(await times(Math.min(20, wanted - pages.length), () => submit(visitor, { ...form, fields } as Form))));
  return pages;
}

/** Of the studio's export, which is no page. */
async function exportStatus({ cookies, server }: Visitor): Promise<number> {
  const Cookie = [...cookies].map(([name, { value }]) => `${name}=${value}`).join("; ");
  return (await sendUnchecked({ path: "/studio/history/export", key: null, server, headers: { Cookie } })).status;
}

/** The new keys that the pages show. */
const shownIn = (pages: Page[]): string[] =>
  pages.flatMap(({ reply }) => {
    const [key] = /namjai_v1_\w+/.exec(/value="namjai_v1_\w+"/.exec(reply.text)?.[0] ?? "") ?? [];
    if (key) remember(key);
    return key ? [key] : [];
  });

describe("limits of a streamer", () => {
  test("all credentials of a streamer together have five times the limit of one, whatever their number; another streamer's are not touched", async (context) => {
    const { visitor } = await newVisit();
    const keys = shownIn(await makeKeys(visitor, 10));
    expect(keys).toHaveLength(10);
    const replies = (
      await times(keys.length, (index) => times(burst, () => list({ limit: 1 }, { key: keys[index] as string, ...there() })))
    ).flat();
    expect(count(replies, 200)).toBe(timesPerStreamer * burst);
    const refused = replies.find(({ status }) => status === 429) as Reply;
    expectProblem(refused, 429, "rate_limited");
    expect(refused.headers["ratelimit-policy"]).toBe(`"read-streamer";q=${timesPerStreamer};w=600`);
    expect(refused.headers.ratelimit).toMatch(/^"read-streamer";r=0;t=\d+$/);
    expect((await list({ limit: 1 }, { key: keyOf(context, "quiet"), ...there() })).status).toBe(200);
  });

  test("a credential that continues after being refused uses up nothing of its streamer's limit", async () => {
    const { visitor } = await newVisit();
    const [loop = "", other = ""] = shownIn(await makeKeys(visitor, 2));
    const replies = await times(timesPerStreamer * burst, () => list({ limit: 1 }, { key: loop, ...there() }));
    expect(count(replies, 200)).toBe(burst);
    expect(replies[0]?.headers["ratelimit-policy"]).toBe('"read";q=1;w=600');
    expect(count(await times(burst, () => list({ limit: 1 }, { key: other, ...there() })), 200)).toBe(burst);
  });
});

test("a trend report counts as one request for each 100 points requested", async () => {
  const { visitor } = await newVisit();
  const [key = ""] = shownIn(await makeKeys(visitor, 1));
  const trend = (interval: string, to: string) =>
    send({ path: `/api/v1/donations/trends/count?interval=${interval}&from=2026-01-01&to=${to}`, key, ...there() });
  const left = ({ headers }: Reply) => Number(/;r=(\d+)/.exec(String(headers.ratelimit))?.[1]);
  expect(left(await trend("month", "2026-06-30"))).toBe(burst - 1);
  const large = await trend("hour", "2026-02-10"); // 984 points
  expect([large.status, left(large)]).toEqual([200, burst - 11]);
  expectProblem(await trend("hour", "2026-02-10"), 429, "rate_limited");
  expect((await trend("month", "2026-06-30")).status).toBe(200);
});

test("forms of the studio count like requests of a credential, because each new overlay key makes every process reload all credentials", async () => {
  const { visitor } = await newVisit(limited?.url);
  const form = formTo(await visit(visitor, "/studio/overlay"), "/studio/overlay");
  const replies = (await times(burst + 5, () => submit(visitor, form))).map(({ reply }) => reply);
  // The pages that the forms lead to count as reads.
  expect(replies.filter(({ status, text }) => status === 429 && text.includes("&quot;control&quot; allows"))).toHaveLength(5);
});

test("pages of history and money, and exports of the studio, are limited as requests are, and take nothing from the limits of the streamer's keys", async () => {
  const { visitor } = await newVisit(limited?.url);
  const [key = ""] = shownIn(await makeKeys(visitor, 1));
  const exported: number[] = [];
  for (let round = 0; round < exportBurst + 2; round += 1) exported.push(await exportStatus(visitor));
  expect(exported).toEqual([...Array(exportBurst).fill(200), 429, 429]);

  const history = await times(burst + 1, () => visit(visitor, "/studio/history"));
  const [refused] = history.filter(({ reply }) => reply.status === 429);
  expect(Number(refused?.reply.headers["retry-after"])).toBeGreaterThan(0);
  expect(refused?.reply.text).toMatch(/try again in \d+ s/);
  expect((await visit(visitor, "/studio/money")).reply.status).toBe(429);

  const { headers } = await list({ limit: 1 }, { key, ...there() });
  expect(headers.ratelimit).toMatch(new RegExp(`^"read";r=${burst - 1};`));
});

test("pages of a logged-in streamer are limited as requests are, the queue of the alerts page among them; another streamer's are not touched", async () => {
  const { visitor } = await newVisit(limited?.url);
  const { visitor: other } = await newVisit(limited?.url);
  const queue = await times(burst + 1, () => visit(visitor, "/studio/queue"));
  const [refused] = queue.filter(({ reply }) => reply.status === 429);
  expect(Number(refused?.reply.headers["retry-after"])).toBeGreaterThan(0);
  for (const path of ["/studio", "/studio/settings", "/studio/keys"]) expect((await visit(visitor, path)).reply.status, path).toBe(429);
  expect((await visit(other, "/studio/queue")).reply.status).toBe(200);
});

test("a streamer gets at most 60 API keys in an hour and has at most 100 valid ones, from the studio and the command line together", async () => {
  const { visitor, handle } = await newVisit();
  const statuses = (pages: Page[]) => pages.map(({ reply }) => reply.status);
  const anHourLater = () =>
    database?.query(
      "update api_keys set created_at = created_at - interval '61 minutes' where streamer_id = (select streamer_id from streamer_handles where handle = $1)",
      [handle],
    );
  expect(shownIn(await makeKeys(visitor, 70))).toHaveLength(60);
  expect(statuses(await makeKeys(visitor, 1))).toEqual([429]);
  await anHourLater();
  const keys = shownIn(await makeKeys(visitor, 50));
  expect(keys).toHaveLength(40);
  const [refused] = await makeKeys(visitor, 1);
  expect(refused?.reply.text).toContain("at most 100 API keys");
  await expect(addKey(target().operator as Operator, handle, "read:donations")).rejects.toThrow("at most 100 API keys");
  expect((await me({ key: keys[0] as string })).status).toBe(200);
  const revocation = (await visit(visitor, "/studio/keys")).forms.find(({ action }) => action.endsWith("/revoke"));
  await submit(visitor, revocation as Form);
  expect(shownIn(await makeKeys(visitor, 2))).toHaveLength(1);
});
