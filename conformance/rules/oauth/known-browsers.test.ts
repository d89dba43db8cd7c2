import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { addStreamerWithPassword, cli } from "../../suite/client/operator.ts";
import { formTo, newVisitor, type Page, submit, type Visitor, visit } from "../../suite/client/page-visitor.ts";
import { type Redis, redisOf, startRedis } from "../../suite/servers/redis.ts";
import { needsOwnProcess, type Process, startProcess } from "../../suite/servers/start-server.ts";
import { remember } from "../../suite/values/redact.ts";
import { operatorOf, target } from "../../suite/values/target.ts";

// Two processes behind a proxy that count failed logins together. One streamer is locked: 42 wrong passwords come from three networks.

const id = randomUUID().slice(0, 8);
const logins = { locked: { handle: `locked-${id}`, password: `right ${id}` }, other: { handle: `other-${id}`, password: `other ${id}` } };
const attackers = ["198.51.100.1", "198.51.100.2", "198.51.100.3"];

let redis: Redis | null = null;
let processes: Process[] = [];
/** In which both streamers logged in, at the first process, before the attack. */
const known = { locked: {} as Visitor, other: {} as Visitor };

const at = (process: number): string => processes[process]?.url ?? "";
const from = (address: string): Record<string, string> => ({ "X-Forwarded-For": address });

async function tryLogin(visitor: Visitor, login: { handle: string; password: string }, address: string): Promise<Page> {
  const page = await visit(visitor, "/oauth/login", from(address));
  return submit(visitor, formTo(page, "/oauth/login"), login, from(address));
}

const statusOf = async (...login: Parameters<typeof tryLogin>): Promise<number> => (await tryLogin(...login)).reply.status;

/** A browser that logged in and out at the first process. */
async function knownBrowser(login: { handle: string; password: string }): Promise<Visitor> {
  const visitor = newVisitor(at(0));
  expect(await statusOf(visitor, login, "203.0.113.1")).toBe(200);
  await submit(visitor, formTo(await visit(visitor, "/oauth/connections"), "/oauth/logout"));
  return visitor;
}

beforeAll(async () => {
  const { operator } = target();
  redis = operator && (await startRedis());
  if (!operator || !redis) return;
  const env = { REDIS_URL: redis.url, RATE_LIMITS: "on", RATE_LIMIT_TIMEOUT_MS: "30000", PROXIES: "1" };
  processes = await Promise.all(["logins-here", "logins-there"].map((name) => startProcess(operator, name, env)));
  for (const { handle, password } of Object.values(logins)) await addStreamerWithPassword(operator, handle, password);
  remember(...Object.values(logins).map(({ password }) => password), "a wrong guess");
  known.locked = await knownBrowser(logins.locked);
  known.other = await knownBrowser(logins.other);
  const guess = { handle: logins.locked.handle, password: "a wrong guess" };
  const guesses = attackers.flatMap((address) => Array.from({ length: 14 }, () => address));
  const statuses: number[] = [];
  while (guesses.length > 0) {
    const together = guesses.splice(0, 5).map((address, index) => statusOf(newVisitor(at(index % 2)), guess, address)); // few: a turn comes within 30 s or not at all; the last two come after 40
    statuses.push(...(await Promise.all(together)));
  }
  expect(statuses.slice(0, 40)).toEqual(Array(40).fill(403));
  expect(statuses.slice(40)).toEqual([429, 429]);
});
afterAll(async () => {
  await Promise.all(processes.map(({ stop }) => stop()));
  await redis?.stop();
});
beforeEach((context) => {
  needsOwnProcess(context);
  redisOf(context as never, redis);
});

test("40 wrong passwords from three networks lock a streamer out at every process, with Retry-After, and no other streamer", async () => {
  for (const process of [0, 1]) {
    const { reply } = await tryLogin(newVisitor(at(process)), logins.locked, "203.0.113.2");
    expect([reply.status, Number(reply.headers["retry-after"]) > 0]).toEqual([429, true]);
  }
  expect(await statusOf(newVisitor(at(1)), logins.other, "203.0.113.2")).toBe(200);
});

test("a locked streamer can log in at every process in a browser in which they logged in before, also from a locked network", async () => {
  for (const process of [1, 0]) {
    const { cookies } = known.locked;
    expect(await statusOf({ cookies: new Map(cookies), server: at(process) }, logins.locked, attackers[process] as string)).toBe(200);
  }
});

test("the cookies of a browser in which another streamer logged in open no way around the lock, nor do invented ones", async () => {
  const browser = { cookies: new Map(known.other.cookies), server: at(1) };
  expect(await statusOf(browser, logins.locked, "203.0.113.3")).toBe(429);
  for (const change of [(value: string) => `${value}A`, (value: string) => value.slice(2), () => "x".repeat(300)]) {
    const cookies = new Map([...known.locked.cookies].map(([name, cookie]) => [name, { ...cookie, value: change(cookie.value) }]));
    expect(await statusOf({ cookies, server: at(1) }, logins.locked, "203.0.113.3")).toBe(429);
  }
});

test("a browser in which a streamer logged in and out is logged out", async () => {
  for (const { forms } of [await visit(known.locked, "/oauth/connections"), await visit(known.other, "/oauth/connections")])
    expect(forms.map(({ action }) => action)).toEqual(["/oauth/login"]);
});

test("the operator unlocks a streamer by a command, at every process", async (context) => {
  const { handle } = logins.locked;
  await cli(operatorOf(context), "logins", "unlock", "--streamer", handle);
  for (const process of [0, 1]) await expect.poll(() => statusOf(newVisitor(at(process)), logins.locked, "203.0.113.4")).toBe(200);
});
