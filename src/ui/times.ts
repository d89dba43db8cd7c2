// How instants are shown to the reader, in Thai and English and in the reader's time zone.

import { type Html, html } from "./html.ts";
import { bilingual, type Words } from "./layout.ts";
import { currentReader } from "./reader.ts";

type Format = Readonly<{ locale: string; options: Intl.DateTimeFormatOptions }>;

const day: Format = { locale: "sv-SE", options: {} };

/** The local day of an instant, `2026-11-21`; in the reader's time zone unless another one is given. */
export function localDay(ms: number, timeZone: string = currentReader().timeZone): string {
  return formatIn(timeZone, day, new Date(ms));
}

const inBoth = (options: Intl.DateTimeFormatOptions) => {
  const [thai, english]: [Format, Format] = [
    { locale: "th-TH", options },
    { locale: "en-GB", options },
  ];
  return (date: Date, timeZone = currentReader().timeZone): Words => ({
    th: formatIn(timeZone, thai, date),
    en: formatIn(timeZone, english, date),
  });
};

/** A local day of the reader in each language, without its year. */
export const formatDay = inBoth({ day: "numeric", month: "short" });

/** A local month of the reader with its year in each language. */
export const formatMonth = inBoth({ month: "short", year: "numeric" });

/** A date and time of the reader in each language. */
export const formatDateTime = inBoth({ dateStyle: "medium", timeStyle: "short" });

/** A time of day of the reader in each language. */
export const formatTime = inBoth({ hour: "2-digit", minute: "2-digit" });

/** A local day of the reader without its year, and the time. */
export const formatDayTime = inBoth({ day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

/** A local day of the reader and the time; the year where it is another one than now. */
function formatRecent(date: Date): Words {
  const isOfThisYear = localDay(date.getTime()).slice(0, 4) === localDay(Date.now()).slice(0, 4);
  return isOfThisYear ? formatDayTime(date) : formatDateTime(date);
}

/** The day, and the time to the minute, in the reader's time zone. */
export function shortTime(instant: string): Html {
  return html`<time datetime="${instant}">${bilingual(formatRecent(new Date(instant)))}</time>`;
}

const formatDaySeconds = inBoth({ day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", second: "2-digit" });

/** The day, and the time to the second, in the reader's time zone. */
export function exactTime(instant: string): Html {
  return html`<time datetime="${instant}">${bilingual(formatDaySeconds(new Date(instant)))}</time>`;
}

/** A local day of the reader with its month in words and its year. */
export const formatLongDay = inBoth({ dateStyle: "long" });

/** A local day, such as `2026-11-21`, with its month in words and its year: the same day for every reader. */
export function formatWrittenDay(day: string): Words {
  return formatLongDay(new Date(`${day}T00:00:00Z`), "UTC");
}

/** A date and time with seconds. */
export const formatExactDateTime = inBoth({ dateStyle: "medium", timeStyle: "medium" });

const units = { year: 365 * 86_400, month: 30 * 86_400, day: 86_400, hour: 3_600, minute: 60 } as const;

/** How long ago, or in how long, in the largest unit of which it is at least one. */
export function formatSince(date: Date): Words {
  const seconds = (date.getTime() - Date.now()) / 1_000;
  const [unit, length] = Object.entries(units).find(([, one]) => Math.abs(seconds) >= one) ?? ["second", Number.POSITIVE_INFINITY];
  const count = Math.trunc(seconds / length) + 0; // not -0, which would be "in 0 seconds"
  const inWords = (locale: string) => new Intl.RelativeTimeFormat(locale, { numeric: "auto" }).format(count, unit as keyof typeof units);
  return { th: inWords("th-TH"), en: inWords("en-GB") };
}

const maxKept = 200;
const kept = new Map<string, Intl.DateTimeFormat>();

/** Formats are kept, because creating one takes as long as a hundred calls. */
function formatIn(timeZone: string, { locale, options }: Format, date: Date): string {
  const name = `${timeZone} ${locale} ${JSON.stringify(options)}`;
  const format = kept.get(name) ?? new Intl.DateTimeFormat(locale, { ...options, timeZone });
  if (kept.size >= maxKept) kept.clear();
  kept.set(name, format);
  return format.format(date);
}
