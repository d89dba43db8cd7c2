import fc from "fast-check";
import { expect, test } from "vitest";

import { create, createRaw, expectFaults, expectProblem, faultsOf, problemOf } from "../../suite/client/api.ts";
import { holds } from "../../suite/client/holds.ts";
import { broken, mutations, severalMutations } from "../../suite/client/mutations.ts";
import { type Body, donation, donations } from "../../suite/values/donations.ts";
import { text } from "../../suite/values/text.ts";

const names = [
  "created_at",
  "CreatedAt",
  "donatorname",
  "amount ",
  "id",
  "source",
  "channel",
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "$ref",
  "",
  "a/b",
  "a~b",
  "~1",
  "ชื่อ",
  "0",
];

/** JSON pointer to a member of the body (RFC 6901). */
const pointer = (name: string): string => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;

test.each(names)("the unknown member %j is refused and named: request bodies are sealed", async (name) => {
  for (const value of ["null", "1", "9".repeat(5_000), `"x"`, "{}", `[{"a":1}]`])
    expectFaults(await createRaw(`{"donatorName":"a","amount":1,${JSON.stringify(name)}:${value}}`), `${pointer(name)} unknown_member`);
});

test("a name that goes on behind NUL is another one", async () => {
  const reply = await createRaw('{"donatorName":"a","amount":1,"amount\\u0000":2}');
  expectProblem(reply, 400, "validation_failed");
  expect(faultsOf(reply)).toBeOneOf([["/amount\u0000 unknown_member"], ["/amount\ufffd unknown_member"]]); // as it was sent, or as texts are read
});

test("an unknown member that is sent twice is named once", async () =>
  expectFaults(await createRaw('{"donatorName":"a","amount":1,"x":1,"x":2}'), "/x unknown_member"));

test("any unknown member is refused and named", () =>
  holds(fc.tuple(donations, text(0, 20), fc.jsonValue({ maxDepth: 2 })), async ([body, name, value]) =>
    expectFaults(await create({ ...body, [`_${name}`]: value }), `${pointer(`_${name}`)} unknown_member`),
  ));

test("any single broken rule is refused and named", () =>
  holds(fc.tuple(donations, mutations), async ([body, mutation]) => expectFaults(await create(broken(body, mutation)), mutation.fault), {
    runs: 200,
  }));

test("several broken rules are all named, not only the first", () =>
  holds(fc.tuple(donations, severalMutations), async ([body, several]) => {
    const reply = await create({ ...broken(body, ...several), created_at: 1 });
    expectFaults(reply, "/created_at unknown_member", ...several.map(({ fault }) => fault));
  }));

const unknown = (count: number): Body => Object.fromEntries(Array.from({ length: count }, (_, index) => [`unknown${index}`, 1]));

test("100 faults are all named", async () => {
  const reply = await create(donation(unknown(100)));
  expect([faultsOf(reply).length, problemOf(reply).errorsTruncated]).toEqual([100, undefined]);
});

test("more than 100 faults: 100 are named, and errorsTruncated says so", async () => {
  const reply = await create(donation(unknown(101)));
  expect([faultsOf(reply).length, problemOf(reply).errorsTruncated]).toEqual([100, true]);
});
