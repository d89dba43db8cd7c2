// An expectation for the time at which something happens.

import { expect } from "vitest";

import type { Reply } from "../contract/http-request.ts";

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
