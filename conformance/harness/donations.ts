import { randomUUID } from "node:crypto";
import fc from "fast-check";

import { dateTimes } from "./date-times.ts";
import { amounts } from "./doubles.ts";
import { text } from "./text.ts";

/** A body of createDonation as JSON says it. */
export type Body = { [member: string]: unknown };

/** The smallest valid body, with what the rule is about. */
export const donation = (members: Body = {}): Body => ({ donatorName: "สมชาย", amount: 20, ...members });

/** Every optional member is there, and none has its default. */
export const fullDonation = (): Body => ({
  donatorName: "สมชาย ใจดี",
  amount: 123.45,
  currency: "THB",
  message: "สู้ๆ ครับ",
  identifier: freshIdentifier(),
  idempotencyKey: freshKey(),
  skipAlert: true,
  createdAt: "2026-11-20T19:30:00+07:00",
});

/** Never used before, in this run or in another: keys and identifiers stand outside the seed. */
export const freshKey = (): string => `conformance:${randomUUID()}`;

/** Sets the donations of one test apart from all others on the server. */
export const freshIdentifier = freshKey;

/** Valid bodies, with and without each optional member; `idempotencyKey` is left to the rules about it. */
export const donations: fc.Arbitrary<Body> = fc.record(
  {
    donatorName: text(1, 50),
    amount: amounts,
    currency: fc.constant("THB"),
    message: text(0, 255),
    identifier: text(0, 120),
    skipAlert: fc.boolean(),
    createdAt: dateTimes,
  },
  { requiredKeys: ["donatorName", "amount"] },
);
