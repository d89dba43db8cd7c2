import { expect, test } from "vitest";
import type { Cell } from "./table.ts";
import { donationsIn, table } from "./testing.ts";

/** The instant of the first row, or its faults. */
async function timeIn(rows: readonly (readonly (Cell | undefined)[])[]): Promise<unknown> {
  const [donation] = await donationsIn(rows);
  return Object.keys(donation?.faults ?? {}).length > 0 ? donation?.faults : donation?.value.createdAt;
}

test.each([
  ["วันที่|เวลา|ชื่อ|จำนวนเงิน", "20/11/2569|19:30|สมชาย|100"],
  ["Date|Time|TimeZone|Name|Gross", "20/11/2026|07:30:00|EST|Fa|100"],
  ["Date|Time|Time Zone|Name|Gross", "2026-11-20|7:30 PM|ICT|Fa|100"],
  ["Date|Time|TimeZone|Name|Gross", "2026-11-20|19:30|+07:00|Fa|100"],
  ["Date|Time|TimeZone|Name|Gross", "2026-11-20|13:30|Europe/Berlin|Fa|100"],
  ["Date|Time|Name|Gross", "2026-11-20 00:00:00|19.30 น.|Fa|100"],
  ["Date|Payment time|Name|Gross", "20/11/2026|19:30|Fa|100"],
  ["Date|Created time|Name|Gross", "2026-11-20|2026-11-20 19:30|Fa|100"],
  ["วันที่|เวลาโดเนท|ชื่อ|จำนวนเงิน", "20/11/2569|19:30|สมชาย|100"],
  ["เวลาที่โดเนท|ชื่อ|จำนวนเงิน", "20/11/2569 19:30|สมชาย|100"],
  ["Date created|Time|Name|Gross", "20/11/2026|19:30|Fa|100"],
  ["Created|Time|Name|Gross", "2026-11-20|19:30|Fa|100"],
  ["Created at|Time|Name|Gross", "2026-11-20T12:30:00.000Z|20:00|Fa|100"],
  ["Timestamp|Time|Name|Gross", "2026-11-20 19:30|20:00|Fa|100"],
  ["Date|Time (UTC)|Name|Gross", "2026-11-20|12:30|Fa|100"],
  ["Date|Time|Name|Gross", "2026-11-20 19:30|19:30|Fa|100"],
  ["name|amount|Date (UTC+2)", "Anan|1|2026-11-20 14:30"],
  ["name|amount|Date (GMT-8)", "Anan|1|2026-11-20 04:30"],
  ["name|amount|Date (PST)", "Anan|1|2026-11-20 04:30"],
  ["name|amount|Date UTC+2", "Anan|1|2026-11-20 14:30"],
  ["name|amount|DateTime (UTC)", "Anan|1|2026-11-20 12:30"],
  ["name|amount|Date (dd/mm/yyyy, ICT)", "Anan|1|20/11/2026 19:30"],
  ["name|amount|วันที่ (เวลาไทย)", "Anan|1|20/11/2569 19:30"],
  ["name|amount|Date (Bangkok time)", "Anan|1|20/11/2026 19:30"],
  ["name|amount|Date (Tokyo)", "Anan|1|20/11/2026 21:30"],
  ["name|amount|Date (ET)", "Anan|1|20/11/2026 07:30"],
  ["name|amount|Date (Pacific Time)", "Anan|1|20/11/2026 04:30"],
  ["name|amount|Date (24h)", "Anan|1|20/11/2026 19:30"],
  ["name|amount|Date", "Anan|1|2026-11-20T19:30:00+07:00[Asia/Bangkok]"],
  ["name|amount|Date", "Anan|1|2026-11-20 21:30 [Asia/Tokyo]"],
  ["name|amount|วันที่ (พ.ศ.)", "Anan|1|20/11/2569 19:30"],
  ["name|amount|Date (Local)", "Anan|1|20/11/2569 19:30"],
  ["name|amount|Date", "Anan|1|2569-11-20T19:30:00.000+07:00"],
  ["name|amount|Date", "Anan|1|2569-11-20T12:30:00Z"],
])("the time of a row under %s is joined of %s", async (header, row) =>
  expect(await timeIn(table(header, row))).toBe("2026-11-20T12:30:00.000Z"),
);

test.each(["Transaction Date", "Donation Date", "DONATION DATE", "Date Paid", "DATE SENT", "Date (Paid)"])(
  "no word of the title %s is a time zone",
  async (title) => expect(await timeIn(table(`name|amount|${title}`, "Anan|1|2026-11-20 19:30"))).toBe("2026-11-20T12:30:00.000Z"),
);

test.each([
  [45_981, 0.8125],
  [45_981.8125, 0.8125],
  [45_981, 45_981.8125],
])("a day and a fraction of a day in two columns of a workbook, %d and %d, are joined", async (date, time) =>
  expect(
    await timeIn([
      ["Date", "Time", "Name", "Amount"],
      [date, time, "Malee", 20],
    ]),
  ).toBe("2025-11-20T12:30:00.000Z"),
);

test.each([
  ["Date|Time|TimeZone|Name|Gross", "20/11/2026|07:30:00|XYZ|Fa|100", "timeZone"],
  ["Date|Time|TimeZone|Name|Gross", "20/11/2026|07:30:00||Fa|100", "timeZone"],
  ["Date|Time|TimeZone|Name|Gross", "20/11/2026|07:30:00|constructor|Fa|100", "timeZone"],
  ["Date|Name|Gross", "20/11/2026 19:30 constructor|Fa|100", "createdAt"],
  ["Date|Time|Name|Gross", "20/11/2026||Fa|100", "timeOfDay"],
  ["Date|Time|Name|Gross", "20/11/2026|soon|Fa|100", "timeOfDay"],
  ["Date|Time|Name|Gross", "20/11/2026 19:30|19:31|Fa|100", "timeOfDay"],
  ["Date IST|Name|Gross", "20/11/2026 19:30|Fa|100", "createdAt"],
  ["Date UTC+99|Name|Gross", "20/11/2026 19:30|Fa|100", "createdAt"],
  ["Date (IST)|Name|Gross", "20/11/2026 19:30|Fa|100", "createdAt"],
  ["Date (XT)|Name|Gross", "20/11/2026 19:30|Fa|100", "createdAt"],
  ["Date (lunar time)|Name|Gross", "20/11/2026 19:30|Fa|100", "createdAt"],
  ["Date (เวลาท้องถิ่นญี่ปุ่น)|Name|Gross", "20/11/2026 19:30|Fa|100", "createdAt"],
  ["Date (Local time: Atlantis)|Name|Gross", "20/11/2026 19:30|Fa|100", "createdAt"],
  ["Date (Asia/Atlantis)|Name|Gross", "20/11/2026 19:30|Fa|100", "createdAt"],
])("under %s the row %s has a fault of its %s", async (header, row, member) =>
  expect(await timeIn(table(header, row))).toEqual({ createdAt: expect.stringMatching(`^${member} .*must be `) }),
);

test("a time that clocks leave out is as much later as they go forward", async () =>
  expect(await timeIn(table("Name|Amount|Date (America/New_York)", "Anan|1|2026-03-08 02:30"))).toBe("2026-03-08T07:30:00.000Z"));
