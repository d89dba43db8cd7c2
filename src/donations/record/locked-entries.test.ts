import { expect, test } from "vitest";
import { someDonation } from "../testing.ts";
import type { Entry } from "./attempt.ts";
import { lockedEntries } from "./locked-entries.ts";

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
