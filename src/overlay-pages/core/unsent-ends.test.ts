import { expect, test } from "vitest";
import { makeUnsentEnds, unsentEndsName } from "./unsent-ends.ts";

function storage(text: string | null = null) {
  const kept = { text, read: () => kept.text, write: (newer: string) => void (kept.text = newer) };
  return kept;
}

test("an end that was not settled is listed by the next page of this browser, and a settled one is not", () => {
  const kept = storage();
  const first = makeUnsentEnds(kept);
  for (const id of ["a", "b", "b", "c"]) first.add(id);
  first.settle("b");
  first.settle("never seen");
  expect([first.list(), makeUnsentEnds(kept).list()]).toEqual([
    ["a", "c"],
    ["a", "c"],
  ]);
});

test("two pages of one browser share their ends", () => {
  const kept = storage();
  const [one, other] = [makeUnsentEnds(kept), makeUnsentEnds(kept)];
  one.add("a");
  other.add("b");
  one.settle("a");
  other.settle("a");
  expect([one.list(), other.list()]).toEqual([["b"], ["b"]]);
});

test("without storage, ends are kept as long as the page", () => {
  const unsettled = makeUnsentEnds({ read: () => null, write: () => {} });
  unsettled.add("a");
  unsettled.add("b");
  unsettled.settle("a");
  expect(unsettled.list()).toEqual(["b"]);
});

test("only the last 50 ends are stored", () => {
  const kept = storage();
  const unsettled = makeUnsentEnds(kept);
  for (let count = 1; count <= 60; count += 1) unsettled.add(`${count}`);
  expect([makeUnsentEnds(kept).list().length, makeUnsentEnds(kept).list()[0]]).toEqual([50, "11"]);
});

test.each([null, "", "{", "{}", "null", "[1, null]"])("%j in the storage is read as no ends", (text) =>
  expect(makeUnsentEnds(storage(text)).list()).toEqual([]),
);

test("each key has its own storage name, from which the key cannot be read", () => {
  const key = "namjai_o1_Kq8ZtB3nVw5YrM1xPd7LsHg2Fj4Cb6Ne";
  expect(unsentEndsName(key)).toMatch(/^overlay\.unsettled\.[0-9a-f]{1,8}$/);
  expect(unsentEndsName(`${key}x`)).not.toBe(unsentEndsName(key));
});
