import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import cases from "../../cases/parameters.json" with { type: "json" };
import rangeCases from "../../cases/ranges.json" with { type: "json" };
import {
  create,
  type Donation,
  expectFaults,
  expectProblem,
  get,
  ids,
  keyWithoutDonations,
  list,
  listAll,
  pageOf,
  post,
  type Query,
  readDonation,
  recorded,
  takeBack,
} from "../../suite/client/api.ts";
import { holds } from "../../suite/client/holds.ts";
import { send, sendUnchecked } from "../../suite/client/http-client.ts";
import { addDonation } from "../../suite/client/operator.ts";
import { lengthsOf } from "../../suite/contract/interface.ts";
import { sorts } from "../../suite/models/donation-state.ts";
import { fullOnly } from "../../suite/values/depth.ts";
import { dateTimes, donation, freshIdentifier, nextDown, nextUp } from "../../suite/values/donations.ts";
import { keyOf, operatorOf } from "../../suite/values/target.ts";

const sorted = (donations: readonly Donation[]): string[] => ids(donations).sort();

/** An amount that no other donation has: it identifies donations without an identifier. */
const freshAmount = (): number => 500_000 + Math.floor(Math.random() * 2 ** 40) / 2 ** 22;

test("a list holds the donations of the caller's streamer and of no other", async (context) => {
  const identifier = freshIdentifier();
  const ours = await post({ identifier });
  const theirs = recorded(await create(donation({ identifier }), { key: keyOf(context, "other") }));
  expect(sorted(await listAll({ identifier }))).toEqual([ours.id]);
  expect(sorted(await listAll({ identifier }, { key: keyOf(context, "other") }))).toEqual([theirs.id]);
});

test("a list without donations is an empty page", async (context) => {
  expect(pageOf(await list({}, { key: await keyWithoutDonations(context) }))).toEqual({
    data: [],
    pagination: { nextCursor: null, hasMore: false, limit: 20 },
  });
});

describe("filters", () => {
  test("the filter identifier matches exactly: case, blanks and normalisation count", async () => {
    const identifier = `${freshIdentifier()}é%_`;
    const { id } = await post({ identifier });
    for (const near of [identifier.toUpperCase(), `${identifier} `, identifier.normalize("NFD"), identifier.slice(0, -1)])
      await post({ identifier: near });
    expect(sorted(await listAll({ identifier }))).toEqual([id]);
  });

  test("the filters minAmount and maxAmount are inclusive, to the double", async () => {
    const identifier = freshIdentifier();
    const amount = freshAmount();
    const [below, exact, above] = await Promise.all(
      [nextDown(amount), amount, nextUp(amount)].map((one) => post({ identifier, amount: one })),
    );
    expect(sorted(await listAll({ identifier, minAmount: amount }))).toEqual(sorted([exact, above] as Donation[]));
    expect(sorted(await listAll({ identifier, maxAmount: amount }))).toEqual(sorted([below, exact] as Donation[]));
    expect(sorted(await listAll({ identifier, minAmount: amount, maxAmount: amount }))).toEqual([exact?.id]);
    expect(await listAll({ identifier, maxAmount: 0 })).toEqual([]);
  });

  test("the filter channel keeps the channels that it names", async () => {
    const identifier = freshIdentifier();
    const { id } = await post({ identifier });
    expect(sorted(await listAll({ identifier, channel: "external" }))).toEqual([id]);
    expect(sorted(await listAll({ identifier, channel: ["card", "external"] }))).toEqual([id]);
    expect(sorted(await listAll({ identifier, channel: ["card", "other", "promptpay", "truemoney", "bank_transfer"] }))).toEqual([]);
  });

  test("the filter source keeps the sources that it names; external and native are the default, tests are not", async (context) => {
    fullOnly(context, "it waits for the operator's command line");
    const operator = operatorOf(context);
    const amount = freshAmount();
    const only = { minAmount: amount, maxAmount: amount };
    const sources = async (query: Query): Promise<string[]> =>
      (await listAll({ ...only, ...query })).map(({ source, channel }) => `${source} ${channel}`).sort();
    await post({ amount });
    await addDonation(operator, "native", "promptpay", amount);
    await addDonation(operator, "test", "card", amount);
    expect(await sources({})).toEqual(["external external", "native promptpay"]);
    expect(await sources({ source: "test" })).toEqual(["test card"]);
    expect(await sources({ source: ["external", "native", "test"] })).toEqual(["external external", "native promptpay", "test card"]);
    expect(await sources({ source: "native", channel: "card" })).toEqual([]);
    expect(await sources({ channel: ["promptpay", "card"] })).toEqual(["native promptpay"]);
    expect(await sources({ channel: ["promptpay", "card"], source: "test", from: "2024-01-01", sort: "amount" })).toEqual(["test card"]);
  });
});

test("filters hold together, in every order: a donation that misses one of them is left out", async () => {
  const [day, identifier] = ["2024-05-10", freshIdentifier()];
  const wanted = { identifier, amount: 5, createdAt: `${day}T12:00Z` };
  const days = ["2024-05-09T12:00Z", "2024-05-11T12:00Z"].map((createdAt) => ({ createdAt }));
  const misses = [{ amount: 4 }, { amount: 6 }, { identifier: `${identifier}x` }, ...days];
  const [one] = await Promise.all([{}, ...misses].map((miss) => post({ ...wanted, ...miss })));
  await takeBack(await post(wanted));
  const filters = { identifier, minAmount: 5, maxAmount: 5, from: day, to: day, channel: "external", source: "external", status: "active" };
  for (const sort of sorts) expect(ids(await listAll({ ...filters, sort })), sort).toEqual([one?.id]);
  for (const miss of [{ channel: "card" }, { source: "native" }]) expect(await listAll({ ...filters, ...miss })).toEqual([]);
});

test("limit is 20 unless it is sent, and is answered", async () => {
  expect(pageOf(await list()).pagination.limit).toBe(20);
  expect(pageOf(await list({ limit: 7 })).pagination.limit).toBe(7);
});

test("blanks, pluses and ampersands of the filter identifier are themselves, however they are encoded", async () => {
  const identifier = `${freshIdentifier()} a+b&c=d%20`;
  const { id } = await post({ identifier });
  for (const encoded of [`identifier=${encodeURIComponent(identifier)}`, new URLSearchParams({ identifier })])
    expect(ids(pageOf(await send({ path: `/api/v1/donations?sort=-receivedAt&${encoded}` })).data)).toEqual([id]);
});

test("a donation is read by every credential of its streamer", async (context) => {
  const { id } = recorded(await create(donation()));
  for (const holder of ["readOnly", "secondApplication"] as const)
    expect(readDonation(await get(id, { key: keyOf(context, holder) })).id).toBe(id);
});

test("an id that names nothing is refused with donation_not_found", async () =>
  expectProblem(await get(randomUUID()), 404, "donation_not_found"));

test("another streamer's donation is refused with donation_not_found, like one that does not exist", async (context) => {
  const { id } = recorded(await create(donation()));
  expectProblem(await get(id, { key: keyOf(context, "other") }), 404, "donation_not_found");
});

const malformed = [
  "1",
  "x",
  "null",
  "%00",
  "%20",
  "%ff",
  "%zz",
  "%F0%9F%98%80",
  "..%2f..%2fme",
  "%27%20or%201=1--",
  "01932f6e-8a00-7000-8000-3f1e5a7c9b2",
  "01932f6e8a00700080003f1e5a7c9b21",
  "{01932f6e-8a00-7000-8000-3f1e5a7c9b21}",
  "9".repeat(1000),
  "%EF%BF%BD",
];

test.each(malformed.map((id) => ({ id })))("a malformed id is refused with donation_not_found: $id", async ({ id }) =>
  expectProblem(await get(id), 404, "donation_not_found"),
);

test("an id in capitals is another text, and refused with donation_not_found", async () =>
  expectProblem(await get(recorded(await create(donation())).id.toUpperCase()), 404, "donation_not_found"));

test("an id with something after it is refused with donation_not_found", async () => {
  const { id } = recorded(await create(donation()));
  for (const stray of ["0", "%0a", "%20", "%00"]) expectProblem(await get(id + stray), 404, "donation_not_found");
});

const invalidQueries = cases.filter(({ faults }) => faults.length > 0);
const validQueries = cases.filter(({ faults }) => faults.length === 0);
const ask = (query: string): ReturnType<typeof send> => send({ path: `/api/v1/donations?${query}` });

test.each(invalidQueries)("a list with ?$query is refused, and each fault is named", async ({ query, faults }) =>
  expectFaults(await ask(query), ...faults),
);

test.each(validQueries)("a list with ?$query is accepted", async ({ query }) => expect((await ask(query)).status).toBe(200));

test.each(["%00", "%ff", "%E0%B8", "%ED%A0%80", "%zz"])(
  "NUL, bytes that are no UTF-8 and malformed escapes in a query are read or refused with 400, by lists and searches: %s",
  async (octets) => {
    for (const query of [`?identifier=a${octets}`, `/search?q=${octets}`]) {
      const reply = await sendUnchecked({ path: `/api/v1/donations${query}` });
      expect(reply.status, reply.text).toBeOneOf([200, 400]);
    }
  },
);

test.each([
  ["identifier", lengthsOf("identifier").max],
  ["timezone", 64],
  ["cursor", 4096],
])("parameter %s of more than %i code points is too long", async (parameter, limit) =>
  expectFaults(await list({ [parameter]: "x".repeat(limit + 1) }), `${parameter} too_long`),
);

test("the filter identifier accepts every identifier that a donation may have, in any alphabet", async () => {
  const { max } = lengthsOf("identifier");
  for (const letter of ["x", "ก", "😀"]) expect((await list({ identifier: letter.repeat(max) })).status).toBe(200);
});

/** The instants that a list with this range contains. */
async function instantsIn(range: Query, instants: string[]): Promise<string[]> {
  const identifier = freshIdentifier();
  const posted = await Promise.all(
    instants.map(async (createdAt) => ({ createdAt, id: recorded(await create(donation({ identifier, createdAt, skipAlert: true }))).id })),
  );
  const found = new Set((await listAll({ identifier, ...range })).map(({ id }) => id));
  return posted.filter(({ id }) => found.has(id)).map(({ createdAt }) => createdAt);
}

test.each(rangeCases)("a range from and to keeps the right donations: $description", async ({ range, inside, outside }) =>
  expect(await instantsIn(range as Query, [...inside, ...outside])).toEqual(inside),
);

test("an instant is in the range that begins with it and not in the one that ends with it", () =>
  holds(
    dateTimes,
    async (createdAt) => {
      expect(await instantsIn({ from: createdAt }, [createdAt])).toEqual([createdAt]);
      expect(await instantsIn({ to: createdAt }, [createdAt])).toEqual([]);
    },
    { runs: 40 },
  ));

describe("invalid_range", () => {
  // Of some libraries, operating systems and folders of zones, and none of IANA's.
  const ownNames = ["UTC+7", "GMT+7", "+07:00", "Local", "Bangkok", "SE Asia Standard Time", "ICT", "zone.tab", "../Asia/Bangkok"];

  test.each(ownNames)(
    "lists, searches and exports refuse the time zone %s, which is no IANA name, with invalid_range",
    async (timezone) => {
      // Exports are limited to a few in five minutes, refused ones included: one name is asked for.
      for (const path of ["", "/search?q=a", ...(timezone === ownNames[0] ? ["/export"] : [])]) {
        const reply = await send({ path: `/api/v1/donations${path}${path.includes("?") ? "&" : "?"}${new URLSearchParams({ timezone })}` });
        expectProblem(reply, 400, "invalid_range");
      }
    },
  );

  test.each<[string, Query]>([
    ["reversed days", { from: "2024-05-11", to: "2024-05-10" }],
    ["reversed instants", { from: "2024-05-10T11:00Z", to: "2024-05-10T10:00Z" }],
    ["an empty range of instants", { from: "2024-05-10T10:00Z", to: "2024-05-10T10:00Z" }],
    ["an empty range of one instant at two offsets", { from: "2024-05-10T10:00Z", to: "2024-05-10T17:00+07:00" }],
    ["a range that its time zone makes empty", { from: "2024-05-10", to: "2024-05-09T17:00Z" }],
    ["an unknown time zone", { from: "2024-05-10", timezone: "Asia/Ayutthaya" }],
    ["a time zone with a stray blank", { from: "2024-05-10", timezone: " Asia/Bangkok" }],
  ])("a range is refused with invalid_range: %s", async (_, query) => expectProblem(await list(query), 400, "invalid_range"));
});

test("an unknown time zone, a reversed range and reversed amounts are named beside faults of other parameters", async () => {
  const amounts = { minAmount: 2, maxAmount: 1 };
  const [limit, timezone, maxAmount] = ["limit out_of_range", "timezone invalid_format", "maxAmount out_of_range"];
  expectFaults(await list({ limit: 0, timezone: "Asia/Ayutthaya", ...amounts }), limit, maxAmount, timezone);
  expectFaults(await list({ limit: 0, from: "2024-05-11", to: "2024-05-10" }), limit, "to out_of_range");
  expectFaults(await list({ limit: 0, from: "2024-05-11", to: "2024-05-10", timezone: "" }), limit, "timezone too_short");
  expectFaults(await send({ path: "/api/v1/donations/search?timezone=Asia/Ayutthaya" }), "q required", timezone);
});

test.each([
  "2023-02-29",
  "2024-02-30",
  "2024-5-1",
  "20240510",
  "2024-05-10T10:00",
  "2024-05-10 10:00Z",
  "2024-05-10T24:00Z",
  "2024-05-10Z",
  "today",
  "",
  "1715299200",
  "2024-05-10T17:00 07:00",
])("from and to that break interface 2.2 are refused with invalid_format: %j", async (bound) => {
  expectFaults(await list({ from: bound }), "from invalid_format");
  expectFaults(await list({ from: "2024-01-01", to: bound }), "to invalid_format");
});

test("donations before the year 0000 and after 9999 in UTC, whose createdAt has an offset, stand in the order of their instants", async () => {
  const rising = [
    "0000-01-01T05:00:00.000+07:00",
    "0000-01-01T00:30:00.000+01:00",
    "0000-01-01T00:00:00.000Z",
    "9999-12-31T23:30:00.000Z",
    "9999-12-31T23:10:00.000-01:00",
    "9999-12-31T22:00:00.000-23:00",
  ];
  const identifier = freshIdentifier();
  for (const place of [3, 5, 1, 4, 0, 2]) await post({ identifier, createdAt: rising[place] });
  const times = async (query: Query) => (await listAll({ identifier, ...query })).map(({ createdAt }) => createdAt);
  for (const limit of [1, 4, 100]) {
    expect(await times({ sort: "createdAt", limit })).toEqual(rising);
    expect(await times({ sort: "-createdAt", limit })).toEqual(rising.toReversed());
  }
});
