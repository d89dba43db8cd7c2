import fc from "fast-check";
import pg from "pg";
import { expect, test } from "vitest";
import { plainArray, textArray } from "./array-literal.ts";

const readTexts = pg.types.getTypeParser(1009 as number, "text");
const awkward = fc.constantFrom('"', "\\", "{", "}", ",", "NULL", "null", "", " ", "\n", "'", '\\"', "ขอบคุณ", "😀");
const texts = fc.array(
  fc.option(
    fc.oneof(
      fc.string({ unit: "grapheme" }),
      awkward,
      fc.array(awkward).map((parts) => parts.join("")),
    ),
  ),
);

test("texts read back as they were", () => {
  fc.assert(
    fc.property(texts, (elements) => {
      expect(readTexts(textArray(elements))).toEqual(elements);
    }),
  );
});

test("numbers, truth values and ids are written as pg writes them, without its quotes", () => {
  expect(plainArray([1, -2.5, null])).toBe("{1,-2.5,NULL}");
  expect(plainArray([true, false])).toBe("{true,false}");
  expect(plainArray(["01a1fe32-9f8f-715c-9e32-092be32970c4"])).toBe("{01a1fe32-9f8f-715c-9e32-092be32970c4}");
  expect(plainArray([])).toBe("{}");
});
