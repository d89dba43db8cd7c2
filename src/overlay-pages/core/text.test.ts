import { expect, test } from "vitest";
import { fillTemplate, formatCount, formatMoney, formatPercent, splitWords } from "./text.ts";

test.each([
  [100, "฿100"],
  [1234.5, "฿1,234.50"],
  [1_000_000, "฿1,000,000"],
  [999_999.99, "฿999,999.99"],
  [0.01, "฿0.01"],
  [0.004, "< ฿0.01"],
  [5e-324, "< ฿0.01"],
  [99.999, "฿100"],
  [0, "฿0"],
  [12_345_678_901.5, "฿12,345,678,901.50"],
])("%d baht are shown as %s", (amount, shown) => {
  expect(formatMoney(amount, "THB")).toBe(shown);
});

test("percentages are rounded down, so that 100% means reached", () => {
  expect([formatPercent(199.99, 200), formatPercent(200, 200), formatPercent(1, 3), formatPercent(5, 0)]).toEqual([
    "99%",
    "100%",
    "33%",
    "0%",
  ]);
  expect(formatCount(4321)).toBe("4,321");
});

const values = { name: "{message}", amount: "฿100" };

test("name and amount of the donation stand where the template has them, and the message divides it in two", () =>
  expect(fillTemplate("{name} gave {amount}! {message} Thanks {name}", values)).toEqual({
    head: [
      { kind: "name", text: "{message}" },
      { kind: "text", text: " gave " },
      { kind: "amount", text: "฿100" },
      { kind: "text", text: "!" },
    ],
    hasMessage: true,
    tail: [
      { kind: "text", text: "Thanks " },
      { kind: "name", text: "{message}" },
    ],
  }));

test("a template without {message} shows no message, also when the donator is called {message}", () =>
  expect(fillTemplate("{name}", values)).toEqual({ head: [{ kind: "name", text: "{message}" }], hasMessage: false, tail: [] }));

test("a template of {message} alone has neither head nor tail, and shows the message once", () =>
  expect(fillTemplate(" {message} {message} ", values)).toEqual({ head: [], hasMessage: true, tail: [] }));

test.each([
  ["ขอบคุณสำหรับสตรีมครับ", ["สตรีม"]],
  ["สตรีมเมอร์โดเนทสตรีม!", ["สตรีมเมอร์", "โดเนท", "สตรีม"]],
  ["สตรีมาก ๆ", []],
  ["โรงเรียนสตรีมหาพฤฒาราม", []],
  ["ยูทูบเบอร์กับยูทูบ", ["ยูทูบเบอร์", "ยูทูบ"]],
  ["stream", []],
])("the words of %s that stay in one line are %j, and its pieces together are the text", (text, words) => {
  const pieces = splitWords(text);
  expect(pieces.filter((_, place) => place % 2 === 1)).toEqual(words);
  expect(pieces.join("")).toBe(text);
});
