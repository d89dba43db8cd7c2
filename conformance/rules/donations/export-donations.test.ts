import { read, utils, type WorkBook, type WorkSheet } from "@e965/xlsx";
import { describe, expect, test } from "vitest";
import {
  create,
  type Donation,
  expectFaults,
  expectProblem,
  ids,
  listAll,
  post,
  type Query,
  recorded,
  recordSome,
  searchAll,
} from "../../suite/client/api.ts";
import { holdsForEach } from "../../suite/client/holds.ts";
import { send } from "../../suite/client/http-client.ts";
import { download, type Export, exported, exportPath, type Row } from "../../suite/client/workbook.ts";
import { lengthsOf, maxAmount } from "../../suite/contract/interface.ts";
import { at, emptyDays, nativeAt } from "../../suite/models/reports.ts";
import { fullOnly } from "../../suite/values/depth.ts";
import { donation, freshIdentifier, freshKey } from "../../suite/values/donations.ts";
import { keyOf, operatorOf } from "../../suite/values/target.ts";
import { spellings } from "../../suite/values/text.ts";

const media = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const idsOf = ({ rows }: Export): unknown[] => rows.map((row) => row["Donation id"]?.v);
const bangkok = (instant: string): string => new Date(Date.parse(instant) + 7 * 3_600_000).toISOString().slice(0, 23).replace("T", " ");

const bookOf = async (query: Query): Promise<WorkBook> => read(await (await download(query)).arrayBuffer());

/** The text of an optional cell; an empty one stands for null and for "". */
const textIn = (row: Row, title: string): unknown => row[title]?.v ?? "";

function expectRow(row: Row, one: Donation): void {
  expect([row.Amount?.t, row.Amount?.v]).toEqual(["n", one.amount]);
  expect([row["Created at"]?.t, row["Created at"]?.w]).toEqual(["n", bangkok(one.createdAt)]);
  expect([row["Received at"]?.t, row["Received at"]?.w]).toEqual(["n", bangkok(one.receivedAt)]);
  expect([textIn(row, "Donator"), textIn(row, "Message"), textIn(row, "Identifier"), textIn(row, "Idempotency key")]).toEqual([
    one.donatorName,
    one.message,
    one.identifier ?? "",
    one.idempotencyKey ?? "",
  ]);
  expect([row.Currency?.v, row.Channel?.v, row.Source?.v, row["Donation id"]?.v]).toEqual([one.currency, one.channel, one.source, one.id]);
}

test("an export holds what the list holds, in its order, with numbers and dates as such", async () => {
  const { identifier } = await recordSome(9);
  await post({
    identifier,
    amount: 0.30000000000000004,
    message: "สู้ๆ 😀",
    idempotencyKey: freshKey(),
    createdAt: "2026-11-20T23:30:00.250+07:00",
  });
  for (const sort of ["createdAt", "-createdAt", "receivedAt", "-receivedAt", "amount", "-amount"]) {
    const listed = await listAll({ identifier, sort, limit: 100 });
    const { rows } = await exported({ identifier, sort });
    expect(rows.length).toBe(listed.length);
    for (const [index, row] of rows.entries()) expectRow(row, listed[index] as Donation);
  }
});

test("an export of more than a thousand donations holds each of them once, in the order of the list", async (context) => {
  fullOnly(context, "it records a thousand donations");
  const identifier = freshIdentifier();
  const amounts = Array.from({ length: 1_010 }, (_, index) => 1 + (index % 300) / 7);
  await holdsForEach(amounts, (amount) => post({ identifier, amount }), 24);
  for (const sort of ["-createdAt", "amount", "receivedAt"])
    expect(idsOf(await exported({ identifier, sort }))).toEqual(ids(await listAll({ identifier, sort, limit: 100 })));
});

test("an export has what the list has of its range, whose days are those of timezone, and of the channels that it names", async () => {
  const identifier = freshIdentifier();
  for (const createdAt of ["2024-03-10T04:59:59.999Z", "2024-03-10T05:00Z", "2024-03-11T03:59:59.999Z", "2024-03-11T04:00Z"])
    await post({ identifier, createdAt });
  const filters: [Query, number][] = [
    [{ from: "2024-03-10", to: "2024-03-10", timezone: "America/New_York" }, 2],
    [{ from: "2024-03-10T05:00Z", to: "2024-03-11T03:59:59.999Z" }, 1],
    [{ from: "2024-03-11T03:59:59.9999Z" }, 2],
    [{ channel: ["card", "external"] }, 4],
  ];
  for (const [query, count] of filters) {
    const found = idsOf(await exported({ identifier, ...query }));
    expect([found.length, found]).toEqual([count, ids(await listAll({ identifier, ...query, limit: 100 }))]);
  }
});

test("an export keeps the sources that it names; external and native are the default, tests are not", async (context) => {
  const operator = operatorOf(context);
  const [day = ""] = await emptyDays(1);
  const range = { from: day, to: day };
  await at(`${day}T12:00+07:00`);
  for (const source of ["native", "test"]) await nativeAt(operator, `${day}T13:00+07:00`, "promptpay", 5, source);
  for (const [query, count] of [
    [{}, 2],
    [{ source: "native" }, 1],
    [{ source: "test" }, 1],
    [{ source: ["external", "test"] }, 2],
  ] as const) {
    const found = idsOf(await exported({ ...range, ...query } as Query));
    expect(found, JSON.stringify(query)).toEqual(ids(await listAll({ ...range, ...query } as Query)));
    expect(found).toHaveLength(count);
  }
});

test("an export's summary gives range and filters, the number of donations and their exact sum", async () => {
  const identifier = freshIdentifier();
  for (const amount of [0.1, 0.2, maxAmount, 1e-7]) await post({ identifier, amount });
  const [from, to] = ["2000-01-01", "2090-12-31"];
  const { summary } = await exported({ identifier, minAmount: 1e-7, maxAmount, channel: "external", from, to, timezone: "UTC" });
  expect([summary.Donations?.v, summary["Total amount"]?.v, summary["Total amount, exact"]?.v]).toEqual([
    4,
    maxAmount + 0.3000001,
    `${maxAmount}.3000001`,
  ]);
  expect([summary.Identifier?.v, summary.Channels?.v, summary.Sources?.v]).toEqual([identifier, "external", "external, native"]);
  expect([summary["Lowest amount"]?.v, summary["Highest amount"]?.v]).toEqual([1e-7, maxAmount]);
  expect([summary["From (inclusive)"]?.w, summary["To (exclusive)"]?.w, summary["Time zone"]?.v]).toEqual([
    "2000-01-01 00:00:00.000",
    "2091-01-01 00:00:00.000",
    "UTC",
  ]);
});

test.each([
  "=1+1",
  '=HYPERLINK("http://x")',
  "+1",
  "-2",
  "@SUM(A1)",
  "\t=1",
  "'=1",
  "_x000D_",
  "_x003D_1",
  "_x00e9_",
  "a\u0001b\u000bc",
  '<&>"]]>',
  " lead and trail ",
  "1",
  "TRUE",
  "line\nline",
  "\ufffe\uffff",
])("an export keeps the text %j as that very text", async (text) => {
  const identifier = `${text}${freshIdentifier()}`;
  await post({ identifier, donatorName: text, message: text });
  const [row = {}] = (await exported({ identifier })).rows;
  for (const title of ["Donator", "Message"]) expect([row[title]?.t, row[title]?.v, row[title]?.f]).toEqual(["s", text, undefined]);
  expect(row.Identifier?.v).toBe(identifier);
});

test("an export holds every text as XML reads it: characters that no XML may contain and carriage returns are escaped (XML 1.0 2.2, 2.11)", async () => {
  const identifier = freshIdentifier();
  const controls = Array.from({ length: 32 }, (_, code) => `a${String.fromCharCode(code || 0x7f)}b`);
  const messages = [
    ...new Set([...controls, ...spellings, "\ufffe", "\uffff", "\ufdd0", "\ud83d\ude00", "_x000D_", "_x000d_", "]]>", "&#13;"]),
  ];
  await holdsForEach(messages, (message) => post({ identifier, message }), 16);
  const texts = new Set((await exported({ identifier })).texts());
  expect(messages.filter((message) => !texts.has(message))).toEqual([]);
});

test("an export with a text has what the search finds, in name, message and identifier, with their number and exact sum", async () => {
  const { identifier, key } = { identifier: freshIdentifier(), key: `สมหญิง${freshKey().slice(0, 12)}` };
  await post({ identifier, donatorName: `a ${key}`.slice(0, lengthsOf("donatorName").max), amount: 0.1 });
  await post({ identifier, message: `x${key.toUpperCase()}y`, amount: 0.2 });
  await post({ identifier: `${key}-${identifier}`.slice(0, lengthsOf("identifier").max), amount: 4 });
  await post({ identifier, message: "other", amount: 8 });
  const filtered: Query[] = [{}, { identifier }, { minAmount: 0.15 }];
  for (const filters of filtered) {
    const found = ids(await searchAll({ q: key, ...filters }));
    const { rows, summary } = await exported({ q: key, ...filters });
    expect(found.length).toBeGreaterThan(0);
    expect(idsOf({ rows } as Export)).toEqual(found);
    expect([summary.Donations?.v, summary.Search?.v]).toEqual([found.length, key]);
  }
  expect((await exported({ q: key })).summary["Total amount, exact"]?.v).toBe("4.3");
  expect((await exported({ q: `${key}%`, identifier })).rows).toEqual([]);
});

test("an export in Thai has Thai headings and sheet names, and the values of the one in English", async () => {
  const { identifier } = await recordSome(3);
  const [thai, english] = [await bookOf({ identifier, language: "th" }), await bookOf({ identifier, language: "en" })];
  expect([thai.SheetNames.length, english.SheetNames]).toEqual([2, ["Donations", "Summary"]]);
  expect((await bookOf({ identifier })).SheetNames).toEqual(english.SheetNames);
  const rowsOf = ({ Sheets, SheetNames }: WorkBook) =>
    utils.sheet_to_json<unknown[]>(Sheets[SheetNames[0] ?? ""] as WorkSheet, { header: 1 });
  const [[thaiTitles = [], ...thaiRows], [titles = [], ...rows]] = [rowsOf(thai), rowsOf(english)];
  expect([thaiRows, thaiTitles.length]).toEqual([rows, titles.length]);
  for (const name of [...thai.SheetNames, ...thaiTitles]) expect(name).toMatch(/[\u0e00-\u0e7f]/);
  expectFaults(await send({ path: exportPath({ language: "de" }) }), "language invalid_enum");
});

describe("dates", () => {
  test.each([
    ["1900-01-01T00:00Z", "UTC", "1900-01-01 00:00:00.000"],
    ["2024-02-29T23:59:59.999Z", "UTC", "2024-02-29 23:59:59.999"],
    ["2024-07-01T00:00Z", "Asia/Kathmandu", "2024-07-01 05:45:00.000"],
    ["2024-03-10T07:00Z", "America/New_York", "2024-03-10 03:00:00.000"],
    ["9999-12-31T00:00Z", "UTC", "9999-12-31 00:00:00.000"],
  ])("an export shows %s in %s as a date that reads %s: years are Gregorian", async (createdAt, timezone, shown) => {
    const identifier = freshIdentifier();
    await post({ identifier, createdAt });
    const [row = {}] = (await exported({ identifier, timezone })).rows;
    expect([row["Created at"]?.t, row["Created at"]?.w]).toEqual(["n", shown]);
  });

  test.each([
    ["0000-02-29T00:00Z", "0000-02-29 00:00:00.000"],
    ["1899-12-31T23:59Z", "1899-12-31 23:59:00.000"],
    ["9999-12-31T23:59:59-01:00", "10000-01-01 00:59:59.000"],
  ])("an export shows %s, which is outside the years of a spreadsheet, as a text", async (createdAt, shown) => {
    const identifier = freshIdentifier();
    await post({ identifier, createdAt });
    const [row = {}] = (await exported({ identifier, timezone: "UTC" })).rows;
    expect([row["Created at"]?.t, row["Created at"]?.v]).toEqual(["s", shown]);
  });
});

test.each([
  ["2024-11-03T05:59:59.999Z", "2024-11-03T06:59:59.999Z", "America/New_York", "2024-11-03 01:59:59.999"],
  ["2024-04-06T14:30Z", "2024-04-06T15:00Z", "Australia/Lord_Howe", "2024-04-07 01:30:00.000"],
])("an export shows %s as a date, and %s, the same local time once more in %s, as a text", async (first, second, timezone, shown) => {
  const identifier = freshIdentifier();
  for (const createdAt of [first, second]) await post({ identifier, createdAt });
  const [one, again] = (await exported({ identifier, timezone, sort: "createdAt" })).rows.map((row) => row["Created at"]);
  expect([one?.t, one?.w, again?.t]).toEqual(["n", shown, "s"]);
  expect(again?.v).not.toBe(shown);
});

test.each<[Query, string[]]>([
  [{}, []],
  [{ from: "2026-11-01", to: "2026-11-30" }, ["20261101", "20261130"]],
  [{ from: "2026-11-01" }, ["20261101"]],
  [{ to: "2026-11-30" }, ["20261130"]],
])("the export of %j is an attachment, named by its range", async (query, days) => {
  const { headers } = await send({ path: exportPath({ identifier: freshIdentifier(), ...query }) });
  expect(headers["content-type"]).toBe(media);
  const [, name = ""] = /^attachment *;.*filename\*? *= *"?([^";]+)/i.exec(String(headers["content-disposition"])) ?? [];
  expect(name).toMatch(/\.xlsx$/i);
  for (const day of days) expect(name.replace(/\D/g, ""), name).toContain(day);
});

test("HEAD on an export answers the headers of GET", async () => {
  const { status, headers } = await send({ method: "HEAD", path: exportPath() });
  expect([status, headers["content-type"]]).toEqual([200, media]);
});

test("an export without donations has its header and its summary", async () => {
  const { rows, summary } = await exported({ identifier: freshIdentifier() });
  expect([rows, summary.Donations?.v, summary["Total amount"]?.v]).toEqual([[], 0, 0]);
});

test("an export holds the donations of the caller's streamer and of no other", async (context) => {
  const identifier = freshIdentifier();
  const ours = await post({ identifier });
  const theirs = recorded(await create(donation({ identifier }), { key: keyOf(context, "other") }));
  expect([idsOf(await exported({ identifier })), idsOf(await exported({ identifier }, keyOf(context, "other")))]).toEqual([
    [ours.id],
    [theirs.id],
  ]);
});

test("an export hides another application's idempotency keys", async (context) => {
  const identifier = freshIdentifier();
  await post({ identifier, idempotencyKey: freshKey() });
  const [row = {}] = (await exported({ identifier }, keyOf(context, "secondApplication"))).rows;
  expect(row["Idempotency key"]).toBeUndefined();
});

test("an invalid export request is refused with a problem, as everywhere", async () => {
  expectProblem(await send({ path: exportPath({ from: "2024-05-11", to: "2024-05-10" }) }), 400, "invalid_range");
  expectFaults(await send({ path: exportPath({ limit: 5, sort: "x" }) }), "limit unknown_parameter", "sort invalid_enum");
});

test("readers who hang up during an export leave nothing behind: exports go on", async () => {
  const identifier = freshIdentifier();
  await post({ identifier });
  for (let round = 0; round < 3; round += 1) {
    const gone = Array.from({ length: 4 }, async () => {
      const abort = new AbortController();
      const reply = await download({}, undefined, { signal: abort.signal });
      await reply.body?.getReader().read();
      abort.abort();
    });
    await Promise.all(gone);
  }
  expect((await exported({ identifier })).rows.length).toBe(1);
});
