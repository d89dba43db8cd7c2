// What the studio needs of imports from files.

import type { Schemas } from "../../http/operations.ts";

/**
 * Counts of rows. In a check `recorded` is how many would be recorded. `voided` and `unpaid`: they are void in the file, or were not paid, and
 * are left out. `ahead`: of the others, how many are dated more than a day ahead.
 */
export type ImportCounts = Readonly<{
  rows: number;
  recorded: number;
  recordedBefore: number;
  voided: number;
  unpaid: number;
  faulty: number;
  ahead: number;
}>;

/** `place`: of the row in its file, such as `row 7`. */
export type RowFault = Readonly<{ place: string; fault: string }>;

const sentMembers = ["createdAt", "donatorName", "amount", "currency", "message", "identifier", "idempotencyKey"] as const;

/** What a column of a file can be. The last four are in exports of this service alone. */
export const importMembers = [...sentMembers, "timeOfDay", "timeZone", "status", "channel", "source", "donationId", "voidedAt"] as const;
export type ImportMember = (typeof importMembers)[number];

/** Members of a donation that no column of a file can be, each with the reason. One that is missing here and above does not compile. */
export const notImported = {
  skipAlert: "a donation of a file raises no alert",
} satisfies Record<Exclude<keyof Schemas["ExternalDonation"], ImportMember>, string>;

/** Null: as the file shows it. `withUnpaid`: rows that were not paid, as their status says, are recorded too. */
export type FileChoices = Readonly<{
  encoding: "utf-8" | "utf-16le" | "utf-16be" | "windows-874" | "windows-1252" | null;
  separator: "," | ";" | "\t" | "|" | null;
  sheet: string | null;
  dateOrder: "day-first" | "month-first" | null;
  decimal: "point" | "comma" | null;
  withUnpaid: boolean;
}>;

/** `places`: of members among the columns, from 0; null: as the names of the columns say. `timezone`: of times that have none. */
export type Upload = Readonly<{
  name: string;
  bytes: Buffer;
  places: Readonly<Partial<Record<ImportMember, number>>> | null;
  timezone: string;
  choices: FileChoices;
}>;

/**
 * How a file is read. `dateOrder` and `decimal`: null where no value needs them, and where they are a question. `zone`: of times that name none:
 * a column, or the title of one, comes before the upload's choice. `questions`: what the streamer must answer first.
 */
export type FileReading = Readonly<{
  encoding: FileChoices["encoding"];
  separator: FileChoices["separator"];
  sheets: readonly Readonly<{ name: string; isHidden: boolean }>[];
  sheet: string | null;
  headerRow: number;
  dateOrder: FileChoices["dateOrder"];
  decimal: FileChoices["decimal"];
  zone: Readonly<{ name: string; from: "header" | "column" | "choice" }>;
  questions: readonly ("sheet" | "dateOrder" | "decimal")[];
}>;

/** `cells`: as the file has them, shortened. `donation`: as it would be recorded; null for a row that is left out, at fault or not yet read. */
export type PreviewRow = Readonly<{
  place: string;
  cells: readonly string[];
  donation: Readonly<{
    donatorName: string;
    amount: number;
    createdAt: string | null;
    localTime: string | null;
    message: string | null;
  }> | null;
  isVoided: boolean;
  isUnpaid: boolean;
  faults: readonly string[];
}>;

/**
 * `preview` is null for a file without columns. `counts` is null while columns are missing or questions are open, and when the file is
 * `unreadable`: why. `ahead`: the first rows that are dated more than a day ahead.
 */
export type CheckedUpload = Readonly<{
  preview: Readonly<{
    reading: FileReading;
    columns: readonly Readonly<{ title: string; member: ImportMember | null }>[];
    rows: readonly PreviewRow[];
  }> | null;
  counts: ImportCounts | null;
  /** The first rows at fault. */
  faults: readonly RowFault[];
  ahead: readonly string[];
  unreadable: string | null;
}>;

/** `name`: of the file; null: brought along by the API. Times in milliseconds since 1970. */
export type ImportSummary = Readonly<{ id: string; name: string | null; startedAt: number; undoneAt: number | null; donations: number }>;

export type ImportProgress = Readonly<{
  state: "running" | "done" | "stopped";
  counts: ImportCounts;
  faults: readonly RowFault[];
  /** Why it stopped, if that is known. */
  failure: string | null;
}>;

/** The streamer's imports. Ids may have any form: of what is not one there is no import. */
export type Imports = Readonly<{
  /** Records nothing. Throws rate_limited while other files are read. */
  check: (streamerId: string, upload: Upload) => Promise<CheckedUpload>;
  /** Begins to import, and resolves to the import's id. Throws rate_limited, as `check`. */
  start: (streamerId: string, upload: Upload) => Promise<string>;
  /** Of a file that was uploaded; null when there is no such import. */
  findProgress: (streamerId: string, importId: string) => Promise<ImportProgress | null>;
  find: (streamerId: string, importId: string) => Promise<ImportSummary | null>;
  /** The latest that recorded anything, newest first. */
  list: (streamerId: string) => Promise<readonly ImportSummary[]>;
  /** Voids every donation of the import. Resolves to how many; null when there is no such import. */
  undo: (streamerId: string, importId: string) => Promise<number | null>;
}>;
