// Rows of a file as donations to import, with a key for each, so that the same file can be imported again. Pure.

import { hash } from "node:crypto";
import { enumOf, isId } from "../../../http/contract/published.ts";
import type { Fault } from "../../../http/problem.ts";
import { type DonationInput, external, type Origin } from "../../donation.ts";
import { readAmount } from "./amounts.ts";
import { amountIn, codeIn, type Found, quoteFault, textIn, timeReader } from "./cells.ts";
import { columnNames, directionNames, outgoingNames, paymentNames, refundNames, signNames, typeNames } from "./column-names.ts";
import { type ColumnMap, type FileMember, plainName, textsInBrackets, type withoutColumn } from "./columns.ts";
import type { FileReading } from "./reading.ts";
import { type Cell, plainText, type TableRow } from "./table.ts";
import { readTime } from "./times.ts";

/**
 * `value`: to be checked by the contract. `faults`: what is wrong with a cell before that, by members, in words. `origin`: to be checked by
 * `checkOrigin`. `knownAs`: ids under which this service may have the donation already.
 */
export type FileDonation = Readonly<{
  value: Readonly<Record<string, unknown>>;
  faults: Readonly<Record<string, string>>;
  origin: FileOrigin;
  knownAs: readonly string[];
  isVoided: boolean;
  isUnpaid: boolean;
}>;

type FileOrigin = Readonly<Record<keyof Origin, string>>;

const keyPrefix = "namjai:";

/** Returns the function that converts rows, in the order of the file: equal rows get different keys. */
export function rowConverter(reading: FileReading, options: ConverterOptions): (row: TableRow) => FileDonation {
  const { places, isOwn, titles } = reading.columns;
  const repeats = new Map<string, number>();
  const timeIn = timeReader(reading);
  const paidIn = paidReader(reading.columns);
  const unitIn = unitReader(reading.columns);
  const width = titles.findLastIndex((title) => title.trim() !== "") + 1;
  return (row) => {
    const faults: Record<string, string> = {};
    const take = <Value>(member: string, found: Found<Value>): Value | undefined => {
      if (found.fault !== undefined) faults[member] ??= found.fault;
      return found.value;
    };
    const text = (member: FileMember) => {
      const found = take(member, textIn(row, places[member], member));
      return isOwn ? found : found?.trim() || undefined;
    };
    const members = {
      donatorName: [text("donatorName"), text("familyName")].filter(Boolean).join(" ") || undefined,
      amount: take("amount", amountIn(row, reading)),
      currency: take("currency", codeIn(row, reading)),
      message: text("message"),
      identifier: text("identifier"),
      createdAt: take("createdAt", timeIn(row)),
    } satisfies Record<Exclude<keyof DonationInput, "idempotencyKey" | keyof typeof withoutColumn>, unknown>;
    const donationId = text("donationId") ?? null;
    const idempotencyKey = text("idempotencyKey") ?? (donationId === null ? keyOf(members, repeats) : keyPrefix + donationId);
    const unnamed = take("isAnonymous", unnamedIn(row, reading.columns));
    const shown = unnamed === undefined ? members : { ...members, donatorName: unnamed, identifier: undefined };
    const value = Object.fromEntries(Object.entries({ ...shown, idempotencyKey }).filter(([, member]) => member !== undefined));
    const status = options.withUnpaid ? true : take("status", paidIn(row));
    if (row.isHidden) faults["the row"] = hiddenRule;
    for (const member of shownMembers) take(member, hiddenIn(row, places[member], member));
    take("the row", extraIn(row, { width, columns: reading.columns }));
    take("amount", unitIn(row));
    take("amount", sumIn(row, places.amount));
    take("donatorName", totalIn(members, members.donatorName));
    return {
      ...{ value, faults },
      origin: isOwn ? { source: text("source") ?? "external", channel: text("channel") ?? "external" } : external,
      knownAs: [donationId ?? "", idIn(idempotencyKey)].filter(isId),
      isVoided: row.cells[places.voidedAt ?? -1] !== undefined,
      isUnpaid: status === false,
    };
  };
}

/** The name of a donation whose row says yes under `Anonymous`, in the language of that title. Undefined where it says no, or nothing. */
function unnamedIn({ cells }: TableRow, { places: { isAnonymous: place = -1 }, titles }: ColumnMap): Found<string | undefined> {
  const [title = "", text] = [titles[place], plainText(String(cells[place] ?? ""))];
  if (no.has(text)) return { value: undefined };
  if (!yes.has(text) && plainName(text) !== plainName(title))
    return { value: undefined, fault: quoteFault("isAnonymous", cells[place], "must be known as yes or no") };
  return { value: /[ก-๙]/.test(title) ? "ไม่ประสงค์ออกนาม" : "Anonymous" };
}

const hiddenRule = "the row must not be hidden in the workbook: show it, or delete it";

/** What a donation shows. Its author may hide a number, a status or an email. */
const shownMembers = ["donatorName", "familyName", "amount", "createdAt", "message"] as const;

function hiddenIn({ cells, hiddenColumns = [] }: TableRow, place = -1, member: string): Found<undefined> {
  if (cells[place] === undefined || !hiddenColumns.some(([first, last]) => place >= first && place <= last)) return { value: undefined };
  return { value: undefined, fault: quoteFault(member, cells[place], hiddenColumnRule) };
}

const hiddenColumnRule = "must not be in a column that is hidden in the workbook: show it, or choose another column";

/** `withUnpaid`: donations are recorded whatever their status says. */
type ConverterOptions = Readonly<{ withUnpaid: boolean }>;

/** Returns the function that says whether a row was paid, by its status; undefined where no column says so. */
function paidReader({ places: { status, amount = -1 }, titles }: ColumnMap): (row: TableRow) => Found<boolean> {
  const plain = titles.map(plainName);
  const further = plain.flatMap((name, place) => (place !== status && furtherNames.includes(name) ? [place] : []));
  const answerAt = ({ cells }: TableRow, place: number) => isPaid(plain[place] ?? "", String(cells[place] ?? ""));
  const isOutgoingName = (title: string) => [title, ...textsInBrackets(title)].some((name) => outgoingNames.includes(plainName(name)));
  const outgoingPlaces = titles.flatMap((title, place) => (place !== amount && isOutgoingName(title) ? [place] : []));
  /** `500` under `Withdrawal`, and under `Deposit` nothing or `0.00`. */
  const isOutgoing = ({ cells }: TableRow) => isNothing(cells[amount]) && outgoingPlaces.some((place) => isSum(cells[place]));
  /** `Refunded: yes` beside `Status: Completed`; what is not known there is no answer. */
  const isTakenBack = (row: TableRow) => further.some((place) => answerAt(row, place) === false);
  return (row) => {
    if (isOutgoing(row)) return { value: false };
    if (status === undefined) return { value: isTakenBack(row) ? false : undefined };
    const found = answerAt(row, status);
    if (found === null) return { value: undefined, fault: quoteFault("status", row.cells[status], statusRule) };
    return { value: found && !isTakenBack(row) };
  };
}

const furtherNames = [...columnNames.status, ...typeNames];

const statusRule = "must be known as paid, such as Completed, or as unpaid, such as Refunded";

/** `Anan,1,500` under `name,amount` is a row with a thousands separator, not one of 1 baht, and so is `Anan,1,500,` under `name,amount,message`. */
function extraIn(
  { cells }: TableRow,
  { width, columns: { places, titles } }: Readonly<{ width: number; columns: ColumnMap }>,
): Found<undefined> {
  const [thousands, rest] = cells.slice(places.amount ?? cells.length).map(String);
  const isSplit = cells.length > titles.length && /^\D{0,5}\d{1,3}$/.test(thousands ?? "") && /^\d{3}(?:\.\d+)?\D{0,5}$/.test(rest ?? "");
  const extra =
    cells.find((cell, place) => place >= width && cell !== undefined && String(cell).trim() !== "") ?? (isSplit ? rest : undefined);
  if (extra === undefined) return { value: undefined };
  return { value: undefined, fault: `the row must not have more cells than the header${quoteFault("", extra, "")}`.trim() };
}

/** `Total`, `Total (3 rows)`, `Sum of Amount`, `ผลรวมทั้งหมด`, `ยอดรวมเดือน พ.ย.`, as people and the tables of spreadsheets write it. */
const totals = new RegExp(
  `^(?:${[
    "(?:(?:grand|sub|net|overall)[ -]?)?totals?(?: *[:(].*| (?:amount|donations?|tips?|income|received|raised|thb|baht|(?:for|of|in) .*|\\d.*))?",
    ".+ (?:grand )?totals?|.+ ผลรวม|(?:ผล)?รวม .+|(?:ยอด)?(?:ทั้งหมด|ทั้งสิ้น|สุทธิ)",
    "(?:เงิน|ผล|ยอด)?รวม(?:เป็น)?(?:เงิน|ยอด)?(?:โดเนท|บริจาค)?(?:ทั้งหมด|ทั้งสิ้น|ทั้งเดือน|ทั้งปี|สุทธิ|(?:เดือน|วันที่|ประจำ|ปี).*| ?\\d.*)?",
    "sum(?: of .*)?|average|balance|(?:ค่า)?เฉลี่ย|(?:ยอด)?คงเหลือ|ยอดยก(?:มา|ไป)|итого|всего|summe|gesamt",
  ].join("|")}):?$`,
  "i",
);

/** A row below the table that has a sum and nothing else. */
function totalIn(members: Readonly<Record<string, unknown>>, name: string | undefined): Found<undefined> {
  const others = [members.message, members.identifier, members.createdAt || undefined].some((member) => member !== undefined);
  if (others || !totals.test(name?.trim() ?? "")) return { value: undefined };
  return { value: undefined, fault: quoteFault("donatorName", name, "is a total, not a donation") };
}

function sumIn({ cells, sums }: TableRow, place = -1): Found<undefined> {
  return {
    value: undefined,
    ...(sums?.includes(place) && { fault: quoteFault("amount", cells[place], "is a sum of other rows, not a donation") }),
  };
}

const [sources, channels] = [enumOf("Source"), enumOf("Channel")];

/** The origin in the words of the contract, or the members that have other words. */
export function checkOrigin(origin: FileOrigin): Readonly<{ origin: Origin } | { faults: Fault[] }> {
  const source = sources.find((known) => known === origin.source);
  const channel = channels.find((known) => known === origin.channel);
  if (source && channel) return { origin: { source, channel } };
  return { faults: [...(source ? [] : [enumFault("source", sources)]), ...(channel ? [] : [enumFault("channel", channels)])] };
}

function enumFault(member: keyof Origin, allowed: readonly string[]): Fault {
  return { pointer: `/${member}`, code: "invalid_enum", message: `must be one of: ${allowed.join(", ")}` };
}

/** A row without a key has one of its content, and of how many equal rows come before it. */
function keyOf(members: object, repeats: Map<string, number>): string {
  const content = hash("sha256", JSON.stringify(members)).slice(0, 32);
  const count = (repeats.get(content) ?? 0) + 1;
  repeats.set(content, count);
  return `row:${content}:${count}`;
}

/** The id in a key that an earlier import of our own export made, or that such an export without its keys has. */
function idIn(key: string): string {
  return key.startsWith(keyPrefix) ? key.slice(keyPrefix.length) : key;
}

const paid = new Set([
  ...["completed", "complete", "paid", "success", "successful", "succeeded", "ok", "done", "received", "cleared", "captured", "settled"],
  ...["verified", "accepted", "charged", "collected", "ยืนยันแล้ว", "อนุมัติ", "อนุมัติแล้ว", "ตรวจสอบแล้ว"],
  ...["confirmed", "approved", "processed", "สำเร็จ", "สำเร็จแล้ว", "ทำรายการสำเร็จ"],
  ...["รายการสำเร็จ", "โอนสำเร็จ", "ชำระเงินสำเร็จ", "จ่ายแล้ว", "ชำระแล้ว"],
  ...["ชำระเงินแล้ว", "โอนแล้ว", "โอนเงินแล้ว", "เรียบร้อย", "เรียบร้อยแล้ว", "ได้รับแล้ว", "รับแล้ว", "รับเงินแล้ว", "เสร็จสิ้น", "เสร็จสมบูรณ์", "สมบูรณ์"],
  ...["ผ่าน", "ได้รับเงินแล้ว", "เงินเข้าแล้ว", "จ่ายเงินแล้ว"],
  ...["abgeschlossen", "bezahlt", "completado", "completada", "pagado", "terminé", "payé", "completato", "completata", "pagato"],
  ...["завершено", "завершен", "выполнено", "успешно", "оплачено", "оплачен", "зачислено"],
]);

const unpaid = new Set([
  ...["refunded", "refund", "partiallyrefunded", "partialrefund", "pending", "failed", "failure", "fail", "denied", "declined", "reversed"],
  ...["reversal", "notpaid", "canceled", "cancelled", "chargeback", "chargedback"],
  ...["disputed", "dispute", "expired", "voided", "void", "unclaimed"],
  ...["uncleared", "returned", "held", "onhold", "hold", "processing", "inprogress", "unpaid", "waiting", "rejected", "error", "abandoned"],
  ...["blocked", "removed", "placed", "temporaryhold", "authorized", "incomplete", "initiated", "created"],
  ...["fraud", "fraudulent", "underreview", "paymentfailed", "awaitingpayment", "requirespaymentmethod", "uncaptured"],
  ...["ไม่อนุมัติ", "ไม่ผ่าน", "รอยืนยัน", "รออนุมัติ", "ยังไม่ยืนยัน"],
  ...["คืนเงิน", "คืนเงินแล้ว", "คืนแล้ว", "รอ", "รอดำเนินการ", "รอชำระ", "รอชำระเงิน", "รอตรวจสอบ", "รอโอน", "กำลังดำเนินการ", "อยู่ระหว่างดำเนินการ"],
  ...["ล้มเหลว", "ไม่สำเร็จ", "ทำรายการไม่สำเร็จ", "ยกเลิก", "ยกเลิกแล้ว", "ถูกยกเลิก"],
  ...["ปฏิเสธ", "ถูกปฏิเสธ", "หมดอายุ", "ค้างชำระ", "ยังไม่ชำระ", "ยังไม่จ่าย"],
  ...["ausstehend", "zurückgezahlt", "rückerstattet", "erstattet", "abgelehnt", "storniert", "fehlgeschlagen", "rückgängiggemacht"],
  ...["pendiente", "reembolsado", "rechazado", "cancelado", "fallido", "revertido", "enattente", "remboursé", "refusé", "annulé", "échoué"],
  ...["insospeso", "rimborsato", "rifiutato", "annullato", "возврат", "возвращено"],
  ...["возвращен", "отменено", "отменен", "ожидание", "вожидании"],
  ...["отклонено", "отклонен", "ошибка", "неоплачено"],
]);

const yes = new Set(["yes", "y", "true", "1", "x", "✓", "✔", "ใช่", "ja", "oui", "si", "sí", "да"]);
const no = new Set(["", "no", "n", "false", "0", "-", "ไม่", "ไม่ใช่", "nein", "non", "нет"]);

const incoming = new Set(["+", "cr", "c", "credit", "in", "incoming", "income", "ฝาก", "เข้า", "เงินเข้า", "เงินฝาก", "รับ", "รับเงิน", "รายรับ"]);
const outgoing = new Set([
  ...["-", "dr", "d", "debit", "out", "outgoing", "withdrawal", "withdraw", "expense", "expenses", "fee", "fees"],
  ...["ถอน", "ถอนเงิน", "ออก", "โอนออก", "เงินออก", "เงินถอน", "จ่าย", "จ่ายเงิน", "รายจ่าย", "ค่าธรรมเนียม"],
]);
/** In the words of a type: `Payment Refund`, `โอนเงินออก`. */
const outgoingPart = /refund|reversal|chargeback|payout|withdrawal|^sent|transferout|คืนเงิน|เงินออก|โอนออก|โอนไป|โอนเงินให้|จ่ายบิล|ชำระบิล/;

/** Types of rows whose amounts count something else than money. */
const otherUnits = new Set([
  ...["bit", "bits", "cheer", "cheers", "star", "stars", "coin", "coins", "point", "points"],
  ...["follow", "follower", "raid", "host", "sub", "resub", "subscriber", "ดาว", "แต้ม"],
]);

/** Returns the function that says which of these a row counts. */
function unitReader({ titles, places }: ColumnMap): (row: TableRow) => Found<undefined> {
  const types = titles.flatMap((title, place) => (typeNames.includes(plainName(title)) ? [place] : []));
  return ({ cells }) => {
    const unit = types.map((place) => String(cells[place] ?? "").trim()).find((type) => otherUnits.has(type.toLowerCase()));
    if (unit === undefined) return { value: undefined };
    return { value: undefined, fault: quoteFault("amount", cells[places.amount ?? -1], `is no money: the row is a “${unit}”`) };
  };
}

/** An empty cell, `-`, or a sum of nothing. */
function isNothing(cell: Cell = ""): boolean {
  return /^[\s–-]*$/.test(String(cell)) || (readAmount(String(cell)) !== null && !isSum(cell));
}

/** An amount other than 0: `Given` may also be a name. */
function isSum(cell: Cell = ""): boolean {
  const sum = readAmount(String(cell));
  return sum !== null && sum.point !== 0 && sum.comma !== 0;
}

/** By what was given back, or when. */
function isNotRefunded(text: string): boolean | null {
  const sum = readAmount(text);
  return sum ? sum.point === 0 || sum.comma === 0 : readTime(text) ? false : null;
}

/** By the plain name of the column and the word in it. Null for a word that says neither. */
function isPaid(column: string, status: string): boolean | null {
  const text = status.trim().normalize("NFC").toLowerCase();
  const answer = yes.has(text) ? true : no.has(text) ? false : null;
  const kept = refundNames.includes(column) ? (answer === null ? isNotRefunded(text) : !answer) : null;
  if (kept !== null) return kept;
  if (answer !== null && text !== "" && paymentNames.includes(column)) return answer;
  const word = signNames.includes(column) ? plainText(text) : text.replace(/[^\p{L}\p{M}\p{N}]/gu, "");
  const isDirection = directionNames.includes(column) || typeNames.includes(column);
  const [good, bad] = isDirection ? [incoming, outgoing] : [paid, unpaid];
  if (typeNames.includes(column) && (unpaid.has(word) || outgoingPart.test(word))) return false;
  return good.has(word) ? true : bad.has(word) ? false : null;
}
