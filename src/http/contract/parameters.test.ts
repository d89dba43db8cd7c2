import { expect, test } from "vitest";
import { decodeSegment, readOAuthParameters, readQuery } from "./parameters.ts";

const kinds = new Map([
  ["limit", "integer"],
  ["least", "number"],
  ["q", "string"],
  ["channel", "array"],
] as const);

test.each([
  ["limit=10", { limit: 10 }],
  ["limit=1e1", { limit: "1e1" }],
  ["least=1e1", { least: 10 }],
  ["least=.5", { least: ".5" }],
  ["limit=0x10", { limit: "0x10" }],
  ["limit=%205", { limit: " 5" }],
  ["limit=", { limit: "" }],
  ["limit", { limit: "" }],
  ["q=10", { q: "10" }],
  ["q=%00%FF", { q: "\uFFFD\uFFFD" }],
  ["channel=card", { channel: ["card"] }],
  ["channel=card&channel=other", { channel: ["card", "other"] }],
])("the query %s is read as %o", (text, query) => {
  expect(readQuery(text, kinds)).toEqual({ query, faults: [] });
});

test("unknown and repeated parameters are faults, each named once", () => {
  const { faults } = readQuery("x=1&limit=1&limit=2&limit=3&__proto__=1", kinds);
  expect(faults.map(({ parameter, code }) => `${parameter} ${code}`)).toEqual([
    "x unknown_parameter",
    "limit repeated_parameter",
    "__proto__ unknown_parameter",
  ]);
});

test("a malformed escape in a path is left unchanged", () => {
  expect(decodeSegment("%ZZ")).toBe("%ZZ");
  expect(decodeSegment("%20")).toBe(" ");
});

test.each<[string, string, object]>([
  ["an unknown parameter is ignored, repeated or not", "x=1&x=2&code=a", { values: { code: "a" }, repeated: [] }],
  ["an empty parameter counts as left out", "code=&scope=a", { values: { scope: "a" }, repeated: [] }],
  ["a parameter that was empty first is repeated", "code=&code=a", { values: { code: "a" }, repeated: ["code"] }],
  ["a parameter that is empty the second time is repeated", "code=a&code=", { values: { code: "a" }, repeated: ["code"] }],
  ["a parameter that stands there three times is named once", "code=a&code=b&code=a", { values: { code: "a" }, repeated: ["code"] }],
  ["all repeated parameters are named", "code=&scope=&scope=&code=", { values: {}, repeated: ["scope", "code"] }],
])("parameters of OAuth: %s", (_title, text, expected) => {
  expect(readOAuthParameters(new URLSearchParams(text), ["code", "scope"])).toEqual({ faults: [], ...expected });
});
