import { expect, test } from "vitest";
import {
  countedSources,
  isId,
  isSpeechId,
  maxBodyBytes,
  maxBuckets,
  maxFileBytes,
  maxItemsOf,
  maxNesting,
  maxTotalFileBytes,
  problemTable,
  readContract,
  speechMediaTypes,
} from "./published.ts";

test("an id is a lower-case UUID without other characters", () => {
  expect(isId("01932f6e-8a00-7000-8000-3f1e5a7c9b21")).toBe(true);
  for (const other of ["", "01932F6E-8A00-7000-8000-3F1E5A7C9B21", "01932f6e-8a00-7000-8000-3f1e5a7c9b21\n", "01932f6e8a0070008000"])
    expect(isId(other), JSON.stringify(other)).toBe(false);
  expect([isSpeechId("a".repeat(64)), isSpeechId("a".repeat(63)), isSpeechId("A".repeat(64))]).toEqual([true, false, false]);
});

test("every value that code reads is in the contract", () => {
  expect([maxBodyBytes, maxNesting, maxBuckets]).toEqual([65_536, 32, 1_000]);
  expect([maxFileBytes, maxTotalFileBytes]).toEqual([10 * 2 ** 20, 200 * 2 ** 20]);
  expect(countedSources).toEqual(["external", "native"]);
  expect(speechMediaTypes).toContain("audio/wav");
  expect([maxItemsOf("AlertQueue", "waiting"), maxItemsOf("Widgets", "recent"), maxItemsOf("Widgets", "top")]).toEqual([50, 10, 10]);
});

/** Refuses WebSockets, which are no operations. */
const codesOfNoOperation = ["upgrade_required"];

test("every problem code of the contract has a status and a title, and no other code has", () => {
  const { schemas } = readContract().components;
  const codes = Object.keys(schemas)
    .filter((name) => name.endsWith("Problem"))
    .flatMap((name) => {
      const { code } = schemas[name].properties;
      return code.$ref ? schemas[code.$ref.split("/").at(-1)].enum : (code.enum ?? [code.const]);
    });
  expect(Object.keys(problemTable).sort()).toEqual([...new Set([...codes, ...codesOfNoOperation])].sort());
  for (const { status, title } of Object.values(problemTable)) expect([status >= 400, title !== ""]).toEqual([true, true]);
});

test("mostItems of a member without maxItems is an error that names it", () =>
  expect(() => maxItemsOf("Donation", "id")).toThrow("Donation.id"));
