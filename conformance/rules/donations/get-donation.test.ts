import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";

import { create, expectProblem, get, readDonation, recorded } from "../../suite/client/api.ts";
import { donation, fullDonation } from "../../suite/values/donations.ts";
import { keyOf } from "../../suite/values/target.ts";

test("a donation is read as it was recorded", async () => {
  const donation = recorded(await create(fullDonation()));
  expect(readDonation(await get(donation.id))).toEqual(donation);
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

test("an id with something after it is refused with donation_not_found", async () => {
  const { id } = recorded(await create(donation()));
  for (const stray of ["0", "%0a", "%20", "%00"]) expectProblem(await get(id + stray), 404, "donation_not_found");
});
