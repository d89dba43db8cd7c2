import { expect, test } from "vitest";

import { create, listAll, recorded, replayed } from "../../harness/client/api.ts";
import { ids } from "../../harness/client/record-donations.ts";
import { about } from "../../harness/client/score.ts";
import { type Body, donation, freshIdentifier, freshKey } from "../../harness/generators/donations.ts";
import { holdsForEach } from "../../harness/generators/holds.ts";
import { spellings } from "../../harness/generators/spellings.ts";
import { at, emptyDays, report } from "../../harness/models/report-requests.ts";

// Keys are compared as they were sent: two texts that only a normalisation makes equal are two keys.

/** As many as a list of top donators has at most. */
const perDay = 100;

test("each spelling of an identifier is a donator of its own, in stats, trends and among the top donators", async () => {
  about("identifier");
  const own = freshIdentifier();
  const identifiers = spellings.map((spelling) => `${own}${spelling}`);
  for (let first = 0; first < identifiers.length; first += perDay) {
    const [day = ""] = await emptyDays(1);
    const those = identifiers.slice(first, first + perDay);
    await holdsForEach(those, (identifier) => at(`${day}T12:00+07:00`, { identifier }), 16);
    const range = { from: day, to: day };
    expect((await report("stats", range)).uniqueDonators).toBe(those.length);
    expect((await report("trends/count", range)).points.map(({ uniqueDonators }) => uniqueDonators)).toEqual([those.length]);
    const { donators } = await report("top-donators", { ...range, limit: perDay });
    expect(donators.map(({ identifier }) => identifier).sort()).toEqual([...those].sort());
  }
});

test("the filter identifier finds each spelling of an identifier alone", async () => {
  about("identifier");
  const own = freshIdentifier();
  const recordedIds = new Map<string, string>();
  await holdsForEach(
    spellings.map((spelling) => `${own}${spelling}`),
    async (identifier) => void recordedIds.set(identifier, recorded(await create(donation({ skipAlert: true, identifier }))).id),
    16,
  );
  await holdsForEach([...recordedIds], async ([identifier, id]) => expect(ids(await listAll({ identifier }))).toEqual([id]), 16);
});

test("each spelling of an idempotencyKey is a key of its own, and finds its own donation again", async () => {
  about("idempotencyKey");
  const own = freshKey();
  const bodies = spellings.map((spelling): Body => donation({ skipAlert: true, idempotencyKey: `${own}${spelling}` }));
  const originals = new Map<Body, string>();
  await holdsForEach(bodies, async (body) => void originals.set(body, recorded(await create(body)).id), 16);
  await holdsForEach(bodies, async (body) => expect(replayed(await create(body)).id).toBe(originals.get(body)), 16);
});
