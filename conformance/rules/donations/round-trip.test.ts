import { expect, test } from "vitest";

import { create, get, listAll, readDonation, recorded } from "../../suite/client/api.ts";
import { holds } from "../../suite/client/holds.ts";
import { answerTo, parseDateTime } from "../../suite/contract/date-time.ts";
import { type Body, donation, donations, freshIdentifier, freshKey, fullDonation } from "../../suite/values/donations.ts";

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
