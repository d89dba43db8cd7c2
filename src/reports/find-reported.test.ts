import { expect, test } from "vitest";
import { justStored, type StoredDonation } from "../donations/donation.ts";
import { someDonation } from "../donations/testing.ts";
import { Problem } from "../http/problem.ts";
import { findReported } from "./handlers.ts";

const streamerId = "00000000-0000-7000-8000-000000000000";
const onPrimary = justStored(someDonation(streamerId), 0, 1);
const onStandby = justStored(someDonation(streamerId), 0, 2);
const finder = (...found: StoredDonation[]) => ({
  donations: { find: async (_streamer: string, id: string) => found.find((one) => one.id === id) ?? null },
});
const standby = finder(onPrimary, onStandby);
const find = findReported({ primary: finder(onPrimary), read: (_streamer, read) => read(standby) });

test("a donation that a report names is read on the primary, and on the standby while the primary does not show it yet", async () => {
  expect(await find(streamerId, onPrimary.id)).toBe(onPrimary);
  expect(await find(streamerId, onStandby.id)).toBe(onStandby);
});

test("a donation that a report names and no server shows is unavailable, not a fault of the server", async () => {
  const error = await find(streamerId, "elsewhere").catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(Problem);
  expect(error).toMatchObject({ code: "unavailable" });
});
