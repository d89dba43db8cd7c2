// The operation exportDonations: sends the donations as a workbook while they are read from the database.

import { formatInstant } from "../../base/instant.ts";
import { summedIn } from "../../base/summed-currency.ts";
import { type Decimal, decimal, decimalText, plus, toNumber, zero } from "../../db/decimal.ts";
import type { ExactReads } from "../../db/exact-reads.ts";
import type { Range } from "../../http/contract/parameters.ts";
import type { Handler, OperationRequest, Schemas } from "../../http/operations.ts";
import type { OpenHistory } from "./history.ts";
import { streamWorkbook } from "./workbook.ts";
import { type Cell, type Column, type DateCells, dateCells, localDay, text } from "./workbook-xml.ts";

type Query = OperationRequest<"exportDonations">["query"];

type Donation = Required<Schemas["Donation"]>;

/** Members without a column in the file. The state of an alert would be out of date when the file is opened. */
type ExcludedMember = "alert" | "skipAlert";

/** A donation of the file: instants in milliseconds since 1970, the amount with all its digits. */
type ExportRow = Omit<Donation, ExcludedMember | "amount" | "createdAt" | "receivedAt" | "voided"> & {
  amount: string;
  createdAt: number;
  receivedAt: number;
  /** Null, as is the reason, when it is not void. */
  voidedAt: number | null;
  voidReason: NonNullable<Donation["voided"]>["reason"] | null;
};

type Language = Query["language"];
type Words = Readonly<Record<Language, string>>;

/** The import knows the titles of both languages (import/files/column-names.ts). */
type ColumnSpec<Value> = Readonly<{
  title: Words;
  width: number;
  cell: (value: Value, toDate: DateCells) => Cell;
  /** The title names the time zone of the dates. */
  hasTimezone?: true;
}>;

const instant = { width: 28, cell: (ms: number, toDate: DateCells) => toDate(ms), hasTimezone: true } as const;

/** The columns, from left to right. A member of the contract's Donation without a column does not compile. */
const columnSpecs: { readonly [Member in keyof ExportRow]: ColumnSpec<ExportRow[Member]> } = {
  createdAt: { title: { th: "วันที่โดเนท", en: "Created at" }, ...instant },
  donatorName: { title: { th: "ชื่อผู้โดเนท", en: "Donator" }, width: 24, cell: text },
  amount: { title: { th: "จำนวนเงิน", en: "Amount" }, width: 14, cell: (exact) => ({ kind: "amount", value: Number(exact) }) },
  currency: { title: { th: "สกุลเงิน", en: "Currency" }, width: 10, cell: text },
  message: { title: { th: "ข้อความ", en: "Message" }, width: 48, cell: text },
  identifier: { title: { th: "ตัวระบุผู้โดเนท", en: "Identifier" }, width: 24, cell: text },
  channel: { title: { th: "ช่องทาง", en: "Channel" }, width: 14, cell: text },
  source: { title: { th: "ที่มา", en: "Source" }, width: 10, cell: text },
  receivedAt: { title: { th: "เวลาที่ระบบได้รับ", en: "Received at" }, ...instant },
  idempotencyKey: { title: { th: "คีย์กันซ้ำ", en: "Idempotency key" }, width: 24, cell: text },
  id: { title: { th: "รหัสโดเนท", en: "Donation id" }, width: 38, cell: text },
  voidedAt: { title: { th: "เป็นโมฆะเมื่อ", en: "Voided at" }, ...instant, cell: (ms, toDate) => (ms === null ? text(null) : toDate(ms)) },
  voidReason: { title: { th: "เหตุผลที่เป็นโมฆะ", en: "Void reason" }, width: 14, cell: text },
};

const orderedColumns = Object.entries(columnSpecs) as [keyof ExportRow, ColumnSpec<unknown>][];

function columnsIn({ timezone, language }: Query): Column[] {
  return orderedColumns.map(([, { title, width, hasTimezone }]) => {
    return { title: hasTimezone ? `${title[language]} (${timezone})` : title[language], width };
  });
}

const sheetNames = { donations: { th: "โดเนท", en: "Donations" }, summary: { th: "สรุป", en: "Summary" } } as const;

function summaryColumns(language: Language): Column[] {
  return [
    { title: sheetNames.summary[language], width: 34 },
    { title: { th: "ค่า", en: "Value" }[language], width: 48 },
  ];
}

export const exportDonations =
  (read: ExactReads<{ openHistory: OpenHistory }>): Handler<"exportDonations"> =>
  async ({ query }, { streamerId, applicationId }) => {
    const history = await read(streamerId, ({ openHistory }) => openHistory({ streamerId, applicationId, sort: query.sort, query }));
    const madeAt = Date.now();
    const toDate = dateCells(query.timezone);
    const sums: Sums = { counted: { count: 0, total: zero }, voided: { count: 0, total: zero } };
    const file = streamWorkbook({
      name: sheetNames.donations[query.language],
      columns: columnsIn(query),
      batches: addSums(history.batches, sums),
      cells: (row) => cellsOf(row, toDate),
      summary: {
        name: sheetNames.summary[query.language],
        columns: summaryColumns(query.language),
        rows: () => summarise({ query, range: history.range, madeAt, sums }, toDate),
      },
      release: history.close,
    });
    return {
      status: 200,
      headers: { "Content-Disposition": `attachment; filename="${fileName(history.range, query.timezone)}"` },
      type: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
      body: file,
    };
  };

type Sum = { count: number; total: Decimal };
/** Void donations count nowhere, so they are summed up apart. */
type Sums = Readonly<{ counted: Sum; voided: Sum }>;

async function* addSums(batches: AsyncIterable<ExportRow[]>, sums: Sums): AsyncIterable<ExportRow[]> {
  for await (const batch of batches) {
    for (const { amount, voidedAt } of batch) {
      const sum = voidedAt === null ? sums.counted : sums.voided;
      sum.count += 1;
      sum.total = plus(sum.total, decimal(amount));
    }
    yield batch;
  }
}

function cellsOf(row: ExportRow, toDate: DateCells): Cell[] {
  return orderedColumns.map(([member, { cell }]) => cell(row[member], toDate));
}

type Summary = Readonly<{ query: Query; range: Range; madeAt: number; sums: Sums }>;

function summarise({ query, range, madeAt, sums }: Summary, toDate: DateCells): Cell[][] {
  const any = words.any[query.language];
  const bound = (ms: number | null, open: Words): Cell => (ms === null ? text(open[query.language]) : toDate(ms));
  const number = (value: number | undefined): Cell => (value === undefined ? text(any) : { kind: "amount", value });
  const lines: [Words, Cell][] = [
    ...sumLines(sums.counted, countedWords),
    ...(query.status === "active" ? [] : sumLines(sums.voided, voidedWords)),
    [{ th: "สกุลเงิน", en: "Currency" }, text(summedIn)],
    [{ th: "ตั้งแต่ (รวม)", en: "From (inclusive)" }, bound(range.from, words.beginning)],
    [{ th: "ถึง (ไม่รวม)", en: "To (exclusive)" }, bound(range.to, words.withoutEnd)],
    [{ th: "เขตเวลา", en: "Time zone" }, text(query.timezone)],
    [{ th: "ค้นหา", en: "Search" }, text(query.q ?? any)],
    [{ th: "ช่องทาง", en: "Channels" }, text(query.channel?.join(", ") ?? words.all[query.language])],
    [{ th: "ที่มา", en: "Sources" }, text(query.source.join(", "))],
    [{ th: "ตัวระบุผู้โดเนท", en: "Identifier" }, text(query.identifier ?? any)],
    [{ th: "ยอดต่ำสุด", en: "Lowest amount" }, number(query.minAmount)],
    [{ th: "ยอดสูงสุด", en: "Highest amount" }, number(query.maxAmount)],
    [{ th: "สถานะ", en: "Status" }, text(query.status)],
    [{ th: "ลำดับ", en: "Order" }, text(query.sort)],
    [{ th: "สร้างเมื่อ", en: "Made at" }, toDate(madeAt)],
    [{ th: "สร้างเมื่อ (UTC)", en: "Made at (UTC)" }, text(formatInstant(madeAt))],
  ];
  return lines.map(([label, value]) => [text(label[query.language]), value]);
}

const words = {
  any: { th: "ไม่กำหนด", en: "any" },
  all: { th: "ทั้งหมด", en: "all" },
  beginning: { th: "ตั้งแต่แรก", en: "the beginning" },
  withoutEnd: { th: "ไม่มีสิ้นสุด", en: "without end" },
} as const satisfies Record<string, Words>;

type SumWords = Readonly<Record<"count" | "total" | "exact", Words>>;

const countedWords: SumWords = {
  count: { th: "จำนวนโดเนท", en: "Donations" },
  total: { th: "ยอดรวม", en: "Total amount" },
  exact: { th: "ยอดรวมทุกหลัก", en: "Total amount, exact" },
};
const voidedWords: SumWords = {
  count: { th: "โดเนทที่เป็นโมฆะ ไม่นับข้างบน", en: "Void donations, not counted above" },
  total: { th: "ยอดที่เป็นโมฆะ", en: "Void amount" },
  exact: { th: "ยอดที่เป็นโมฆะทุกหลัก", en: "Void amount, exact" },
};

function sumLines({ count, total }: Sum, labels: SumWords): [Words, Cell][] {
  return [
    [labels.count, { kind: "tally", value: count }],
    [labels.total, { kind: "amount", value: toNumber(total) }],
    [labels.exact, text(decimalText(total))],
  ];
}

/** The file name with the first and the last local day of the range: `donations_2026-11-01_to_2026-11-30.xlsx`. */
function fileName({ from, to }: Range, timezone: string): string {
  const day = (ms: number) => localDay(ms, timezone);
  if (from === null && to === null) return "donations_all.xlsx";
  if (from === null) return `donations_until_${day((to as number) - 1)}.xlsx`;
  if (to === null) return `donations_from_${day(from)}.xlsx`;
  return `donations_${day(from)}_to_${day(to - 1)}.xlsx`;
}
