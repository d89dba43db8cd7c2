import { expect, test } from "vitest";
import type { Cell } from "./table.ts";
import { donationsIn } from "./testing.ts";

type Column = "name" | "amount" | "date";

/** What is recorded of a number in a column of a workbook under its number format, or its fault. */
async function recordedOf(column: Column, number: Cell, format: string, date1904 = false): Promise<unknown> {
  const row = { name: "Malee", amount: 5, date: "2026-11-20", [column]: number };
  const formats = Object.keys(row).map((title) => (title === column ? format : ""));
  const [donation] = await donationsIn([Object.keys(row), Object.values(row)], { formats, date1904, timezone: "UTC" });
  const member = ({ name: "donatorName", amount: "amount", date: "createdAt" } as const)[column];
  return donation?.faults[member] ?? donation?.value[member];
}

const noTime = expect.stringMatching(/^createdAt “.*” must be a time such as/);

test.each([2026, 2569, 20.11, 11.2026, 0.8125, 202_611, 201_126, 1930, 5, 0, 244_343])(
  "the number %d, which its workbook does not show as a date, is no date",
  async (number) => expect(await recordedOf("date", number, "")).toEqual(noTime),
);

test.each([
  ["0.8125 shown as 19:30", 0.8125, "h:mm"],
  ["a day behind 31 December 9999", 2_958_466, "d/m/yyyy"],
  ["a day before the first one", -1, "d/m/yyyy"],
])("%s is no date of a workbook", async (_, number, format) => {
  expect(await recordedOf("date", number, format)).toEqual(noTime);
  expect(await recordedOf("date", number, format, true)).toEqual(noTime);
});

test("the days of a workbook before March 1900 are one less, because Excel counts 29 February 1900", async () => {
  expect(await recordedOf("date", 59, "d/m/yyyy")).toBe("1900-02-28T00:00:00.000Z");
  expect(await recordedOf("date", 61, "d/m/yyyy")).toBe("1900-03-01T00:00:00.000Z");
});

test("a number from 1970 to 2099 is a date, also where the workbook has lost its format", async () => {
  expect(await recordedOf("date", 46_346.8125, "")).toBe("2026-11-20T19:30:00.000Z");
  expect(await recordedOf("date", 46_346.8125 - 1462, "General", true)).toBe("2026-11-20T19:30:00.000Z");
  expect([await recordedOf("date", 25_569, "0"), await recordedOf("date", 73_050, "0")]).toEqual([
    "1970-01-01T00:00:00.000Z",
    "2099-12-31T00:00:00.000Z",
  ]);
  expect([await recordedOf("date", 25_568, "0"), await recordedOf("date", 73_051, "0")]).toEqual([noTime, noTime]);
});

test.each([
  ...["General", "@", "0", "#,##0.00", "# ##0.00", "000000", "0.00E+00", "# ?/?", '"฿"#,##0.00', '#,##0" บาท"', "[$THB] #,##0.00"],
  ...["_-[$฿-41E]* #,##0.00_-;-[$฿-41E]* #,##0.00_-", "[$-D000000]t0", "t฿#,##0.00", "#,##0.-", '#,##0".-"', "#,##0.00\\ [$฿-41E]"],
  ...["#,##0_);[Red]\\(#,##0\\)", "#,##0\\ _€;-#,##0\\ _€", 'General" บาท"', "+0.00"],
])("an amount that is shown as %s is one in baht", async (format) => expect(await recordedOf("amount", 1500.5, format)).toBe(1500.5));

test.each([
  ...['0.0"K"', '#,##0 "coins"', '0" bits"', '0" แต้ม"', "0.0,", '0.0,"K"', '0.00,,"M"', '0"00"', "(#,##0)", "-0", '"-"0', ";;;", '"Paid"'],
  ...['[<1000]0;0.0,"k"', "000-000", "0\\x", '0"'],
])("an amount that is shown as %s, which is not what the cell has, is refused", async (format) =>
  expect(await recordedOf("amount", 1500.5, format)).toBe(
    "amount “1500.5” is not shown as an amount in baht by its number format: give it a plain one",
  ),
);

test("an amount of 0 or less is not looked at for its format, because it is refused all the same", async () =>
  expect(await recordedOf("amount", -5, "0;(0)")).toBe(-5));

test.each<[number, string, string]>([
  [812_345_678, "0##-###-####", "081-234-5678"],
  [812_345_678, "0000000000", "0812345678"],
  [7, "000", "007"],
  [7, '"TX-"0000', "TX-0007"],
  [1_234_567, "##-##", "12345-67"],
  [0, "0", "0"],
  [12, "@", "12"],
  [12, "General", "12"],
  [12.5, "", "12.5"],
  [0.1 + 0.2, "", "0.3"],
])("the number %d of a name that is shown as %s is the text %s", async (number, format, text) =>
  expect(await recordedOf("name", number, format)).toBe(text),
);

test.each<[number, string]>([
  [1, "0%"],
  [12.5, "0"],
  [100, "0.00"],
  [1000, "#,##0"],
  [812_345_678, "[<=99999999]##-###-###;0##-###-####"],
  [-7, "000"],
  [1, '"Paid"'],
])("the number %d of a name that is shown as %s is refused", async (number, format) =>
  expect(await recordedOf("name", number, format)).toBe(`donatorName “${number}” has a number format in the workbook and must be a text`),
);
