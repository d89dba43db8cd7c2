// What a person may say of a file that its bytes leave open.

/** Names as TextDecoder takes them. */
export const encodings = ["utf-8", "utf-16le", "utf-16be", "windows-874", "windows-1252"] as const;
export type Encoding = (typeof encodings)[number];

export const separators = [",", ";", "\t", "|"] as const;
export type Separator = (typeof separators)[number];

/** Null: as the file shows it. `withUnpaid`: rows whose status says that they were not paid are recorded too. */
export type FileChoices = Readonly<{
  encoding: Encoding | null;
  separator: Separator | null;
  sheet: string | null;
  dateOrder: "day-first" | "month-first" | null;
  decimal: "point" | "comma" | null;
  withUnpaid: boolean;
}>;

export const noChoices: FileChoices = {
  encoding: null,
  separator: null,
  sheet: null,
  dateOrder: null,
  decimal: null,
  withUnpaid: false,
};
