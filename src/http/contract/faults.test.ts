import { expect, test } from "vitest";
import { maxFaults } from "../problem.ts";
import { loadContract } from "./contract.ts";
import { bodyFaults, truncatorOf } from "./faults.ts";

const contract = await loadContract();
const many = (count: number) => Array.from({ length: count }, (_, index) => index);
const manyMembers = (count: number) => Object.fromEntries(many(count).map((index) => [`x${index}`, 1]));

const faults = (body: unknown) => {
  const settings = contract.operations.find(({ id }) => id === "updateAlertSettings");
  return bodyFaults(settings?.checkBody({ requestBody: body }) ?? []).map(({ pointer, code }) => `${pointer} ${code}`);
};

test("items beyond the first excess one are not validated: 32,000 wrong items are 202 faults, of which the first is too_many_items", () => {
  const found = faults({ blockedWords: many(32_000) });
  expect(found[0]).toBe("/blockedWords too_many_items");
  expect(found).toHaveLength(1 + 201);
});

test("8,000 unknown members become one fault more than a problem names, and the known members are validated", () => {
  expect(faults({ ...manyMembers(8_000), volume: -1 }).sort()).toEqual(
    [...many(maxFaults + 1).map((index) => `/x${index} unknown_member`), "/volume out_of_range"].sort(),
  );
  expect(faults({ goal: { ...manyMembers(8_000), title: "", target: 1, from: "2026-01-01" } })).toHaveLength(maxFaults + 2);
});

test("a value without excess members is passed on itself, so that defaults are filled in", () => {
  const schema = { properties: { words: { items: {}, maxItems: 2 }, inner: { anyOf: [{ properties: {} }, {}] } } };
  for (const value of [{}, { words: [1, 2, 3] }, { words: "no array", inner: null }, { inner: {} }, [], null, 1])
    expect(truncatorOf(schema)(value)).toBe(value);
  expect(truncatorOf(schema)({ words: [1, 2, 3, 4] })).toEqual({ words: [1, 2, 3] });
});
