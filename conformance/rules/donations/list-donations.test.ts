import { describe, expect, test } from "vitest";

import {
  create,
  type Donation,
  ids,
  list,
  listAll,
  pageOf,
  post,
  type Query,
  queryText,
  recorded,
  recordSome,
} from "../../suite/client/api.ts";
import { send } from "../../suite/client/http-client.ts";
import { addDonation } from "../../suite/client/operator.ts";
import { fullOnly } from "../../suite/values/depth.ts";
import { donation, freshIdentifier } from "../../suite/values/donations.ts";
import { nextDown, nextUp } from "../../suite/values/doubles.ts";
import { keyOf, operatorOf, target } from "../../suite/values/target.ts";

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
  expect(pageOf(await list({}, { key: keyOf(context, "quiet") }))).toEqual({
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
  });
});

test("limit is 20 unless it is sent, and is answered", async () => {
  expect(pageOf(await list()).pagination.limit).toBe(20);
  expect(pageOf(await list({ limit: 7 })).pagination.limit).toBe(7);
});

test("a list for a client that accepts gzip and br is, decoded, the list that any other client gets (RFC 9110 12.5.3)", async () => {
  const { identifier } = await recordSome(12);
  const path = `/api/v1/donations${queryText({ identifier })}`;
  const headers = { Authorization: `Bearer ${target().keys.main}`, "Accept-Encoding": "gzip, br" };
  const compressed = await fetch(target().url + path, { headers }); // decodes what Content-Encoding names
  expect([compressed.status, await compressed.json()]).toEqual([200, pageOf(await send({ path }))]);
});

test("blanks, pluses and ampersands of the filter identifier are themselves, however they are encoded", async () => {
  const identifier = `${freshIdentifier()} a+b&c=d%20`;
  const { id } = await post({ identifier });
  for (const encoded of [`identifier=${encodeURIComponent(identifier)}`, new URLSearchParams({ identifier })])
    expect(ids(pageOf(await send({ path: `/api/v1/donations?sort=-receivedAt&${encoded}` })).data)).toEqual([id]);
});
