import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { newId } from "../../db/ids.ts";
import { silent, useDatabase } from "../../db/testing.ts";
import type { NewDonation } from "../donation.ts";
import { someDonation } from "../testing.ts";
import type { Entry, Insert } from "./attempt.ts";
import { lockedEntries } from "./locked-entries.ts";
import { makeWriter } from "./writer.ts";

const database = useDatabase();

/** Donations of these streamers, such as "a1": the first one of a. */
function locked(...names: string[]) {
  const all = lockedEntries();
  const entries = new Map<string, Entry>();
  for (const name of names) {
    const entry = { donation: someDonation(name[0] as string, { message: name }), resolve: () => {}, reject: () => {}, since: 0 };
    entries.set(name, entry);
    all.add(entry);
  }
  const namesOf = (of: readonly (Entry | undefined)[]) => of.map((entry) => entry?.donation.message);
  return {
    ...all,
    turn: (max: number) => namesOf(all.turn(max)),
    remove: (name: string) => all.delete(entries.get(name) as Entry),
    namesOf,
  };
}

test("a turn takes one donation of each streamer, then the next one of each, and leaves them all", () => {
  const { turn, size } = locked("a1", "a2", "a3", "b1", "c1", "c2");
  expect(turn(4)).toEqual(["a1", "b1", "c1", "a2"]);
  expect(turn(100)).toEqual(["a1", "b1", "c1", "a2", "c2", "a3"]);
  expect(size()).toBe(6);
});

test("streamers who were left out of a turn are first in the next one", () => {
  const { turn } = locked("a1", "b1", "c1", "d1", "e1");
  expect([turn(2), turn(2), turn(2)]).toEqual([
    ["a1", "b1"],
    ["c1", "d1"],
    ["e1", "a1"],
  ]);
});

test("a donation that was answered is gone, and the next one of its streamer is the oldest", () => {
  const { turn, size, oldest, remove, namesOf } = locked("a1", "a2", "b1");
  remove("a1");
  remove("a1");
  expect(namesOf([oldest("a"), oldest("b"), oldest("c")])).toEqual(["a2", "b1", undefined]);
  remove("b1");
  expect([turn(9), size(), oldest("b")]).toEqual([["a2"], 1, undefined]);
});

test("a streamer with more locked donations than a batch takes does not keep another one, whose lock is released, from being recorded", async () => {
  const locked = new Set(["busy", "quiet"]);
  const begun = Promise.withResolvers<void>();
  const insert: Insert = async (donations, skipLocked) => {
    begun.resolve();
    await sleep(1);
    const isLocked = ({ streamerId }: NewDonation) => locked.has(streamerId);
    if (!skipLocked && donations.some(isLocked)) throw Object.assign(new Error("lock time-out"), { code: "55P03" });
    const rows = donations.map((one) =>
      isLocked(one) ? { id: one.id, received_at: null, sequence: null } : { id: one.id, received_at: Date.now(), sequence: 1 },
    );
    if (skipLocked && donations.some(({ streamerId }) => streamerId === "quiet")) locked.delete("quiet"); // once the writer knows of it
    return rows;
  };
  const own = makeWriter({ pool: database.knex, log: silent, insert });
  const answered: string[] = [];
  const record = async (streamerId: string) => {
    const [outcome] = await Promise.allSettled([own.record(someDonation(streamerId, { id: newId() }))]);
    answered.push(`${streamerId}: ${outcome.status === "fulfilled" ? "recorded" : outcome.reason.code}`);
  };
  const all = Array.from({ length: 400 }, () => record("busy"));
  await begun.promise; // the other one comes after a whole batch
  all.push(record("quiet"));
  await Promise.all(all);
  expect(answered).toEqual(["quiet: recorded", ...Array(400).fill("busy: unavailable")]);
});
