// The reader that pages are written for. It belongs to the request, so that pages and handlers need not pass it along.

import { AsyncLocalStorage } from "node:async_hooks";
import { defaultTimezone } from "../http/contract/published.ts";

export const languages = ["th", "en"] as const;
export type Language = (typeof languages)[number];

export const themes = ["light", "dark"] as const;
export type Theme = (typeof themes)[number];

export type Reader = Readonly<{
  language: Language;
  /** Of the IANA database; days and times are local to it. */
  timeZone: string;
  /** The colours that the reader has chosen; null: those of the system. */
  theme: Theme | null;
  /** How paths of this server are addressed, for the switches of language and theme, and the page that they lead back to; null: the page has none. */
  switches: Readonly<{ path: (path: string) => string; back: string }> | null;
}>;

/** Who reads what is written outside of a request, such as the page of a unit test. */
const someone: Reader = { language: "th", timeZone: defaultTimezone, theme: null, switches: null };

const readers = new AsyncLocalStorage<Reader>();

export function currentReader(): Reader {
  return readers.getStore() ?? someone;
}

/** Runs `write`, whose pages are written for the current reader with these changes. */
export function writeFor<Result>(changes: Partial<Reader>, write: () => Result): Result {
  return readers.run({ ...currentReader(), ...changes }, write);
}
