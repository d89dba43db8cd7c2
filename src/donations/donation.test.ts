import { expect, test } from "vitest";
import { donatorKey } from "./donation.ts";

test("the donator key of an identifier has its exact code points", () => {
  expect(donatorKey("x", " A@b ")).toBe("i: A@b ");
});

test.each([
  [" @Somchai ", "n:somchai"],
  ["SOMCHAI", "n:somchai"],
  ["som\u3000 \tchai", "n:som chai"],
  ["＠ｓｏｍｃｈａｉ", "n:somchai"],
  ["@@somchai", "n:@somchai"],
  ["Straße", "n:strasse"],
  ["ΣΊΣΥΦΟΣ", donatorKey("σίσυφος", null)],
  ["@", "n:@"],
  ["  ", "n:  "],
  ["สมชาย", "n:สมชาย"],
])("the name %j has the donator key %j", (name, key) => {
  expect(donatorKey(name, null)).toBe(key);
});
