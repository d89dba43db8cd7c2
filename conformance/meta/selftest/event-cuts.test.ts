import { expect, test } from "vitest";
import { compare, noBreach } from "../../suite/servers/cuts/log.ts";

const seen = (ids: string) => [...ids].map((id) => ({ id, cursor: `after ${id}` }));

test.each([
  ["all that is listed, in its order", "abcd", noBreach],
  ["an event less", "abd", { ...noBreach, missed: 1 }],
  ["the last event less", "abc", { ...noBreach, missed: 1 }],
  ["an event twice in a row", "abbcd", { ...noBreach, doubled: 1 }],
  ["an event again later", "abcbd", { missed: 0, doubled: 1, misplaced: 1 }],
  ["two events the other way round", "acbd", { ...noBreach, misplaced: 1 }],
  ["an event that is not listed", "abcxd", { ...noBreach, misplaced: 1 }],
])("a subscriber that received %s is judged so", (_, received, expected) => expect(compare(seen(received), [..."abcd"])).toEqual(expected));
