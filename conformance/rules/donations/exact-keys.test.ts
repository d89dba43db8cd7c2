import { expect, test } from "vitest";

import { create, ids, listAll, recorded, replayed } from "../../suite/client/api.ts";
import { holdsForEach } from "../../suite/client/holds.ts";
import { lengthsOf } from "../../suite/contract/interface.ts";
import { at, emptyDays, report } from "../../suite/models/report-requests.ts";
import { type Body, donation, freshIdentifier, freshKey } from "../../suite/values/donations.ts";
import { longestFitting } from "../../suite/values/lengths.ts";
import { about } from "../../suite/values/score.ts";
import { spellings } from "../../suite/values/spellings.ts";

// Keys are compared as they were sent, to their end: two texts that only a normalisation or a shorter column makes equal are two keys.

/** As many as a list of top donators has at most. */
const perDay = 100;

/** Keys with this beginning: each spelling, and pairs of the longest length that differ in their last character alone. */
const keysWith = (own: string, member: "identifier" | "idempotencyKey"): string[] => [
  ...spellings.map((spelling) => `${own}${spelling}`),
  ...["x", "ก", "😀"].flatMap((letter) =>
    ["a", "b"].map((last) => longestFitting((count) => own + letter.repeat(count) + last, lengthsOf(member).max)),
  ),
];

test("each spelling of an identifier is a donator of its own, to its last character, in stats, trends and among the top donators", async () => {
  about("identifier");
  const identifiers = keysWith(freshIdentifier(), "identifier");
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

test("the filter identifier finds each spelling of an identifier alone, to its last character", async () => {
  about("identifier");
  const recordedIds = new Map<string, string>();
  await holdsForEach(
    keysWith(freshIdentifier(), "identifier"),
    async (identifier) => void recordedIds.set(identifier, recorded(await create(donation({ skipAlert: true, identifier }))).id),
    16,
  );
  await holdsForEach([...recordedIds], async ([identifier, id]) => expect(ids(await listAll({ identifier }))).toEqual([id]), 16);
});

test("each spelling of an idempotencyKey is a key of its own, to its last character, and finds its own donation again", async () => {
  about("idempotencyKey");
  const bodies = keysWith(freshKey(), "idempotencyKey").map((idempotencyKey): Body => donation({ skipAlert: true, idempotencyKey }));
  const originals = new Map<Body, string>();
  await holdsForEach(bodies, async (body) => void originals.set(body, recorded(await create(body)).id), 16);
  await holdsForEach(bodies, async (body) => expect(replayed(await create(body)).id).toBe(originals.get(body)), 16);
});
