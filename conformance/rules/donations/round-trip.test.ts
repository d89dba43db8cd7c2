import { expect, test } from "vitest";
import { create, createRaw, get, ids, listAll, readDonation, recorded, replayed, takeBack } from "../../suite/client/api.ts";
import { holds, holdsForAll, holdsForEach } from "../../suite/client/holds.ts";
import { answerTo, parseDateTime } from "../../suite/contract/date-time.ts";
import { lengthsOf, members } from "../../suite/contract/interface.ts";
import { readers } from "../../suite/models/derive/members.ts";
import { at, emptyDays, report } from "../../suite/models/reports.ts";
import { type Body, donation, donations, freshIdentifier, freshKey, fullDonation } from "../../suite/values/donations.ts";
import { about } from "../../suite/values/score.ts";
import { longestFitting, spellings } from "../../suite/values/text.ts";

/** The expected record of this body: its members, with the defaults of interface 2.1 and times in UTC. */
function expected(body: Body): Body {
  const sent = { currency: "THB", message: "", skipAlert: false, idempotencyKey: null, ...body, identifier: body.identifier || null };
  const time = typeof body.createdAt === "string" ? parseDateTime(body.createdAt) : null;
  return time ? { ...sent, createdAt: answerTo(time) } : sent;
}

test("a donation is answered and read back as it was posted", () =>
  holds(
    donations,
    async (body) => {
      const donation = recorded(await create(body));
      expect(donation).toMatchObject(expected(body));
      expect(readDonation(await get(donation.id))).toEqual(donation);
    },
    { runs: 200 },
  ));

test("a donation is listed as it was posted", () =>
  holds(donations, async (body) => {
    const identifier = freshIdentifier();
    const donation = recorded(await create({ ...body, identifier }));
    expect(await listAll({ identifier })).toEqual([donation]);
  }));

test("every member of a donation is answered as it was sent", async () => {
  const body = fullDonation();
  expect(recorded(await create(body))).toMatchObject(expected(body));
});

test("members of a donation that are not set are null, never absent", async () => {
  const { identifier, idempotencyKey, alert } = recorded(await create(donation({ skipAlert: false })));
  expect([identifier, idempotencyKey, alert.reason, alert.shownAt]).toEqual([null, null, null, null]);
});

test("ids of donations are UUIDv7 and unique: they begin with a time in milliseconds since 1970 (RFC 9562 5.7), of about the day on which the donation was received", async () => {
  const donations = (await Promise.all(Array.from({ length: 50 }, () => create(donation())))).map(recorded);
  expect(new Set(donations.map(({ id }) => id)).size).toBe(50);
  for (const { id, receivedAt } of donations) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const milliseconds = Number.parseInt(id.replace("-", "").slice(0, 12), 16);
    expect(Math.abs(milliseconds - Date.parse(receivedAt)), "milliseconds between the id's time and receivedAt").toBeLessThan(86_400_000);
  }
});

test("an idempotency key is answered to the application that sent it", async () => {
  const idempotencyKey = freshKey();
  expect(recorded(await create(donation({ idempotencyKey }))).idempotencyKey).toBe(idempotencyKey);
});

const texts = members.filter(({ maxLength }) => maxLength !== undefined).map(({ member }) => member);

/** Texts that languages without types take for nothing, for a number or for a boolean, and libraries for a date, for JSON, for escapes or for HTML. */
const valuesAsTexts = [
  ...["0", "00", "-1", "1e3", "0x10", "NaN", "null", "undefined", "false"],
  ...["%41", "&lt;b&gt;", "<b>b</b>", "\\u0041", "a\\nb"],
  ...["2026-11-20T19:30:00+07:00", "2026-11-20", "/Date(1795203000000)/", '{"a":1}', "[1]"],
];

/** The same JSON with every character beyond ASCII as an escape. */
const escaped = (json: string): string => json.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

test.each(texts)(
  "%s is stored and answered exactly as it was sent: every line end, normal form, case, blank and unseen character, blanks alone, and texts that read as a number, a boolean, null, a date, JSON, escapes or HTML",
  async (member) => {
    about(member);
    await holdsForAll([...spellings, ...valuesAsTexts, " ", "\n", "\u3000", "\u200b", "\t \r\n"], async (spelling) => {
      const text = (): string => (member === "idempotencyKey" ? `${freshKey()}${spelling}` : spelling);
      for (const send of [create, (body: unknown) => createRaw(escaped(JSON.stringify(body)))]) {
        const sent = { [member]: text() };
        const original = recorded(await send(donation({ skipAlert: true, ...sent })));
        expect(original).toMatchObject(sent);
        expect(readDonation(await get(original.id))).toMatchObject(sent);
      }
    });
  },
);

const longest = (member: string): string => "ก".repeat(lengthsOf(member).max);

test.each<[string, () => Body]>([
  [
    "its texts as they were sent, with blanks around them, line ends and unseen characters",
    () => ({ donatorName: " ส\u200bมชาย\u00a0", message: "\n e\u0301\t", identifier: ` ${freshIdentifier()} ` }),
  ],
  [
    "its longest texts whole, and every decimal of its amount",
    () => ({ donatorName: longest("donatorName"), message: longest("message"), amount: 0.30000000000000004 }),
  ],
])("each operation that answers a donation answers %s", async (_, membersOf) => {
  const [[day = ""], members] = [await emptyDays(1), membersOf()];
  const sent = donation({ identifier: freshIdentifier(), ...members, skipAlert: true, createdAt: `${day}T12:00Z` });
  const one = { donation: recorded(await create(sent)), sent };
  expect(one.donation).toMatchObject(members);
  for (const [operation, read] of Object.entries(readers))
    for (const [member, value] of Object.entries(operation === "exportDonations" ? members : one.donation))
      expect(await read(one, member), `${operation}: ${member}`).toEqual({ value });
  const { voided: _void, ...kept } = one.donation;
  expect(await takeBack(one.donation)).toMatchObject(kept);
});

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
