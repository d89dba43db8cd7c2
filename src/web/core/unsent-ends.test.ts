import { expect, test } from "vitest";
import { makeUnsettled, nameOfUnsettled } from "./unsent-ends.ts";

function storage(text: string | null = null) {
  const kept = { text, read: () => kept.text, write: (newer: string) => void (kept.text = newer) };
  return kept;
}

test("an end that was not settled is known to the next page of this browser, a settled one is not", () => {
  const kept = storage();
  const first = makeUnsettled(kept);
  for (const id of ["a", "b", "b", "c"]) first.add(id);
  first.settle("b");
  first.settle("never seen");
  expect([first.list(), makeUnsettled(kept).list()]).toEqual([
    ["a", "c"],
    ["a", "c"],
  ]);
});

test("two pages of one browser keep what either has ended", () => {
  const kept = storage();
  const [one, other] = [makeUnsettled(kept), makeUnsettled(kept)];
  one.add("a");
  other.add("b");
  one.settle("a");
  other.settle("a");
  expect([one.list(), other.list()]).toEqual([["b"], ["b"]]);
});

test("a browser without storage keeps them as long as the page lives", () => {
  const unsettled = makeUnsettled({ read: () => null, write: () => {} });
  unsettled.add("a");
  unsettled.add("b");
  unsettled.settle("a");
  expect(unsettled.list()).toEqual(["b"]);
});

test("no more than the last 50 are kept", () => {
  const kept = storage();
  const unsettled = makeUnsettled(kept);
  for (let count = 1; count <= 60; count += 1) unsettled.add(`${count}`);
  expect([makeUnsettled(kept).list().length, makeUnsettled(kept).list()[0]]).toEqual([50, "11"]);
});

test.each([null, "", "{", "{}", "null", "[1, null]"])("%j in the storage is no end", (text) =>
  expect(makeUnsettled(storage(text)).list()).toEqual([]),
);

test("each key has its own, and its name does not tell the key", () => {
  const key = "namjai_o1_Kq8ZtB3nVw5YrM1xPd7LsHg2Fj4Cb6Ne";
  expect(nameOfUnsettled(key)).toMatch(/^overlay\.unsettled\.[0-9a-f]{1,8}$/);
  expect(nameOfUnsettled(`${key}x`)).not.toBe(nameOfUnsettled(key));
});
