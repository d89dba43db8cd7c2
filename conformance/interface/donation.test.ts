import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { holds } from "../suite/client/holds.ts";
import { lengthsOf } from "../suite/contract/interface.ts";
import { offline } from "../suite/contract/offline-rules.ts";
import { donationWith, expectAccepted, expectRefused } from "../suite/models/verdicts.ts";
import { type Break, breaks, type Rule, rules } from "../suite/values/broken-rules.ts";
import { type Body, donations, freshKey, unrepeated, unrepeatedDonation } from "../suite/values/donations.ts";
import { alphabets, fitting, textOf } from "../suite/values/text.ts";

/** Whole donations: any valid members, and at most one broken rule. */
const any = donations.map((body): Body => ({ ...body, skipAlert: true }));

/** Without the empty idempotencyKey: under it one donation only is sent (donationWithEmptyKey). */
const { "idempotencyKey too short": _emptyKey, ...sent } = breaks;

const breaking = (body: Body, { member, text }: Break): string =>
  donationWith(text === undefined ? {} : { [member]: text }, { ...body, [member]: undefined });

describe("a donation", () => {
  test("a donation that keeps every rule is accepted (interface 2.1)", () =>
    holds(any, (body) => expectAccepted(donationWith({}, unrepeatedDonation(body))), { runs: 300 }));

  test("a donation with every member at its longest is accepted (interface 2.1)", () =>
    holds(
      fc
        .constantFrom(...alphabets)
        .chain((alphabet) =>
          fc.tuple(...["donatorName", "message", "identifier"].map((member) => textOf(lengthsOf(member).max, alphabet))),
        ),
      ([name = "", text = "", identity = ""]) => {
        const donatorName = fitting(name, lengthsOf("donatorName").max);
        const message = fitting(text, lengthsOf("message").max);
        const identifier = unrepeated(identity, "identifier");
        const idempotencyKey = freshKey().padEnd(lengthsOf("idempotencyKey").max, "ก");
        const createdAt = `2026-10-31T23:59:59.${"9".repeat(30)}+23:59`;
        return expectAccepted(
          donationWith(
            {},
            { donatorName, amount: 12.345678901234567, currency: "THB", message, identifier, idempotencyKey, skipAlert: true, createdAt },
          ),
        );
      },
      { runs: 30 },
    ));

  test.each(Object.entries(sent))("a donation with %s is refused, whatever else is in it (interface 2)", (_, broken) =>
    holds(fc.tuple(any, broken), ([body, one]) => expectRefused(breaking(body, one), one.member, one.rule), { runs: 24 }),
  );

  test("every rule of the oracle is broken by some case of this file, except those of the body itself", offline, () => {
    const broken = new Set(Object.values(breaks).flatMap((one) => fc.sample(one, { seed: 1, numRuns: 1 }).map(({ rule }) => rule)));
    const all = (Object.keys(rules) as Rule[]).filter((rule) => rule !== "json" && rule !== "object");
    expect([...broken].sort()).toEqual(all.sort());
  });
});
