import fc from "fast-check";
import { expect, test } from "vitest";
import { type Cell, type DateOrder, noChoices } from "./table.ts";
import { donationsIn, readingOf } from "./testing.ts";

type Changes = { title?: string; dateOrder?: DateOrder | null; date1904?: boolean; timezone?: string };

/** The instants of a column of times, or the fault of each. */
async function timesOf(cells: readonly Cell[], { title = "date", dateOrder = null, ...others }: Changes = {}) {
  const donations = await donationsIn([["name", "amount", title], ...cells.map((cell) => ["Malee", 20, cell])], {
    choices: { ...noChoices, dateOrder },
    ...others,
  });
  return donations.map(({ value, faults }) => faults.createdAt ?? new Date(Date.parse(String(value.createdAt))).toISOString());
}

const evening = "2025-12-25T13:15:00.000Z"; // 20:15 in Bangkok

test.each([
  "พฤ. 25 ธ.ค. 2568 20:15 น.",
  "พฤ 25/12/68 20:15",
  ...[
    "2025-12-25 20:15",
    "2025/12/25 20:15",
    "2025-12-25T20:15",
    "2025-12-25 8:15 PM",
    "2025-12-25 20:15:00.000",
    "20251225201500",
    "20251225 2015",
    "20251225 20:15:00",
  ],
  ...[
    "25/12/2025 20:15",
    "25-12-2025 20:15",
    "25.12.2025 20:15",
    "25.12.2025 20:15 Uhr",
    "25/12/25 20:15",
    "20:15 25/12/2025",
    "25/12/2025 20.15",
    "25.12.2025 20.15.00",
  ],
  ...[
    "25/12/68 20:15",
    "25/12/2568 20:15",
    "2568-12-25 20:15",
    "๒๕/๑๒/๒๕๖๘ ๒๐:๑๕",
    "25/12/2568 20.15 น.",
    "25/12/2568 20:15 น.",
    "25/12/2568, 20:15",
  ],
  ...[
    "25 ธันวาคม 2568 20:15",
    "25 ธ.ค. 2568 20:15",
    "25 ธ.ค. 68 20:15",
    "25 ธค 2568 20:15 น.",
    "วันพฤหัสบดีที่ 25 ธันวาคม พ.ศ. 2568 เวลา 20:15 น.",
  ],
  ...[
    "25 ธันวาคม ค.ศ. 2025 20:15",
    "25ธ.ค.2568 20:15",
    "25 ธันวา 2568 20:15",
    "25/12/2568 - 20:15 น.",
    "25 ธ.ค. 2568 20.15",
    "Dec 25, 2025 8:15 PM",
    "December 25th, 2025 at 8:15 pm",
    "Thursday, 25 December 2025 20:15",
  ],
  ...[
    "25-Dec-25 20:15",
    "25 Dec 2025, 20:15",
    "2025 Dec 25 20:15",
    "25 декабря 2025 г. 20:15",
    "25. Dezember 2025 20:15",
    "25 décembre 2025 20:15",
  ],
  ...[
    "25 de diciembre de 2025 20:15",
    "２０２５/１２/２５　２０：１５",
    "2025年12月25日 20:15",
    "25/12/2025 8:15:00 p.m.",
    " 25/12/2025\u00a020:15 ",
  ],
])("the time %s of a file is one evening", async (text) => expect(await timesOf([text])).toEqual([evening]));

test.each([
  ["2025-01-05 9:05", "2025-01-05T09:05:00.000+07:00"],
  ["2568-01-05 20:15:30", "2025-01-05T20:15:30.000+07:00"],
  ["05/01/2568 21:00", "2025-01-05T21:00:00.000+07:00"],
  ["5/1/๒๕๖๘", "2025-01-05T00:00:00.000+07:00"],
  ["29-02-2567", "2024-02-29T00:00:00.000+07:00"],
  ["2025-01-05 12:30 AM", "2025-01-05T00:30:00.000+07:00"],
  ["2025-01-05 12:30 PM", "2025-01-05T12:30:00.000+07:00"],
  ["2568-01-05T20:15:00Z", "2025-01-05T20:15:00Z"],
  ["1736082900", "2025-01-05T13:15:00.000Z"],
  ["1736082900123", "2025-01-05T13:15:00.123Z"],
])("the time %s of a file is %s", async (text, createdAt) => expect(await timesOf([text])).toEqual([new Date(createdAt).toISOString()]));

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
  ["2026-11-20 19:30 UTC+2", "2026-11-20T17:30:00Z"],
  ["2026-11-20 19:30 ICT", "2026-11-20T12:30:00Z"],
  ["2026-11-20 19:30 Asia/Tokyo", "2026-11-20T10:30:00Z"],
  ["20/11/2569 19:30 utc", "2026-11-20T19:30:00Z"],
  ["2026-11-20T19:30:00+0700", "2026-11-20T12:30:00Z"],
])("the time %s of a file is of the zone that it names: %s", async (text, createdAt) =>
  expect(await timesOf([text])).toEqual([new Date(createdAt).toISOString()]),
);

test.each([
  ...["Feb 30, 2026 19:30 GMT", "Nov 20, 2026 19:30-20:30", "Nov 20, 2026 7:30 PM XYZ", "2026-11-20 19:30 IST", "2026-11-20 19:30 UTC+99"],
  ...[
    "2025-02-30 20:00",
    "2025-04-31",
    "2568-02-29",
    "30/02/2568",
    "2025-01-05 24:00",
    "2025-13-01",
    "2025-01-05 25:00",
    "2025-01-05 20:60",
  ],
  ...["Feb 30, 2025 8:00 PM", "Feb 30", "Nov 20 19:30", "Nov 2025", "31/12/2442", "31/12/1899", "13/13/2025", "32/12/2025", "yesterday"],
  ...[
    "2025-01-05 13:15 PM",
    "2025-01-05 0:15 PM",
    "2025-01-05 20:15 20:16",
    "46346.8125",
    "46346",
    "17636400000",
    "1763640000000000",
    "Sep 13, 275760 00:00",
  ],
])("the time %s of a file, which does not exist or has no one meaning, is a fault", async (text) =>
  expect(await timesOf([text])).toEqual([expect.stringMatching(/^createdAt “.*” must be /)]),
);

test("the order of day and month is the one that most dates of the column show; others are faults of their rows", async () => {
  expect(await timesOf(["12/25/2025 13:15", "10/03/2025 13:05"], { timezone: "UTC" })).toEqual([
    "2025-12-25T13:15:00.000Z",
    "2025-10-03T13:05:00.000Z",
  ]);
  expect(await timesOf(["25/12/2025", "26/12/2025", "10/03/2025", "12/25/2025"], { timezone: "UTC" })).toEqual([
    ...["2025-12-25T00:00:00.000Z", "2025-12-26T00:00:00.000Z", "2025-03-10T00:00:00.000Z"],
    "createdAt “12/25/2025” must be a date with the day first",
  ]);
});

test("a year of the Buddhist era says that the day comes first, where no date of the column shows otherwise", async () => {
  expect(await timesOf(["05/01/2568", "03/02/2025"], { timezone: "UTC" })).toEqual([
    "2025-01-05T00:00:00.000Z",
    "2025-02-03T00:00:00.000Z",
  ]);
  expect(await timesOf(["05/01/2568", "12/25/2568"], { timezone: "UTC" })).toEqual([
    "2025-05-01T00:00:00.000Z",
    "2025-12-25T00:00:00.000Z",
  ]);
});

test.each([[["10/03/2025"]], [["05/05/2025", "1/2/2025"]], [["25/12/2025", "12/25/2025"]]])(
  "the order of day and month of %s is asked for, and no donation is read before",
  async (cells) => {
    const rows = [["name", "amount", "date"], ...cells.map((cell) => ["Malee", "20", cell])];
    expect((await readingOf(rows)).questions).toEqual(["dateOrder"]);
    expect((await timesOf(cells)).at(-1)).toMatch(/one of which must be chosen$/);
  },
);

test.each([[["26/11/20"]], [["26/11/20", "26/11/21"]], [["11/11/26"]], [["26/11/02", "25/10/02"]]])(
  "the order of %s, whose first or last two digits may be the year, is asked for",
  async (cells) => {
    const rows = [["name", "amount", "date"], ...cells.map((cell) => ["Malee", "20", cell])];
    expect((await readingOf(rows)).questions).toEqual(["dateOrder"]);
    expect((await timesOf(cells, { dateOrder: "year-first", timezone: "UTC" }))[0]).toMatch(/^20(?:26-11-20|11-11-26|26-11-02)T/);
  },
);

test.each([
  [["20/11/26", "21/11/26"], "2026-11-20"],
  [["25/12/25"], "2025-12-25"],
  [["20/11/69"], "2026-11-20"],
  [["20/11/26", "1/12/26"], "2026-11-20"],
  [["20/11/26", "21/11/2026"], "2026-11-20"],
  [["69/11/20", "69/11/21"], "2026-11-20"],
])("the order of %s is not asked for, since only one makes sense: the first is %s", async (cells, day) =>
  expect((await timesOf(cells, { timezone: "UTC" }))[0]).toBe(`${day}T00:00:00.000Z`),
);

test("a title says that two digits of the year come first, and a date that ends with its year is a fault then", async () =>
  expect(await timesOf(["26/11/20", "20/11/2026"], { title: "Date (yy/mm/dd)", timezone: "UTC" })).toEqual([
    "2026-11-20T00:00:00.000Z",
    "createdAt “20/11/2026” must be a date with the year first",
  ]));

test("the order that was chosen comes before that of the title, and this before what the dates show", async () => {
  const cells = ["10/03/2025"];
  expect(await timesOf(cells, { dateOrder: "month-first", timezone: "UTC" })).toEqual(["2025-10-03T00:00:00.000Z"]);
  expect(await timesOf(cells, { title: "Date (MM/DD/YYYY)", timezone: "UTC" })).toEqual(["2025-10-03T00:00:00.000Z"]);
  expect(await timesOf(cells, { title: "วันที่ (วว/ดด/ปปปป)", timezone: "UTC" })).toEqual(["2025-03-10T00:00:00.000Z"]);
  expect(await timesOf(cells, { title: "Date (MM/DD/YYYY)", dateOrder: "day-first", timezone: "UTC" })).toEqual([
    "2025-03-10T00:00:00.000Z",
  ]);
  expect(await timesOf(["25/12/2025"], { title: "Date (MM/DD/YYYY)" })).toEqual([
    "createdAt “25/12/2025” must be a date with the month first",
  ]);
});

test.each([
  [45_662.843_75, "2025-01-05T20:15:00+07:00"],
  [1_763_640_000, "2025-11-20T12:00:00Z"],
  [1_763_640_000_123, "2025-11-20T12:00:00.123Z"],
  [20_251_120, "2025-11-20T00:00:00+07:00"],
])("the number %d of a workbook is a day, a typed date, or seconds or milliseconds since 1970: %s", async (number, createdAt) =>
  expect(await timesOf([number])).toEqual([new Date(createdAt).toISOString()]),
);

test("a workbook that counts days from 1904 has the same days", async () => {
  expect(await timesOf([45_662.843_75 - 1462], { date1904: true })).toEqual(["2025-01-05T13:15:00.000Z"]);
});

test.each([100_025_569, -100_000_000, -1, 1_763_640_000.5, 17_636_400_000, 1_763_640_000_000_000, Number.POSITIVE_INFINITY, Number.NaN])(
  "the number %s of a workbook, which no date can be, is a fault",
  async (number) =>
    expect(await timesOf([number], { timezone: "America/New_York" })).toEqual([expect.stringMatching(/^createdAt “.*” must be a time/)]),
);

/** The calendar of this oracle is Intl's, and shares no code with the reader. */
const localParts = (ms: number) => {
  const format = new Intl.DateTimeFormat("en-GB", { timeZone: "Asia/Bangkok", dateStyle: "short", timeStyle: "medium", hourCycle: "h23" });
  const [day = "", month = "", year = "", hour = "", minute = "", second = ""] = format
    .formatToParts(ms)
    .filter(({ type }) => type !== "literal")
    .map(({ value }) => value);
  return { day, month, year, hour, minute, second };
};
const withoutZero = (text: string) => String(Number(text));
type Parts = ReturnType<typeof localParts>;
const forms: ((parts: Parts) => string)[] = [
  ({ day, month, year, hour, minute, second }) => `${year}-${month}-${day} ${hour}:${minute}:${second}`,
  ({ day, month, year, hour, minute, second }) => `${year}/${month}/${day} ${withoutZero(hour)}:${minute}:${second}`,
  ({ day, month, year, hour, minute, second }) => `${day}/${month}/${year} ${hour}:${minute}:${second}`,
  ({ day, month, year, hour, minute, second }) =>
    `${withoutZero(day)}-${withoutZero(month)}-${Number(year) + 543} ${hour}:${minute}:${second}`,
  ({ day, month, year, hour, minute, second }) => `${day}.${month}.${String(Number(year) + 543).slice(2)} ${hour}:${minute}:${second} น.`,
  ({ day, month, year, hour, minute, second }) =>
    `${day}/${month}/${year.slice(2)} ${Number(hour) % 12 || 12}:${minute}:${second} ${Number(hour) < 12 ? "AM" : "PM"}`,
];

test("a local time of any form comes in as its instant, when the order of day and month is known", async () => {
  const seconds = fc.integer({ min: Date.UTC(2001, 0, 1) / 1000, max: Date.UTC(2042, 11, 31) / 1000 });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(seconds, fc.constantFrom(...forms)), { minLength: 1, maxLength: 5 }), async (times) => {
      const written = times.map(([second, form]) => form(localParts(second * 1000)));
      expect(await timesOf(written, { dateOrder: "day-first" })).toEqual(times.map(([second]) => new Date(second * 1000).toISOString()));
    }),
  );
});
