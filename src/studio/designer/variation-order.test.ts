import { expect, test } from "vitest";
import type { Variation } from "../../alerts/settings/settings.ts";
import { newVariationForm, toVariation } from "./variation-form.ts";
import { chooseTest, findCover } from "./variation-order.ts";

const listOf = (...all: object[]) =>
  all.map((members) => ({ ...toVariation(newVariationForm("neon")), ...members }) as unknown as Variation);

test.each([
  ["a wider range without limit", [{ from: 1 }, { from: 1_000 }], 0],
  [
    "the same range",
    [
      { from: 5, to: 9 },
      { from: 5, to: 9 },
    ],
    0,
  ],
  ["the first of several", [{ from: 900, to: 950 }, { from: 2 }, { from: 1 }, { from: 1_000 }], 1],
  ["a range that ends earlier", [{ from: 1, to: 5_000 }, { from: 1_000 }], null],
  ["a range that begins later", [{ from: 1_001 }, { from: 1_000 }], null],
  ["two ranges that cover it together", [{ from: 1, to: 10 }, { from: 10 }, { from: 5 }], null],
  ["some of its sources", [{ from: 1, sources: ["native"] }, { from: 2 }], null],
  [
    "its source and others",
    [
      { from: 1, sources: ["native", "test"] },
      { from: 2, sources: ["test"] },
    ],
    0,
  ],
  [
    "another channel",
    [
      { from: 1, channels: ["card"] },
      { from: 2, channels: ["promptpay"] },
    ],
    null,
  ],
  [
    "every channel, each by name",
    [{ from: 1, channels: ["promptpay", "truemoney", "bank_transfer", "card", "external", "other"] }, { from: 2 }],
    0,
  ],
] as const)("with %s above it, the variation that takes all donations of the last of %j is at place %j", (_title, list, place) => {
  expect(findCover(listOf(...list), list.length - 1)).toBe(place);
});

test.each([
  [[{ from: 500 }], 0, { amount: 500, played: 0 }],
  [[{ from: 0, to: 50 }], 0, { amount: 50, played: 0 }],
  [[{ from: 1, to: 600 }, { from: 500 }], 1, { amount: 600.01, played: 1 }],
  [[{ from: 50 }, { from: 0 }], 1, { amount: 49.99, played: 1 }],
  [[{ from: 1 }, { from: 1_000 }], 1, { amount: 1_000, played: 0 }],
  [[{ from: 5, sources: ["native"] }], 0, { amount: 5, played: null }],
] as const)("of %j the test of place %j has the amount and plays %j", (list, place, expected) => {
  expect(chooseTest(listOf(...list), place)).toEqual(expected);
});
