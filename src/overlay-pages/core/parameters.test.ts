import { expect, test } from "vitest";
import { readOverlayKey, readParameters, withChosen } from "./parameters.ts";

const read = (query: string) => readParameters(new URLSearchParams(query));
const count = { from: 1, to: 10, usual: 5 };

test.each([
  ["", 5],
  ["count=", 5],
  ["count=1", 1],
  ["count= 10 ", 10],
])("a count that is allowed or missing (%j) is no fault", (query, expected) => {
  const parameters = read(query);
  expect(parameters.whole("count", count)).toBe(expected);
  expect(parameters.faults()).toEqual([]);
});

test.each(["0", "11", "2.5", "-1", "1e1", "x"])("a count that is not allowed (%j) is named with what is allowed", (value) => {
  const parameters = read(`count=${value}`);
  expect(parameters.whole("count", count)).toBe(5);
  expect(parameters.faults()).toEqual([{ name: "count", allowed: "1–10" }]);
});

test("a choice that is none of the values is the first of them, and is named once however often it is read", () => {
  const parameters = read("period=year");
  for (let times = 0; times < 2; times += 1) expect(parameters.choice("period", ["all", "day"])).toBe("all");
  expect(parameters.faults()).toEqual([{ name: "period", allowed: "all, day" }]);
  expect(read("period=day").choice("period", ["all", "day"])).toBe("day");
});

test("a title may have as many characters as it may, counted in code points", () => {
  const parameters = read(`title=${"😀".repeat(60)}&other=${"😀".repeat(61)}`);
  expect(parameters.text("title", 60)).toBe("😀".repeat(60));
  expect(parameters.text("other", 60)).toBeNull();
  expect(parameters.faults()).toEqual([{ name: "other", allowed: "≤ 60" }]);
});

const chosen = { kind: "top", query: "period=week&count=3&title=%E0%B8%94%E0%B8%B5" } as const;
const completed = (address: string, widget: typeof chosen | null, kind: string) =>
  String(withChosen(new URLSearchParams(address), widget, kind));

test.each([
  ["", "period=week&count=3&title=%E0%B8%94%E0%B8%B5"],
  ["debug=&count=", "debug=&count=3&period=week&title=%E0%B8%94%E0%B8%B5"],
  ["count=8&count=9&title=Mine", "count=8&count=9&title=Mine&period=week"],
  ["count=wrong&period=all&title=+", "count=wrong&period=all&title=%E0%B8%94%E0%B8%B5"],
])("what an address (%j) asks for itself comes before what was chosen for the widget of its key", (address, query) =>
  expect(completed(address, chosen, "top")).toBe(query),
);

test("a page does not use what was chosen for a widget of another kind, nor a key without a widget", () => {
  expect(completed("count=8", chosen, "recent")).toBe("count=8");
  expect(completed("count=8", null, "top")).toBe("count=8");
});

test.each([
  ["namjai_overlay_x", "namjai_overlay_x"],
  ["namjai%5Foverlay%5Fx", "namjai_overlay_x"],
  ["", ""],
])("the key of the fragment %j is decoded: %j", (fragment, key) => {
  expect(readOverlayKey(fragment)).toBe(key);
});

test.each(["namjai_overlay_x%", "%", "%zz", "%E0%B9", "%E0%B9%84%E0%B8%97%E0%B8%A2", "a%20b", "a%0Ab"])(
  "the fragment %j, which has no key that could be sent, is a wrong key that can be sent",
  (fragment) => {
    const key = readOverlayKey(fragment);
    expect(new Headers({ Authorization: `Bearer ${key}` }).get("Authorization")).toBe(`Bearer ${fragment}`);
  },
);
