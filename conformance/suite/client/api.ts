// The operations on donations as rules call them, and what their answers must be.

import { setTimeout as sleep } from "node:timers/promises";
import { expect, type TestContext } from "vitest";
import type { components } from "../../../generated/api.d.ts";
import type { Reply, Request } from "../contract/http-request.ts";
import { type Body, donation, freshIdentifier } from "../values/donations.ts";
import { keyOf, target } from "../values/target.ts";
import { send } from "./http-client.ts";

export type Donation = components["schemas"]["Donation"];
export type Page = components["schemas"]["DonationPage"];
export type Me = components["schemas"]["Me"];
export type Problem = Omit<components["schemas"]["InvalidRequestProblem"], "status" | "code"> & {
  status: number;
  code: string;
  requiredScopes?: string[];
};

export type Options = Omit<Request, "path" | "body">;
export type Query = Record<string, string | number | readonly string[]>;

/** POST /api/v1/donations with these bytes as the body. */
export const createRaw = (body: string | Uint8Array, options: Options = {}): Promise<Reply> =>
  send({
    method: "POST",
    path: "/api/v1/donations",
    ...options,
    headers: { "Content-Type": "application/json", ...options.headers },
    body,
  });

/** POST /api/v1/donations with the value as the body. */
export const create = (donation: unknown, options: Options = {}): Promise<Reply> => createRaw(JSON.stringify(donation), options);

export const get = (id: string, options: Options = {}): Promise<Reply> => send({ path: `/api/v1/donations/${id}`, ...options });

export const list = (query: Query = {}, options: Options = {}): Promise<Reply> =>
  send({ path: `/api/v1/donations${queryText(query)}`, ...options });

export const search = (query: Query, options: Options = {}): Promise<Reply> =>
  send({ path: `/api/v1/donations/search${queryText(query)}`, ...options });

export const categories = (query: Query = {}, options: Options = {}): Promise<Reply> =>
  send({ path: `/api/v1/streaming-categories${queryText(query)}`, ...options });

export const me = (options: Options = {}): Promise<Reply> => send({ path: "/api/v1/me", ...options });

/** The donation of an answer that says it was recorded just now. */
export const recorded = (reply: Reply): Donation => donationOf(reply, 201);

/** The donation of an answer that says it had been recorded before. */
export function replayed(reply: Reply): Donation {
  expect(reply.headers["idempotent-replayed"], reply.text).toBe("true");
  return donationOf(reply, 200);
}

export const readDonation = (reply: Reply): Donation => donationOf(reply, 200);

/** The page of a list's answer. */
export function pageOf(reply: Reply): Page {
  expect(reply.status, reply.text).toBe(200);
  return reply.body as Page;
}

export function problemOf(reply: Reply): Problem {
  expect(reply.status, `an error was expected: ${reply.text}`).toBeGreaterThanOrEqual(400);
  return reply.body as Problem;
}

/** The faults of a refused request, as "<pointer or parameter> <code>", sorted. */
export const faultsOf = (reply: Reply): string[] =>
  (problemOf(reply).errors ?? []).map(({ pointer, parameter, code }) => `${pointer ?? parameter} ${code}`).sort();

/** The request was refused for exactly these faults ("/amount out_of_range"). */
export function expectFaults(reply: Reply, ...faults: string[]): void {
  expect([reply.status, problemOf(reply).code, ...faultsOf(reply)], reply.text).toEqual([400, "validation_failed", ...faults.sort()]);
}

export function expectProblem(reply: Reply, status: number, code: string): void {
  expect([reply.status, problemOf(reply).code], reply.text).toEqual([status, code]);
}

/** Every donation of the list, page by page, as long as there is more. */
export const listAll = (query: Query, options: Options = {}): Promise<Donation[]> => follow(list, query, options);

/** The key of a streamer without donations; skips the test where somebody has donated to them, on a server of someone else. */
export async function keyWithoutDonations(context: TestContext): Promise<string> {
  const key = keyOf(context, "quiet");
  const query = { source: ["external", "native", "test"], status: "all", limit: 1 };
  if (target().operator === null && pageOf(await list(query, { key })).data.length > 0)
    context.skip("not run: the streamer of QUIET_API_KEY has donations");
  return key;
}

/** Every donation of the search, page by page, as long as there is more. */
export const searchAll = (query: Query, options: Options = {}): Promise<Donation[]> => follow(search, query, options);

async function follow(page: typeof search, query: Query, options: Options): Promise<Donation[]> {
  const donations: Donation[] = [];
  const cursors = new Set<string | null>();
  let cursor: string | null = null;
  do {
    expect(cursors.has(cursor), "a cursor leads back to where it was: pages without end").toBe(false);
    cursors.add(cursor);
    const answered = pageOf(await page({ ...query, ...(cursor === null ? {} : { cursor }) }, options));
    const { data, pagination } = answered;
    expectLimit(answered, query);
    donations.push(...data);
    cursor = pagination.hasMore ? pagination.nextCursor : null;
  } while (cursor !== null);
  return donations;
}

/** Expects the page to state the limit that was asked for, and to keep it. */
export function expectLimit({ data, pagination }: { data: readonly unknown[]; pagination: { limit: number } }, { limit }: Query): void {
  if (limit !== undefined) expect(pagination.limit, "the limit of a page").toBe(Number(limit));
  expect(data.length, "the rows of a page").toBeLessThanOrEqual(pagination.limit);
}

function donationOf(reply: Reply, status: number): Donation {
  expect(reply.status, reply.text).toBe(status);
  return (reply.body as { data: Donation }).data;
}

export function queryText(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => [value].flat().map((one): [string, string] => [name, String(one)]));
  return pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : "";
}

// Reads the challenges of WWW-Authenticate (RFC 9110 11.6.1): in any order, in any case, with values quoted or not.

/** The parameters of a challenge by their names in small letters. */
type Challenge = { [parameter: string]: string };

const part = /([!#$%&'*+.^_`|~\w-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+)))?/g;

/** The challenge of the scheme Bearer; null when the answer has none. */
export function challengeOf({ headers }: Pick<Reply, "headers">): Challenge | null {
  const challenges = new Map<string, Challenge>();
  let latest: Challenge = {};
  for (const [, name = "", quoted, token] of [headers["www-authenticate"] ?? []].flat().join(", ").matchAll(part)) {
    const value = quoted?.replace(/\\(.)/g, "$1") ?? token;
    if (value === undefined) challenges.set(name.toLowerCase(), (latest = {}));
    else latest[name.toLowerCase()] = value;
  }
  return challenges.get("bearer") ?? null;
}

// Records donations that rules need and are not about.

/** Records a donation without an alert. */
export const post = async (members: Body, options?: Options): Promise<Donation> =>
  recorded(await create(donation({ skipAlert: true, ...members }), options));

/** Donations with equal and different amounts and times, in the order they were recorded. */
export async function recordSome(count: number, options?: Options): Promise<{ identifier: string; donations: Donation[] }> {
  const identifier = freshIdentifier();
  const donations: Donation[] = [];
  for (let index = 0; index < count; index += 1)
    donations.push(
      await post({ identifier, amount: 1 + ((index * 7) % 5) / 2, createdAt: `2024-0${1 + ((index * 5) % 3)}-01T00:00Z` }, options),
    );
  return { identifier, donations };
}

export const ids = (donations: readonly Donation[]): string[] => donations.map(({ id }) => id);

// Voids donations.

export type VoidReason = components["schemas"]["VoidReason"];

export const voidReasons: readonly VoidReason[] = ["refund", "chargeback", "mistake", "fraud", "test"];

/** POST /api/v1/donations/{id}/void with this body. */
export const voidDonation = (id: string, body: unknown, options: Options = {}): Promise<Reply> =>
  send({
    method: "POST",
    path: `/api/v1/donations/${id}/void`,
    ...options,
    headers: { "Content-Type": "application/json", ...options.headers },
    body: JSON.stringify(body),
  });

/** Voids it. Returns the donation as it is answered: as it was, and void. */
export async function takeBack(donation: Donation, reason: VoidReason = "mistake", options: Options = {}): Promise<Donation> {
  const reply = await voidDonation(donation.id, { reason }, options);
  const answered = readDonation(reply);
  expect(answered.voided).toEqual({ at: expect.any(String), reason });
  expectNow(answered.voided?.at ?? null, reply);
  return answered;
}

// An expectation for what a server promises within a time.

const pauseMs = 20;
/** The server keeps a promise of time by a few statements, each of which takes about as long as an answer on a busy machine. */
const answersOfDelay = 3;

/**
 * Reads until it reads what is expected, which the server promises within `promisedMs`. The time is extended by three of the slowest reads, so
 * that a busy machine makes no rule fail.
 */
export async function expectWithin<T>(promisedMs: number, read: () => Promise<T>, expected: T): Promise<void> {
  const began = performance.now();
  let slowestMs = 0;
  for (;;) {
    const sentAt = performance.now();
    const value = await read();
    const answeredAt = performance.now();
    slowestMs = Math.max(slowestMs, answeredAt - sentAt);
    if (Object.is(value, expected)) return;
    if (sentAt - began > promisedMs + answersOfDelay * slowestMs) return expect(value).toBe(expected);
    await sleep(pauseMs);
  }
}

// An expectation for the time at which something happens.

/** Less than the smallest step between time zones, and more than clocks of a proxy, a server and its database differ. */
const toleranceMs = 14 * 60_000;

/** Expects an instant in UTC, and about the time of the answer's `Date` (RFC 9110 6.6.1) if it has one: the server's clock need not be ours. */
export function expectNow(instant: string | null, { headers }: Pick<Reply, "headers">): void {
  expect(instant).toMatch(/Z$/);
  if (headers.date === undefined) return;
  expect(
    Math.abs(Date.parse(instant ?? "") - Date.parse(headers.date)),
    `milliseconds between ${instant} and the time of the answer`,
  ).toBeLessThan(toleranceMs);
}

// An expectation for lists of faults.

/** Fails with these faults as they stand, a line each, where there are any. */
export function expectNone(faults: readonly string[]): void {
  if (faults.length > 0) throw new Error(faults.join("\n  "));
}
