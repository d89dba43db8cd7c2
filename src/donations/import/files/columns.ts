// What the columns of a file mean: by their names, as the exports of this service and of others have them, or as the caller says. Pure.

import { isTimeZoneName } from "../../../time/local-days.ts";
import type { DonationInput } from "../../donation.ts";
import type { Cell } from "./table.ts";

const sentMembers = ["createdAt", "donatorName", "amount", "currency", "message", "identifier", "idempotencyKey"] as const;

/** Members of a donation that a file can have, and columns that only our own export has. */
export const fileMembers = [...sentMembers, "channel", "source", "donationId", "voidedAt"] as const;
export type FileMember = (typeof fileMembers)[number];

/**
 * Members that a request can have and a file has no column for, each with the reason. A member that stands neither here nor in FileMember
 * does not compile: its values would be lost when an export is imported.
 */
export const withoutColumn = {
  skipAlert: "a donation of a file raises no alert",
} satisfies Record<Exclude<keyof DonationInput, FileMember>, string>;

/** The place of each member among the columns, from 0. */
export type Places = Partial<Record<FileMember, number>>;

type Header = readonly (Cell | undefined)[];

/** The place of each member among the columns. `isOwn`: the file is an export of this service. `timezone`: of its times, if the header says it. */
export type ColumnMap = Readonly<{ places: Readonly<Places>; isOwn: boolean; timezone: string | null }>;

/** Names of columns, letters and digits alone: ours, then those of Streamlabs and StreamElements, then what people write. */
const names: Readonly<Record<FileMember, readonly string[]>> = {
  createdAt: [
    "createdat",
    "date",
    "dateutc",
    "datetime",
    "time",
    "timestamp",
    "datecreated",
    "วันที่",
    "เวลา",
    "วันเวลา",
    "วันที่และเวลา",
    "วันที่โดเนท",
  ],
  donatorName: [
    "donator",
    "donatorname",
    "name",
    "username",
    "user",
    "from",
    "donor",
    "displayname",
    "ชื่อ",
    "ชื่อผู้โดเนท",
    "ผู้โดเนท",
    "ชื่อผู้บริจาค",
    "ผู้บริจาค",
    "ผู้สนับสนุน",
  ],
  amount: ["amount", "donation", "tip", "value", "จำนวนเงิน", "จำนวน", "ยอดเงิน", "ยอด"],
  currency: ["currency", "currencycode", "สกุลเงิน"],
  message: ["message", "comment", "note", "ข้อความ", "คอมเมนต์"],
  identifier: ["identifier", "email", "donatoremail", "useremail", "รหัสผู้โดเนท", "ตัวระบุผู้โดเนท", "ตัวระบุ", "อีเมล"],
  idempotencyKey: ["idempotencykey", "transactionid", "paymentid", "tipid", "donationid", "id"],
  channel: ["channel"],
  source: ["source"],
  donationId: [],
  voidedAt: ["voidedat"],
};

const ownColumns = ["idempotencykey", "receivedat", "donationid"];

/** `chosen`: members by the column names that the caller gave. Throws an Error for a name that the header lacks, and without name or amount. */
export function mapColumns(header: Header, chosen: ReadonlyMap<string, FileMember> = new Map()): ColumnMap {
  const titles = titlesOf(header);
  const { places: guessed, isOwn } = guessColumns(header);
  const places = { ...guessed };
  for (const [title, member] of chosen) {
    const place = titles.indexOf(title);
    if (place < 0) throw new Error(`there is no column "${title}"; there are ${titles.filter(Boolean).join(", ")}`);
    for (const other of fileMembers) if (places[other] === place) delete places[other];
    places[member] = place;
  }
  const missing = missingMembers(places);
  if (missing.length > 0)
    throw new Error(`no column for ${missing.join(" and ")}: name it with --map COLUMN=${missing[0]}; there are ${titles.join(", ")}`);
  return { places, isOwn, timezone: timezoneIn(titles[places.createdAt ?? -1] ?? "") };
}

/** The meaning of columns by their names alone, which may leave out members that a donation needs. */
export function guessColumns(header: Header): ColumnMap {
  const titles = titlesOf(header);
  const plain = titles.map(plainName);
  const isOwn = ownColumns.every((name) => plain.includes(name));
  const places: Places = {};
  for (const member of fileMembers) {
    const place = names[member].map((name) => plain.indexOf(name)).find((found) => found >= 0);
    if (place !== undefined && !(member === "channel" && !isOwn) && !(member === "source" && !isOwn)) places[member] = place;
  }
  if (isOwn) Object.assign(places, { idempotencyKey: plain.indexOf("idempotencykey"), donationId: plain.indexOf("donationid") });
  return { places, isOwn, timezone: timezoneIn(titles[places.createdAt ?? -1] ?? "") };
}

/** The meaning of columns where somebody said the place of each member. Throws an Error without name or amount. */
export function placeColumns(header: Header, places: Readonly<Places>): ColumnMap {
  const missing = missingMembers(places);
  if (missing.length > 0) throw new Error(`no column is chosen for ${missing.join(" and ")}`);
  return { places, isOwn: guessColumns(header).isOwn, timezone: timezoneIn(titlesOf(header)[places.createdAt ?? -1] ?? "") };
}

/** Members that every donation needs and that have no column. */
export function missingMembers(places: Readonly<Places>): FileMember[] {
  return (["donatorName", "amount"] as const).filter((member) => places[member] === undefined);
}

/** More than any list of donations has. The studio shows a choice for each of them. */
const maxColumns = 200;
const maxTitle = 200;

/** The names of the columns; the end of a very long one is left out. Throws an Error for too many columns. */
export function titlesOf(header: Header): string[] {
  if (header.length > maxColumns) throw new Error(`the file has more than ${maxColumns} columns`);
  return Array.from(header, (cell) => String(cell ?? "").slice(0, maxTitle)); // a sheet's row may have holes
}

/** `Created at (Asia/Bangkok)` → `createdat`. */
function plainName(title: string): string {
  return title
    .replace(/\(.*\)/, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]/gu, "");
}

/**
 * `Created at (Asia/Bangkok)` → `Asia/Bangkok`, `date_utc` → `UTC`. Null where what is in parentheses is no zone: `Date (dd/mm/yyyy)`,
 * `Time (local)`. Only `isTimeZoneName` knows the form of a name: a pattern of its parts would be tried in exponentially many ways.
 */
export function timezoneIn(title: string): string | null {
  const [, name] = /\(([A-Za-z][A-Za-z0-9/_+-]{0,63})\)/.exec(title) ?? [];
  if (name !== undefined && isTimeZoneName(name)) return name;
  return plainName(title).endsWith("utc") ? "UTC" : null;
}
