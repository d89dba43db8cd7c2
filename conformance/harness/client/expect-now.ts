// An expectation for the time at which something happens.

import { expect } from "vitest";

import type { Reply } from "./http-client.ts";

const toleranceMs = 60_000;

/** Expects an instant in UTC, within a minute of the answer's `Date` (RFC 9110 6.6.1): the server's clock need not be ours. */
export function expectNow(instant: string | null, { headers }: Pick<Reply, "headers">): void {
  expect(instant).toMatch(/Z$/);
  const now = headers.date === undefined ? Date.now() : Date.parse(headers.date);
  expect(Math.abs(Date.parse(instant ?? "") - now), `milliseconds between ${instant} and the time of the answer`).toBeLessThan(toleranceMs);
}
