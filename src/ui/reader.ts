// The reader that pages are written for. It belongs to the request, so that pages and handlers need not pass it along.

import { AsyncLocalStorage } from "node:async_hooks";
import { defaultTimezone } from "../http/contract/published.ts";

export const languages = ["th", "en"] as const;
export type Language = (typeof languages)[number];

export type Reader = Readonly<{
  language: Language;
  /** Of the IANA database; days and times are local to it. */
  timeZone: string;
  /** Where the switch of the language sends its form, and the page that it leads back to; null: the page has no switch. */
  languageSwitch: Readonly<{ action: string; back: string }> | null;
}>;

/** Who reads what is written outside of a request, such as the page of a unit test. */
const someone: Reader = { language: "th", timeZone: defaultTimezone, languageSwitch: null };

const readers = new AsyncLocalStorage<Reader>();

export function currentReader(): Reader {
  return readers.getStore() ?? someone;
}

/** Runs `write`, whose pages are written for the current reader with these changes. */
export function writeFor<Result>(changes: Partial<Reader>, write: () => Result): Result {
  return readers.run({ ...currentReader(), ...changes }, write);
}
