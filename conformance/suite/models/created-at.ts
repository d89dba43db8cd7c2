// Posts a date-time and expects what interface 2.2 says of it.

import { describe, expect, test } from "vitest";
import { create, expectFaults, recorded } from "../client/api.ts";
import { holdsForAll } from "../client/holds.ts";
import { digits } from "../contract/calendar.ts";
import { answerTo, parseDateTime } from "../contract/date-time.ts";
import type { Reply } from "../contract/http-request.ts";
import type { Rule } from "../values/broken-rules.ts";
import { donation } from "../values/donations.ts";
import { expectEdges } from "../values/score.ts";
import { createdAt, expectAccepted, expectRefused } from "./verdicts.ts";

/** Posts a donation that happened then. */
export const postAt = (createdAt: string): Promise<Reply> => create(donation({ createdAt, skipAlert: true }));

/** Expects createdAt to be accepted exactly when the hand-written reading of interface 2.2 accepts it, and answered as the same instant. */
export async function expectAsSpecified(createdAt: string): Promise<void> {
  const read = parseDateTime(createdAt);
  const reply = await postAt(createdAt);
  if (read) expect(recorded(reply).createdAt, createdAt).toBe(answerTo(read));
  else expectFaults(reply, "/createdAt invalid_format");
}

// The rules of two digits of createdAt, such as a month or an hour.

/** Two digits of createdAt: from `first` to `last` they are accepted, all others refused for this rule. */
type TwoDigits = { first: number; last: number; rule: Rule; edge: string; cite: string };

/** `forms`: date-times that hold the two digits, each with a name. */
export function twoDigitRules(
  what: string,
  { first, last, rule, edge, cite }: TwoDigits,
  forms: Record<string, (digits: string) => string>,
): void {
  const judged = (at: (text: string) => string) => (value: number) =>
    value >= first && value <= last
      ? expectAccepted(createdAt(at(digits(value, 2))), "createdAt")
      : expectRefused(createdAt(at(digits(value, 2))), "createdAt", rule);

  describe.each(Object.entries(forms))(`createdAt, ${what} %s`, (form, at) => {
    test(`createdAt: ${what} ${digits(last, 2)} is accepted, ${digits(last + 1, 2)} refused, ${form} (interface ${cite})`, async () => {
      const edges = [...(first > 0 ? [first - 1] : []), first, last, last + 1];
      for (const value of edges) await judged(at)(value);
      expectEdges(edges.map((value) => `createdAt ${edge} ${digits(value, 2)}`));
    });

    test(`createdAt: every ${what} from 00 to 99 falls on its own side, ${form} (interface ${cite})`, () =>
      holdsForAll(
        Array.from({ length: 100 }, (_, value) => value),
        judged(at),
      ));
  });
}
