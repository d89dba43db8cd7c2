import { expect, test } from "vitest";
import { allowsChange, etagOf, isKnown } from "./etags.ts";

test("equal values have one tag, whatever the order of their members, and others have others", () => {
  expect(etagOf({ a: 1, b: { c: [1, 2], d: null } })).toBe(etagOf({ b: { d: null, c: [1, 2] }, a: 1 }));
  const others = [{ a: 2 }, { a: "1" }, { a: [1] }, { a: { 0: 1 } }, [1], null];
  expect(new Set([{ a: 1 }, ...others].map(etagOf)).size).toBe(7);
});

test.each([
  [undefined, false, true],
  ["*", true, true],
  ['"t"', true, true],
  ['"x" , "t"', true, true],
  ['W/"t"', true, false],
  ['"x"', false, false],
  ["", false, false],
])("If-None-Match %s knows the tag: %s; If-Match with it allows a change: %s (RFC 9110 13.1)", (header, known, allowed) => {
  expect([isKnown(header, '"t"'), allowsChange(header, '"t"')]).toEqual([known, allowed]);
});
