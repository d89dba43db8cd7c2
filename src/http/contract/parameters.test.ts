import { expect, test } from "vitest";
import { decodeSegment, readOAuthParameters, readQuery, resolveRange } from "./parameters.ts";

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
  expect(readOAuthParameters(new URLSearchParams(text), ["code", "scope"])).toEqual(expected);
});

test.each([null, 5, false, ["a"], {}])("parameters of OAuth: %j is left to the schema, which knows the type", (value) => {
  expect(readOAuthParameters([["scope", value]], ["scope"])).toEqual({ values: { scope: value }, repeated: [] });
});

const utc = (text: string) => Date.parse(text);

test("a date in a range is the local day, and `to` includes it", () => {
  const range = resolveRange({ from: "2026-11-01", to: "2026-11-01", timezone: "Asia/Bangkok" });
  expect(range).toEqual({ from: utc("2026-10-31T17:00Z"), to: utc("2026-11-01T17:00Z") });
});

test("a date-time in a range is an instant, and `to` excludes it", () => {
  const range = resolveRange({ from: "2026-11-01T00:00Z", to: "2026-11-01T00:00:00.001Z", timezone: "Asia/Bangkok" });
  expect(range).toEqual({ from: utc("2026-11-01T00:00Z"), to: utc("2026-11-01T00:00:00.001Z") });
});

test("a local day without midnight starts at its first instant", () => {
  expect(resolveRange({ from: "2018-11-04", timezone: "America/Sao_Paulo" }).from).toBe(utc("2018-11-04T03:00Z"));
});

test("a local day on which clocks change has 23 or 25 hours", () => {
  const hours = (day: string) => {
    const { from, to } = resolveRange({ from: day, to: day, timezone: "Europe/Berlin" });
    return ((to ?? 0) - (from ?? 0)) / 3_600_000;
  };
  expect([hours("2026-03-29"), hours("2026-10-25"), hours("2026-07-01")]).toEqual([23, 25, 24]);
});

test("dates of the years 0000 to 9999 are accepted in a range", () => {
  expect(resolveRange({ from: "0000-02-29", to: "9999-12-31", timezone: "UTC" })).toEqual({ from: -62162121600000, to: 253402300800000 });
});

test.each([
  [{ from: "2026-11-02", to: "2026-11-01", timezone: "UTC" }, "to must be after from"],
  [{ from: "2026-11-01T00:00Z", to: "2026-11-01T00:00Z", timezone: "UTC" }, "to must be after from"],
  [{ timezone: "Mars/Olympus" }, "IANA name"],
  [{ timezone: "+07:00" }, "IANA name"],
  [{ timezone: "IST" }, "IANA name"],
])("the range %o is refused", (parameters, message) => {
  expect(() => resolveRange(parameters)).toThrow(message);
});
