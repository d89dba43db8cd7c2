// Posts a date-time and expects what interface 2.2 says of it.

import { expect } from "vitest";

import { create, expectFaults, recorded } from "../client/api.ts";
import { answerTo, parseDateTime } from "../contract/date-time.ts";
import type { Reply } from "../contract/http-request.ts";
import { donation } from "../values/donations.ts";

/** Posts a donation that happened then. */
export const postAt = (createdAt: string): Promise<Reply> => create(donation({ createdAt, skipAlert: true }));

/** Expects createdAt to be accepted exactly when the hand-written reading of interface 2.2 accepts it, and answered as the same instant. */
export async function expectAsSpecified(createdAt: string): Promise<void> {
  const read = parseDateTime(createdAt);
  const reply = await postAt(createdAt);
  if (read) expect(recorded(reply).createdAt, createdAt).toBe(answerTo(read));
  else expectFaults(reply, "/createdAt invalid_format");
}
