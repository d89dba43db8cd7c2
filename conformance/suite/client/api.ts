// The operations on donations as rules call them, and what their answers must be.

import { expect } from "vitest";

import type { components } from "../../../generated/api.d.ts";
import type { Reply, Request } from "../contract/http-request.ts";
import { send } from "./http-client.ts";

export type Donation = components["schemas"]["Donation"];
export type Page = components["schemas"]["DonationPage"];
export type Me = components["schemas"]["Me"];
export type Problem = Omit<components["schemas"]["InvalidRequestProblem"], "status" | "code"> & {
  status: number;
  code: string;
  requiredScopes?: string[];
};

type Options = Omit<Request, "path" | "body">;
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

/** Every donation of the search, page by page, as long as there is more. */
export const searchAll = (query: Query, options: Options = {}): Promise<Donation[]> => follow(search, query, options);

async function follow(page: typeof search, query: Query, options: Options): Promise<Donation[]> {
  const donations: Donation[] = [];
  const cursors = new Set<string | null>();
  let cursor: string | null = null;
  do {
    expect(cursors.has(cursor), "a cursor leads back to where it was: pages without end").toBe(false);
    cursors.add(cursor);
    const { data, pagination } = pageOf(await page({ ...query, ...(cursor === null ? {} : { cursor }) }, options));
    donations.push(...data);
    cursor = pagination.hasMore ? pagination.nextCursor : null;
  } while (cursor !== null);
  return donations;
}

function donationOf(reply: Reply, status: number): Donation {
  expect(reply.status, reply.text).toBe(status);
  return (reply.body as { data: Donation }).data;
}

export function queryText(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => [value].flat().map((one): [string, string] => [name, String(one)]));
  return pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : "";
}
