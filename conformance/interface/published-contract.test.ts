import fc from "fast-check";
import { describe, expect, test } from "vitest";

import dateCases from "../cases/dates.json" with { type: "json" };
import { contract, operation, published, resolved, type Schema } from "../suite/contract/contract.ts";
import { digits } from "../suite/contract/date-time.ts";
import { type Member, members } from "../suite/contract/interface.ts";
import { createdAt, donationWith } from "../suite/models/verdicts.ts";
import { breaks, evaluate } from "../suite/values/broken-rules.ts";
import { runs, some } from "../suite/values/depth.ts";
import { dateTimes, donations } from "../suite/values/donations.ts";
import { triedUnnamed } from "../suite/values/score.ts";
import { target } from "../suite/values/target.ts";
import { allAlphabets, onOneLine, textOf } from "../suite/values/text.ts";

// Compares the published contract (generated/openapi.json) with the interface, without a server: a wrong contract fails here even
// where the server agrees with it.

const schema = "#/components/schemas/ExternalDonation";
const schemas = (contract.components as { schemas: Record<string, Schema> }).schemas;
const donation = schemas.ExternalDonation as { required: string[]; properties: Record<string, Schema> };
const keywords = [
  "type",
  "minLength",
  "maxLength",
  "minimum",
  "exclusiveMinimum",
  "maximum",
  "exclusiveMaximum",
  "multipleOf",
  "enum",
  "const",
  "default",
];

/** The bounds of a member in the contract, inline or in the scalar that it refers to. */
const stated = (member: string): Schema => {
  const property = donation.properties[member] ?? {};
  const all: Schema = { ...resolved(property), ...property };
  return Object.fromEntries(keywords.filter((keyword) => keyword in all).map((keyword) => [keyword, all[keyword]]));
};

/** The bounds of a member in interface 2.1. */
const demanded = ({ type, minLength, maxLength, above, upTo, allowed, defaultValue: fallback }: Member): Schema => {
  const bounds = { type, minLength, maxLength, exclusiveMinimum: above, maximum: upTo, enum: allowed, default: fallback };
  return Object.fromEntries(Object.entries(bounds).filter(([, bound]) => bound !== undefined));
};

/** Expects the contract's schema to accept the body exactly when it breaks no rule of the interface. */
function agrees(body: string): void {
  const { broken, open } = evaluate(Buffer.from(body), "code-points", "letter");
  const faults = published(schema, JSON.parse(body));
  triedUnnamed(1);
  if (open.length === 0 && (faults.length === 0) === (broken.length === 0)) return;
  throw new Error(
    `${body}\n  the contract: ${JSON.stringify(faults)}\n  the interface: ${JSON.stringify(broken)}, undecided: ${JSON.stringify(open)}`,
  );
}

const agreesOn = (bodies: fc.Arbitrary<string>, numRuns = 300): void =>
  fc.assert(fc.property(bodies, agrees), { seed: target().seed, numRuns: runs(numRuns) });

const upTo = (last: number): number[] => Array.from({ length: last + 1 }, (_, value) => value);

const ifChanged = "if the interface has changed, change conformance/suite/contract/interface.ts as well";

describe("the published contract", () => {
  test("a donation of the published contract has the members of interface 2.1 and no others", () => {
    const [stands, wanted] = [Object.keys(donation.properties), members.map(({ member }) => member)];
    const more = stands.filter((name) => !wanted.includes(name));
    const fewer = wanted.filter((name) => !stands.includes(name));
    expect({ more, fewer }, `spec/ and interface 2.1 name different members; ${ifChanged}`).toEqual({ more: [], fewer: [] });
  });

  test.each(members)("$member has exactly the type, bounds and default of interface 2.1 in the published contract", (member) =>
    expect(stated(member.member), `spec/ says something else of ${member.member} than interface 2.1; ${ifChanged}`).toEqual(
      demanded(member),
    ),
  );

  test("donatorName and amount are the only required members of the published contract (interface 2.1)", () =>
    expect([...donation.required].sort()).toEqual(["amount", "donatorName"]));

  test("createdAt has the format date-time in the published contract (interface 2.1)", () =>
    expect(schemas.createdAt?.format).toBe("date-time"));

  test("the published contract has POST /api/v1/donations take JSON with the scope write:donations (interface 4.1, 5.3)", () => {
    const { method, path, scopes, requestBody } = operation("createDonation");
    const types = Object.keys(requestBody?.content ?? {});
    expect([method, path, scopes, types]).toEqual(["POST", "/api/v1/donations", ["write:donations"], ["application/json"]]);
    expect(requestBody?.required).toBe(true);
  });

  test.each([
    ["issueToken", "/oauth/token", ["grant_type", "client_id", "client_secret"]],
    ["revokeToken", "/oauth/revoke", ["token", "client_id", "client_secret"]],
  ])("the published contract has %s at POST %s take JSON with its members as texts (interface 4.2, 4.3, 9.2)", (id, path, names) => {
    const { method, path: stated, requestBody } = operation(id);
    const { properties = {} } = resolved(requestBody?.content["application/json"]?.schema ?? {}) as { properties?: Record<string, Schema> };
    expect([method, stated]).toEqual(["POST", path]);
    expect(names.map((name) => [name, resolved(properties[name] ?? {}).type])).toEqual(names.map((name) => [name, "string"]));
  });
});

describe("the published schema agrees with the interface", () => {
  test("the published schema agrees with the interface on every valid donation (interface 2.1)", () =>
    agreesOn(donations.map((body) => donationWith({}, body))));

  test.each(Object.entries(breaks))("the published schema agrees with the interface on %s (interface 2)", (_, broken) =>
    agreesOn(
      fc
        .tuple(donations, broken)
        .map(([body, { member, text }]) => donationWith(text === undefined ? {} : { [member]: text }, { ...body, [member]: undefined })),
      60,
    ),
  );

  test.each(members.filter(({ maxLength }) => maxLength))(
    "the published schema agrees with the interface on the bounds of $member in every alphabet (interface 2.1)",
    ({ member, minLength = 0, maxLength = 0 }) =>
      agreesOn(
        fc
          .tuple(
            fc.constantFrom(minLength - 1, minLength, minLength + 1, maxLength - 1, maxLength, maxLength + 1),
            fc.constantFrom(...allAlphabets),
          )
          .chain(([length, alphabet]) => textOf(Math.max(0, length), alphabet))
          .map((value) => donationWith({ [member]: JSON.stringify(value) })),
      ),
  );

  test("the published schema agrees with the interface on any date-time, also with one character more, less or changed (interface 2.2)", () =>
    agreesOn(
      fc
        .tuple(dateTimes, fc.nat(40), fc.constantFrom(..."0129TZtz+-:., ๑\n", ""), fc.nat(1))
        .map(([text, at, stray, instead]) => createdAt(text.slice(0, at) + stray + text.slice(at + instead))),
      1000,
    ));

  test.each(dateCases.map((one) => ({ ...one, shown: onOneLine(one.data) })))(
    "the published schema agrees with the interface on createdAt $shown: $description",
    ({ data }) => agrees(createdAt(data)),
  );

  test("the published schema agrees with the interface on 29 February of every year (interface 2.2.2)", () => {
    for (const year of some(upTo(9999), [4, 100, 400, 1900, 2000, 2023, 2024])) agrees(createdAt(`${digits(year, 4)}-02-29T00:00Z`));
  });

  test("the published schema agrees with the interface on any two digits in each part of a date-time (interface 2.2)", () => {
    for (const value of some(upTo(99), [12, 13, 23, 24, 31, 32, 59, 60])) {
      const two = digits(value, 2);
      for (const text of [
        `2024-${two}-10T10:10Z`,
        `2024-01-${two}T10:10Z`,
        `2024-01-10T${two}:10Z`,
        `2024-01-10T10:${two}Z`,
        `2024-01-10T10:10:${two}Z`,
        `2024-01-10T10:10+${two}:00`,
        `2024-01-10T10:10-00:${two}`,
      ])
        agrees(createdAt(text));
    }
  });
});
