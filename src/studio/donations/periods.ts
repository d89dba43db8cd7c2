// Today, this week and this month, each against the span before that was as far on.

import { dayAt, msPerDay, startOfDay, type Zone, zoneOf } from "../../base/local-days.ts";
import type { Schemas } from "../../http/operations.ts";
import { firstDayOf } from "../../reports/calendar.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual, type Words } from "../../ui/layout.ts";
import { currentReader } from "../../ui/reader.ts";
import { formatDayTime, formatTime } from "../../ui/times.ts";
import { countWords, formatAmount } from "../components/donation.ts";
import { fact } from "../components/frame.ts";
import type { StreamerClient } from "../streamer-client.ts";

const minuteMs = 60_000;

/** Reports are asked for to the minute, so that their answers are made once a minute. */
export function minuteOf(now: number): number {
  return now - (now % minuteMs);
}

/** What had come in of the day, week and month before when they were as far on. */
export async function periodsBefore(client: StreamerClient, streamerId: string, now: number): Promise<ComparedPeriods> {
  const timezone = currentReader().timeZone;
  const minute = minuteOf(now);
  const before = async (period: ComparedPeriod) => {
    const span = spanBefore(period, minute, timezone);
    if (span.from >= span.to) return null; // it has just begun
    const [from, to] = [new Date(span.from).toISOString(), new Date(span.to).toISOString()];
    const { body } = await client.call(streamerId, "getDonationStats", { query: { from, to, timezone } });
    return { ...span, total: body.data.total };
  };
  const [today, thisWeek, thisMonth] = await Promise.all([before("today"), before("thisWeek"), before("thisMonth")]);
  return { today, thisWeek, thisMonth };
}

/** Periods as a row of figures, those that have one before against it. */
export function periodFacts({ periods, currency }: Schemas["DonationStats"], before: ComparedPeriods, names = periodNames): Html {
  const amount = (total: number) => formatAmount(total, currency);
  const shown = (period: keyof typeof words) => {
    const { total, count } = periods[period];
    const comparison = period !== "allTime" && compared(total, { period, before: before[period], amount });
    return fact(
      words[period],
      html`<strong class="sum">${amount(total)}</strong> <small>${bilingual(countWords(count))}</small>${comparison}`,
    );
  };
  return html`<dl class="figures">${names.map(shown)}</dl>`;
}

const words = {
  today: { th: "วันนี้", en: "Today" },
  thisWeek: { th: "สัปดาห์นี้", en: "This week" },
  thisMonth: { th: "เดือนนี้", en: "This month" },
  allTime: { th: "ทั้งหมด", en: "All time" },
} as const;
const periodNames = Object.keys(words) as readonly (keyof typeof words)[];
/** Periods that have one before. */
export const comparedPeriods = ["today", "thisWeek", "thisMonth"] as const;

type Comparison = Readonly<{ period: ComparedPeriod; before: ComparedPeriods[ComparedPeriod]; amount: (total: number) => string }>;

/** The growth against the period before when it was as far on; null where nothing had come in then. */
function compared(total: number, { period, before, amount }: Comparison): Html | null {
  if (!before || before.total === 0) return null;
  const than = before.isWhole ? wholeMonth : spansBefore[period](new Date(before.to));
  const words = { th: `เทียบ ${amount(before.total)} ${than.th}`, en: `against ${amount(before.total)} ${than.en}` };
  return html`<small>${growthMark(total, before.total)} ${bilingual(words)}</small>`;
}

/** How much a total is above or below the one before, which is not 0. */
export function growthMark(total: number, before: number): Html {
  const percent = 100 * (total / before - 1);
  const way = Math.round(percent) === 0 ? "" : percent < 0 ? " down" : " up";
  return html`<span class="growth${way}">${bilingual(growth(percent))}</span>`;
}

const wholeMonth: Words = { th: "ทั้งเดือนก่อน", en: "in the whole month before" };
const spansBefore: Record<ComparedPeriod, (to: Date) => Words> = {
  today: (to) => until({ th: "เมื่อวานถึง", en: "yesterday until" }, formatTime(to)),
  thisWeek: (to) => until({ th: "สัปดาห์ก่อนถึง", en: "last week until" }, formatDayTime(to)),
  thisMonth: (to) => until({ th: "เดือนก่อนถึง", en: "last month until" }, formatDayTime(to)),
};

function until(words: Words, time: Words): Words {
  return { th: `${words.th} ${time.th}`, en: `${words.en} ${time.en}` };
}

/** In percent; from ten times more on as a factor, and beyond a thousand without a figure, because nearly nothing came in before. */
function growth(percent: number): Bilingual {
  const rounded = (value: number) => value.toLocaleString("en", { maximumFractionDigits: 0 });
  const factor = 1 + percent / 100;
  if (factor > 1_000) return { th: "มากกว่า 1,000 เท่า", en: "> 1,000×" };
  if (factor >= 10) return { th: `${rounded(factor)} เท่า`, en: `${rounded(factor)}×` };
  const signed = `${Math.round(percent) > 0 ? "+" : ""}${rounded(Math.round(percent) || 0)}%`;
  return { th: signed, en: signed };
}

type ComparedPeriod = (typeof comparedPeriods)[number];

/** Instants in milliseconds since 1970; `to` is excluded. `isWhole`: the month before has no such day, and all of it is compared. */
type SpanBefore = Readonly<{ from: number; to: number; isWhole: boolean }>;

/** `total`: of the donations in the span. Null where a period has just begun. */
export type ComparedPeriods = Readonly<Record<ComparedPeriod, (SpanBefore & Readonly<{ total: number }>) | null>>;

/**
 * The span before a period that is as far on as the period is now: yesterday until this time of day, last week until this weekday and time,
 * last month until this day and time.
 */
export function spanBefore(period: ComparedPeriod, now: number, timeZone: string): SpanBefore {
  const zone = zoneOf(timeZone);
  const today = dayAt(now, zone);
  if (period === "today") return { from: startOfDay(today - 1, zone), to: sameTimeOn(today - 1, now, zone), isWhole: false };
  if (period === "thisWeek") {
    const monday = firstDayOf("week", today);
    return { from: startOfDay(monday - 7, zone), to: sameTimeOn(today - 7, now, zone), isWhole: false };
  }
  const first = firstDayOf("month", today);
  const before = firstDayOf("month", first - 1);
  const same = before + (today - first);
  const isWhole = same >= first;
  return { from: startOfDay(before, zone), to: isWhole ? startOfDay(first, zone) : sameTimeOn(same, now, zone), isWhole };
}

/** The instant when clocks show on this local day what they show now. */
export function sameTimeOn(day: number, now: number, zone: Zone): number {
  const offset = zone.offsetAt(now);
  const guess = now + (day - dayAt(now, zone)) * msPerDay;
  return Math.max(guess + offset - zone.offsetAt(guess), startOfDay(day, zone));
}
