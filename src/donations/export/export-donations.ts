// The operation exportDonations: sends the donations as a workbook while they are read from the database.

import { type Decimal, decimal, plus, toNumber, zero } from "../../db/decimal.ts";
import type { ExactReads } from "../../db/exact-reads.ts";
import type { Handler, OperationRequest, Schemas } from "../../http/operations.ts";
import type { Range } from "../../http/range.ts";
import { summedIn } from "../../http/summed-currency.ts";
import { formatInstant } from "../../time/instant.ts";
import type { OpenHistory } from "./history.ts";
import { streamWorkbook } from "./workbook.ts";
import { type DateCells, dateCells, localDay } from "./workbook-dates.ts";
import { type Cell, type Column, text } from "./workbook-xml.ts";

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

/** `read`: where the history is opened, perhaps on a standby. */
export type ExportDeps = { read: ExactReads<{ openHistory: OpenHistory }> };

type ColumnSpec<Value> = Readonly<{
  title: string;
  width: number;
  cell: (value: Value, toDate: DateCells) => Cell;
  /** The title names the time zone of the dates. */
  hasTimezone?: true;
}>;

const instant = { width: 28, cell: (ms: number, toDate: DateCells) => toDate(ms), hasTimezone: true } as const;

/** The columns, from left to right. A member of the contract's Donation without a column does not compile. */
const columnSpecs: { readonly [Member in keyof ExportRow]: ColumnSpec<ExportRow[Member]> } = {
  createdAt: { title: "Created at", ...instant },
  donatorName: { title: "Donator", width: 24, cell: text },
  amount: { title: "Amount", width: 14, cell: (exact) => ({ kind: "amount", value: Number(exact) }) },
  currency: { title: "Currency", width: 10, cell: text },
  message: { title: "Message", width: 48, cell: text },
  identifier: { title: "Identifier", width: 24, cell: text },
  channel: { title: "Channel", width: 14, cell: text },
  source: { title: "Source", width: 10, cell: text },
  receivedAt: { title: "Received at", ...instant },
  idempotencyKey: { title: "Idempotency key", width: 24, cell: text },
  id: { title: "Donation id", width: 38, cell: text },
  voidedAt: { title: "Voided at", ...instant, cell: (ms, toDate) => (ms === null ? text(null) : toDate(ms)) },
  voidReason: { title: "Void reason", width: 14, cell: text },
};

const orderedColumns = Object.entries(columnSpecs) as [keyof ExportRow, ColumnSpec<unknown>][];

function columnsIn(timezone: string): Column[] {
  return orderedColumns.map(([, { title, width, hasTimezone }]) => ({ title: hasTimezone ? `${title} (${timezone})` : title, width }));
}

const summaryColumns: Column[] = [
  { title: "Summary", width: 34 },
  { title: "Value", width: 48 },
];

export const exportDonations =
  ({ read }: ExportDeps): Handler<"exportDonations"> =>
  async ({ query }, { streamerId, applicationId }) => {
    const history = await read(streamerId, ({ openHistory }) => openHistory({ streamerId, applicationId, sort: query.sort, query }));
    const madeAt = Date.now();
    const toDate = dateCells(query.timezone);
    const sums: Sums = { counted: { count: 0, total: zero }, voided: { count: 0, total: zero } };
    const file = streamWorkbook({
      name: "Donations",
      columns: columnsIn(query.timezone),
      batches: addSums(history.batches, sums),
      cells: (row) => cellsOf(row, toDate),
      summary: { name: "Summary", columns: summaryColumns, rows: () => summarise({ query, range: history.range, madeAt, sums }, toDate) },
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
  const bound = (ms: number | null, open: string): Cell => (ms === null ? text(open) : toDate(ms));
  const number = (value: number | undefined): Cell => (value === undefined ? text("any") : { kind: "amount", value });
  const lines: [string, Cell][] = [
    ...sumLines(sums.counted, ["Donations", "Total amount"]),
    ...(query.status === "active" ? [] : sumLines(sums.voided, ["Void donations, not counted above", "Void amount"])),
    ["Currency", text(summedIn)],
    ["From (inclusive)", bound(range.from, "the beginning")],
    ["To (exclusive)", bound(range.to, "without end")],
    ["Time zone", text(query.timezone)],
    ["Channels", text(query.channel?.join(", ") ?? "all")],
    ["Sources", text(query.source.join(", "))],
    ["Identifier", text(query.identifier ?? "any")],
    ["Lowest amount", number(query.minAmount)],
    ["Highest amount", number(query.maxAmount)],
    ["Status", text(query.status)],
    ["Order", text(query.sort)],
    ["Made at", toDate(madeAt)],
    ["Made at (UTC)", text(formatInstant(madeAt))],
  ];
  return lines.map(([label, value]) => [text(label), value]);
}

function sumLines({ count, total }: Sum, [counted, summed]: [string, string]): [string, Cell][] {
  return [
    [counted, { kind: "tally", value: count }],
    [summed, { kind: "amount", value: toNumber(total) }],
    [`${summed}, exact`, text(digits(total))],
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

/** Writes a decimal with all its digits. */
function digits({ units, scale }: Decimal): string {
  const all = String(units).padStart(scale + 1, "0");
  return scale === 0 ? all : `${all.slice(0, -scale)}.${all.slice(-scale)}`;
}
