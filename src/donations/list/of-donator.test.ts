import { expect, test } from "vitest";
import { batchedReads } from "../../db/batched-reads.ts";
import { onPrimary } from "../../db/exact-reads.ts";
import { useDatabase } from "../../db/testing.ts";
import { cursorCodec } from "../../http/cursor.ts";
import { insertBatch } from "../record/batch.ts";
import { donationStore } from "../store.ts";
import { streamerStore } from "../streamers.ts";
import { someDonation } from "../testing.ts";
import { donationsOfDonator } from "./of-donator.ts";

const database = useDatabase();

test("the pages of a donator have every donation of the key, the latest first, and no other's", async () => {
  const { id: streamerId } = await streamerStore(database.knex).create("of-donator");
  const given = Array.from({ length: 50 }, (_, index) => {
    const donator = index % 2 ? { donatorName: "Malee" } : { donatorName: "Malee 2" };
    return someDonation(streamerId, { ...donator, message: `${index}`, createdAt: index * 1_000, createdOffset: 0, skipAlert: true });
  });
  await insertBatch(database.knex, given, false);
  const read = onPrimary({ donations: donationStore(database.knex, batchedReads(database.knex)) });
  const find = donationsOfDonator(read, cursorCodec(Buffer.alloc(32, 7)));
  const first = await find(streamerId, "n:malee", null);
  const second = await find(streamerId, "n:malee", first.next);
  expect([first.donations.length, second.donations.length, second.next]).toEqual([20, 5, null]);
  const messages = [...first.donations, ...second.donations].map(({ message }) => Number(message));
  expect(messages).toEqual(Array.from({ length: 25 }, (_, index) => 49 - 2 * index));
  await expect(find(streamerId, "n:malee 2", first.next)).rejects.toMatchObject({ code: "invalid_cursor" });
  expect(await find(streamerId, "n:nobody", null)).toEqual({ donations: [], next: null });
});
