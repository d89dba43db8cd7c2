import { expect, test } from "vitest";
import { amountOf, createdAtOf } from "./cells.ts";
import type { Cell } from "./table.ts";

const at = (cell: Cell) => createdAtOf(cell, "Asia/Bangkok");

test.each([
  ["2025-01-05 20:15", "2025-01-05T20:15:00.000+07:00"],
  ["2568-01-05 20:15:30", "2025-01-05T20:15:30.000+07:00"],
  ["05/01/2568 21:00", "2025-01-05T21:00:00.000+07:00"],
  ["5/1/๒๕๖๘", "2025-01-05T00:00:00.000+07:00"],
  ["29-02-2567", "2024-02-29T00:00:00.000+07:00"],
  ["Nov 20, 2026 7:30 PM", "2026-11-20T19:30:00.000+07:00"],
  ["2568-01-05T20:15:00Z", "2568-01-05T20:15:00Z"], // as the contract writes it, so it is meant
])("the time %s of a file is %s", (text, createdAt) => expect(Date.parse(String(at(text)))).toBe(Date.parse(createdAt)));

test.each([
  ["Nov 20, 2026 7:30 PM GMT", "2026-11-20T19:30:00Z"],
  ["Nov 20, 2026 7:30 PM (UTC)", "2026-11-20T19:30:00Z"],
  ["Fri, 20 Nov 2026 19:30:00 GMT", "2026-11-20T19:30:00Z"],
  ["Fri Nov 20 19:30:00 UTC 2026", "2026-11-20T19:30:00Z"],
  ["Fri Nov 20 2026 01:30:00 GMT+0900 (Japan Standard Time)", "2026-11-19T16:30:00Z"],
  ["Nov 20, 2026 7:30 PM EST", "2026-11-21T00:30:00Z"],
  ["Nov 20, 2026 7:30 PM -0500", "2026-11-21T00:30:00Z"],
  ["2026-11-20 19:30:00 UTC", "2026-11-20T19:30:00Z"],
  ["2026-11-20 19:30:00Z", "2026-11-20T19:30:00Z"],
  ["2026-11-20 19:30:00.5+09", "2026-11-20T10:30:00.500Z"],
  ["20/11/2569 19:30 utc", "2026-11-20T19:30:00Z"],
])("the time %s of a file is of the zone that it names: %s", (text, createdAt) =>
  expect(Date.parse(String(at(text)))).toBe(Date.parse(createdAt)),
);

test.each([
  ...["11/12/2026 19:30 UTC", "Feb 30, 2026 19:30 GMT", "Nov 20, 2026 19:30-20:30", "Nov 20, 2026 7:30 PM XYZ"],
  ...["2025-02-30 20:00", "2025-04-31", "2568-02-29", "30/02/2568", "2025-01-05 24:00", "2025-13-01", "2025-01-05 25:00"],
  ...["Feb 30, 2025 8:00 PM", "Feb 30", "Nov 20 19:30", "05/01/2025", "31/12/2442", "yesterday", ""],
])("the time %s of a file, which does not exist or may be two, is left to be refused", (text) => expect(at(text)).toBe(text));

test.each([
  [45_662.843_75, "2025-01-05T20:15:00+07:00"],
  [1_763_640_000, "2025-11-20T12:00:00Z"],
  [1_763_640_000_123, "2025-11-20T12:00:00.123Z"],
])("the number %d of a workbook is a day, or seconds or milliseconds since 1970: %s", (number, createdAt) =>
  expect(Date.parse(String(at(number)))).toBe(Date.parse(createdAt)),
);

test.each([
  ...[100_025_569, -100_000_000, 1_763_640_000.5, 17_636_400_000, 1_763_640_000_000_000, Number.POSITIVE_INFINITY, Number.NaN],
  ...["Sep 13, 275760 00:00", "Sep 12, 275760 20:00"],
])("the time %s of a file, which no Date can be, is left to be refused", (cell) =>
  expect(createdAtOf(cell, "America/New_York")).toBe(cell),
);

test.each([
  ["฿1,234.50", 1234.5],
  ["๕๐ บาท", 50],
  ["-50", -50],
  [" 1e3 ", 1000],
  ["1.234,50", "1.234,50"],
  ["5o", "5o"],
  ["--5", "--5"],
])("the amount %s of a file is %s", (text, amount) => expect(amountOf(text)).toBe(amount));
