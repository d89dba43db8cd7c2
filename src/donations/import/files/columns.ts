// What the columns of a file mean: by their names, as the exports of this service and of others have them, or as the caller says. Pure.

import type { DonationInput } from "../../donation.ts";
import { splitCurrency } from "./amounts.ts";
import { columnNames, columnPatterns, givenNames, ownNames, signNames } from "./column-names.ts";
import type { Cell, DateOrder } from "./table.ts";
import { readZone } from "./zones.ts";

const sentMembers = ["createdAt", "donatorName", "amount", "currency", "message", "identifier", "idempotencyKey"] as const;

/**
 * Members of a donation that a file can have; the family name beside the first; whether the name is kept back; the columns beside a date with
 * the time of day and the zone; whether it was paid; and columns that only our own export has.
 */
export const fileMembers = [
  ...sentMembers,
  ...(["familyName", "isAnonymous", "timeOfDay", "timeZone", "status", "channel", "source", "donationId", "voidedAt"] as const),
] as const;
export type FileMember = (typeof fileMembers)[number];

/**
 * Members that a request can have and a file has no column for, each with the reason. A member that stands neither here nor in FileMember
 * does not compile: its values would be lost when an export is imported.
 */
export const withoutColumn = {
  skipAlert: "a donation of a file raises no alert",
} satisfies Record<Exclude<keyof DonationInput, FileMember>, string>;

/** The names of each member's column. One that is missing does not compile. */
const names: Readonly<Record<FileMember, readonly string[]>> = columnNames;
const patterns: Partial<Record<FileMember, RegExp>> = columnPatterns;

/** The place of each member among the columns, from 0. */
export type Places = Partial<Record<FileMember, number>>;

export type Header = readonly (Cell | undefined)[];

/**
 * `isOwn`: the file is an export of this service. What the title of the chosen column says: `timezone`, as it is written there, of the times;
 * `dateOrder` of the dates; `currency` of the amounts, if it is not baht.
 */
export type ColumnMap = Readonly<{
  titles: readonly string[];
  places: Readonly<Places>;
  isOwn: boolean;
  timezone: string | null;
  dateOrder: DateOrder | null;
  currency: string | null;
}>;

/** `chosen`: members by the column names that the caller gave. Throws an Error for a name that the header lacks. */
export function mapColumns(header: Header, chosen: ReadonlyMap<string, FileMember>): ColumnMap {
  const titles = titlesOf(header);
  const places = { ...withoutDoubles(guessColumns(header)).places };
  for (const [title, member] of chosen) {
    const place = titles.findIndex((one) => one === title || one.trim() === title.trim());
    if (place < 0) throw new Error(`there is no column "${title}"; there are ${titles.filter(Boolean).join(", ")}`);
    for (const other of fileMembers) if (places[other] === place) delete places[other];
    places[member] = place;
  }
  return mapOf(titles, places);
}

/** `isOwn`: of our own export, whose names are all listed. */
function placeOf(member: FileMember, plain: readonly string[], isOwn: boolean): number | undefined {
  const named = names[member].map((name) => plain.indexOf(name)).find((at) => at >= 0);
  const alike = plain.findIndex((title) => !isOwn && patterns[member]?.test(title));
  return named ?? (alike >= 0 ? alike : undefined);
}

/** The meaning of columns by their names alone, which may leave out members that a donation needs. */
export function guessColumns(header: Header): ColumnMap {
  const titles = titlesOf(header);
  const isOwn = isOwnHeader(titles.map(plainName));
  const inOneLanguage = titles.map(firstLanguage);
  const plain = inOneLanguage.map(plainName);
  const places: Places = {};
  for (const member of fileMembers) {
    const place = member === "amount" ? amountPlace(inOneLanguage) : placeOf(member, plain, isOwn);
    if (place !== undefined && (isOwn || (member !== "channel" && member !== "source"))) places[member] = place;
  }
  if (isOwn)
    Object.assign(places, {
      idempotencyKey: placeNamed(plain, ownNames.idempotencyKey),
      donationId: placeNamed(plain, ownNames.donationId),
    });
  if (!givenNames.includes(plain[places.donatorName ?? -1] ?? "")) delete places.familyName;
  return mapOf(titles, withTimes(places, plain));
}

/** `ชื่อ / Name` → `ชื่อ`, where both mean the same member. */
function firstLanguage(title: string): string {
  const pieces = title.split(/[/\n]|(?<=[ก-๛]) (?=[A-Za-z])|(?<=[A-Za-z]) (?=[ก-๛])/).filter((piece) => plainName(piece) !== "");
  const [first = "", ...others] = pieces;
  const member = others.length > 0 ? memberNamed(first) : undefined;
  return member !== undefined && others.every((piece) => memberNamed(piece) === member) ? first : title;
}

function memberNamed(title: string): FileMember | undefined {
  const plain = plainName(title);
  if (names.amount.includes(amountTitle(title).name)) return "amount";
  return fileMembers.find((member) => names[member].includes(plain) || patterns[member]?.test(plain));
}

/** Without the name, the amount and the time where two columns have the title: which of them is meant only the person knows. */
export function withoutDoubles({ places, titles }: ColumnMap): ColumnMap {
  const sure = { ...places };
  for (const member of [...needed, "createdAt"] as const) {
    const keyOf = (title: string) =>
      member === "amount" ? JSON.stringify(amountTitle(title)) : plainName(title) + (member === "createdAt" ? timezoneIn(title) : "");
    const keys = titles.map((title) => (member === "amount" && otherAmount.test(title) ? "" : keyOf(title)));
    if (keys.filter((key) => key === keys[places[member] ?? -1]).length > 1) delete sure[member];
  }
  return mapOf(titles, sure);
}

/** The meaning of columns where somebody said the place of each member. */
export function placeColumns(header: Header, places: Readonly<Places>): ColumnMap {
  return mapOf(titlesOf(header), places);
}

function mapOf(titles: readonly string[], places: Readonly<Places>): ColumnMap {
  const titleOf = (member: FileMember) => titles[places[member] ?? -1] ?? "";
  return {
    titles,
    places,
    isOwn: isOwnHeader(titles.map(plainName)),
    timezone: timezoneIn(titleOf("createdAt")) ?? timezoneIn(titleOf("timeOfDay")),
    dateOrder: dateOrderIn(titleOf("createdAt")),
    currency: splitCurrency(titleOf("amount")).currency || null,
  };
}

function isOwnHeader(plain: readonly string[]): boolean {
  return Object.values(ownNames).every((names) => placeNamed(plain, names) >= 0);
}

function placeNamed(plain: readonly string[], names: readonly string[]): number {
  return plain.findIndex((title) => names.includes(title));
}

/**
 * Of several columns of one name that in baht comes first, `THB` alone next, and one in another currency last. A number of things is none where
 * a price is.
 */
function amountPlace(titles: readonly string[]): number | undefined {
  const columns = titles.map((title, place) => ({ place, isAmount: !otherAmount.test(title), ...amountTitle(title) }));
  const hasPrice = titles.some((title) => /ราคา|รวม|มูลค่า|ของขวัญ|สินค้า|เหรียญ/.test(title));
  const rankOf = (currency: string | null) => (currency === "" ? 0 : currency === null ? 1 : 2);
  for (const rank of [0, 1, 2])
    for (const name of rank === 0 ? [...names.amount, ""] : names.amount) {
      const found = columns.find((one) => one.isAmount && one.name === name && rankOf(one.currency) === rank);
      if (found && !(hasPrice && name === "จำนวน")) return found.place;
    }
  return undefined;
}

/** What brackets say of a column that has no amounts of donations: `ยอดเงิน (คงเหลือ)`, `Amount (Bits)`, `จำนวนเงิน (พันบาท)`. */
const otherAmount =
  /[([（][^)\]）]*(?:คงเหลือ|ถอน|ออก|ค่าธรรมเนียม|พัน|ล้าน|ดาว|แต้ม|balance|debit|withdraw|out\b|fee|thousand|million|coins?\b|bits?\b|stars?\b|points?\b)/i;

/** The plain name of a title without its currency, and the currency. */
function amountTitle(title: string): Readonly<{ name: string; currency: string | null }> {
  const { name, currency } = splitCurrency(title);
  return { name: plainName(name), currency };
}

/** A column `Time` is the time of day beside a date. Without one it is the whole time, and beside a whole time it says nothing new. */
function withTimes(places: Places, plain: readonly string[]): Places {
  const { timeOfDay, ...others } = places;
  const isWhole = timeOfDay === places.createdAt || /time|เวลา|врем/.test(plain[places.createdAt ?? -1] ?? "");
  return isWhole || timeOfDay === undefined ? others : { ...others, timeOfDay };
}

/** Throws an Error where a column for a name or an amount is missing. `isChosen`: somebody said the place of each member. */
export function requireMembers({ places, titles }: ColumnMap, isChosen: boolean): void {
  const missing = missingMembers(places);
  if (missing.length === 0) return;
  if (isChosen) throw new Error(`no column is chosen for ${missing.join(" and ")}`);
  const there = titles.filter(Boolean).join(", ");
  throw new Error(`no column for ${missing.join(" and ")}: name it with --map COLUMN=${missing[0]}; there are ${there}`);
}

/** Members that every donation needs. */
const needed = ["donatorName", "amount"] as const;

/** Of these, the ones that have no column. */
export function missingMembers(places: Readonly<Places>): FileMember[] {
  return needed.filter((member) => places[member] === undefined);
}

/** More than any list of donations has. The studio shows a choice for each of them. */
export const maxColumns = 200;
const maxTitle = 200;

/** The names of the columns; the end of a very long one is left out. Throws an Error for too many columns. */
export function titlesOf(header: Header): string[] {
  if (header.length > maxColumns) throw new Error(`the file has more than ${maxColumns} columns`);
  return Array.from(header, (cell) => String(cell ?? "").slice(0, maxTitle)); // a sheet's row may have holes
}

/** A zone behind a title, `Date UTC+2`, `Time PST`. One that is not known is written as most are, `Date IST`: `Transaction Date` names none. */
function behindTitle(title: string): string | null {
  const [, zone = ""] = /[\s_-]((?:UTC|GMT) ?[-+−]?[\d:]*|[A-Z]{3,4})$/i.exec(title.trim()) ?? [];
  return readZone(zone) || /^(?:UTC|GMT|(?!GIFT|LAST|NEXT|POST|SENT)[A-Z]{2,3}T$)/.test(zone) ? zone : null;
}

/** `Created at (Asia/Bangkok)`, `Created at UTC+7` → `createdat`. A sign is a name, `+/-`. */
export function plainName(title: string): string {
  if (signNames.includes(title.replaceAll(" ", ""))) return title.replaceAll(" ", "");
  const behind = behindTitle(title);
  return title
    .trim()
    .slice(0, behind ? -behind.length : undefined)
    .normalize("NFC")
    .replace(/[([（][^)\]）]*[)\]）]/g, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]/gu, "");
}

export function textsInBrackets(title: string): string[] {
  return Array.from(title.matchAll(/[([（]([^)\]）]*)[)\]）]/g), ([, text = ""]) => text);
}

/**
 * The zone that a title names, as it is written: `Created at (Asia/Bangkok)`, `Date (UTC+2)`, `date_utc`. Also one that is not known, so that
 * the times are refused. Null where what is in parentheses is no zone: `Date (dd/mm/yyyy)`, `Time (local)`.
 */
export function timezoneIn(title: string): string | null {
  const inside = textsInBrackets(title);
  const pieces = [...inside, ...inside.flatMap((text) => text.split(/[,;]/))].map((text) => text.trim());
  const zone = pieces.find((piece) => readZone(piece) !== null) ?? pieces.find(isUnknownZone) ?? behindTitle(title);
  return zone ?? (plainName(title).endsWith("utc") ? "UTC" : null);
}

/** `XYZ`, `Asia/Atlantis`, `UTC+99`, `Lunar time`: written as a zone is, unlike `Paid`. */
function isUnknownZone(text: string): boolean {
  if (/^(?:(?:my |your )?local(?: time)?|time|24[- ]?h(?:ours?)?(?: time)?|[dmyhsa/.: -]+|BE|AD|CE|ISO(?: ?8601)?|TH|EN)$/i.test(text))
    return false;
  return (
    /^[A-Z]{2,5}$/.test(text) ||
    (/^(?:UTC|GMT)\b|^[A-Z][a-z]+\/[A-Z][A-Za-z_]+$|\b(?:time|zone)\b|^(?:ตาม)?เวลา.|เขตเวลา/i.test(text) && !/^[a-z]{2,5}$/.test(text))
  );
}

/** `Date (dd/mm/yyyy)`, `วันที่ (วว/ดด/ปปปป)`, `Date (yy/mm/dd)` */
function dateOrderIn(title: string): DateOrder | null {
  if (/(?<!y)yy[-/. ]?mm[-/. ]?dd|(?<!ป)ปป[-/. ]?ดด[-/. ]?วว/i.test(title)) return "year-first";
  if (/d{1,2}[-/. ]?m{1,4}[-/. ]?y{2,4}|(?<![a-z])dmy(?![a-z])|วว[-/. ]?ดด/i.test(title)) return "day-first";
  return /m{1,4}[-/. ]?d{1,2}[-/. ]?y{2,4}|(?<![a-z])mdy(?![a-z])|ดด[-/. ]?วว/i.test(title) ? "month-first" : null;
}
