// What the studio needs of imports from files.

import type { Schemas } from "../../http/operations.ts";

/** Counts of rows. In a check `recorded` is how many would be recorded. `voided`: they are void in the file, and are left out. */
export type ImportCounts = Readonly<{ rows: number; recorded: number; recordedBefore: number; voided: number; faulty: number }>;

/** `place`: of the row in its file, such as `row 7`. */
export type RowFault = Readonly<{ place: string; fault: string }>;

const sentMembers = ["createdAt", "donatorName", "amount", "currency", "message", "identifier", "idempotencyKey"] as const;

/** What a column of a file can be. The last four are in exports of this service alone. */
export const importMembers = [...sentMembers, "channel", "source", "donationId", "voidedAt"] as const;
export type ImportMember = (typeof importMembers)[number];

/** Members of a donation that no column of a file can be, each with the reason. One that is missing here and above does not compile. */
export const notImported = {
  skipAlert: "a donation of a file raises no alert",
} satisfies Record<Exclude<keyof Schemas["ExternalDonation"], ImportMember>, string>;

/** `places`: of members among the columns, from 0; null: as the names of the columns say. `timezone`: of times that have none. */
export type Upload = Readonly<{
  name: string;
  bytes: Buffer;
  places: Readonly<Partial<Record<ImportMember, number>>> | null;
  timezone: string;
}>;

/**
 * `preview` is null for a file without columns. `headerZone`: the time zone that the header names, which comes before the upload's. `counts` is
 * null while columns are missing, and when the file is `unreadable`: why.
 */
export type CheckedUpload = Readonly<{
  preview: Readonly<{
    columns: readonly Readonly<{ title: string; member: ImportMember | null }>[];
    /** The first rows, shortened. */
    rows: readonly (readonly string[])[];
  }> | null;
  headerZone: string | null;
  counts: ImportCounts | null;
  /** The first rows at fault. */
  faults: readonly RowFault[];
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
