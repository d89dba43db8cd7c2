import { expect, test } from "vitest";
import type { Database } from "../db/database.ts";
import { useDatabase } from "../db/testing.ts";
import { findDonationEvents, recordEvents } from "./log.ts";
import { openLogFixture } from "./testing.ts";

let fixture: ReturnType<typeof openLogFixture>;
useDatabase(async (database: Database) => {
  fixture = openLogFixture(database);
});

test("the events of a donation are those that happened to it and to its alert, oldest first, with the reason of a skip", async () => {
  const { knex } = fixture;
  const streamerId = await fixture.newStreamer();
  const [id = "", other = ""] = await fixture.donate(streamerId, {}, {});
  for (const status of ["held", "queued", "leased", "playing"]) await fixture.move([id], status);
  await fixture.move([other], "playing");
  await fixture.move([id], "skipped", "voided");
  await knex.transaction((trx) =>
    recordEvents(trx, { streamerId, type: "donation.voided" }, [{ donationId: id, at: Date.parse("2026-11-21T03:00:00Z"), details: {} }]),
  );
  const steps = await findDonationEvents(knex, streamerId, id);
  expect(steps.map(({ type, reason, isReplay }) => [type, reason, isReplay])).toEqual([
    ["alert.held", null, false],
    ["alert.approved", null, false],
    ["alert.started", null, false],
    ["alert.skipped", "voided", false],
    ["donation.voided", null, false],
  ]);
  expect(steps.at(-1)?.at).toBe(Date.parse("2026-11-21T03:00:00Z"));
  expect(await findDonationEvents(knex, await fixture.newStreamer(), id), "another streamer's donation").toEqual([]);
});
