// The money page: what came in, by period, over time, by donator and by channel.

import { msPerDay } from "../../base/local-days.ts";
import { currentReader } from "../../ui/reader.ts";
import type { PageHandler } from "../../ui/serve-pages.ts";
import { localDay } from "../../ui/times.ts";
import { paths } from "../paths.ts";
import type { StreamerClient } from "../streamer-client.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { type BarSize, barSizeOf, moneyPage } from "./money-page.ts";
import { type ComparedPeriod, type ComparedPeriods, spanBefore } from "./period-before.ts";

const topDonators = 10;

/** GET /studio/money */
export const showMoney = ({ accounts, client, now }: StudioDeps): PageHandler =>
  accounts.page(paths.money, async ({ account, query }) => {
    const barSize = barSizeOf(query);
    const { id } = account.streamer;
    const to = localDay(now());
    const range = { from: firstDay(barSize, to), to };
    const asked = { ...range, timezone: currentReader().timeZone };
    const [stats, trend, top, channels, before] = await Promise.all([
      client.callWithinLimit(id, "getDonationStats", { query: asked }),
      client.callWithinLimit(id, "getAmountTrends", { query: { ...asked, interval: barSize } }),
      client.callWithinLimit(id, "listTopDonators", { query: { ...asked, limit: topDonators } }),
      client.callWithinLimit(id, "getChannelBreakdown", { query: asked }),
      periodsBefore(client, id, now()),
    ]);
    const reports = { stats: stats.body.data, trend: trend.body.data, top: top.body.data, channels: channels.body.data };
    return { status: 200, html: moneyPage({ site: accounts.site, account, barSize, range, ...reports, before }), scripted: true };
  });

const minuteMs = 60_000;

/** What had come in of the day, week and month before when they were as far on. To the minute, so that answers are made once a minute. */
async function periodsBefore(client: StreamerClient, streamerId: string, now: number): Promise<ComparedPeriods> {
  const timezone = currentReader().timeZone;
  const minute = now - (now % minuteMs);
  const before = async (period: ComparedPeriod) => {
    const span = spanBefore(period, minute, timezone);
    if (span.from >= span.to) return null; // it has just begun
    const [from, to] = [new Date(span.from).toISOString(), new Date(span.to).toISOString()];
    const { body } = await client.callWithinLimit(streamerId, "getDonationStats", { query: { from, to, timezone } });
    return { ...span, total: body.data.total };
  };
  const [today, thisWeek, thisMonth] = await Promise.all([before("today"), before("thisWeek"), before("thisMonth")]);
  return { today, thisWeek, thisMonth };
}

/** The first day of 30 days, 26 weeks (from Monday) or 12 months that end with the day `to`, `2026-11-21`. */
export function firstDay(barSize: BarSize, to: string): string {
  const last = new Date(`${to}T00:00:00Z`);
  if (barSize === "month") return `${new Date(Date.UTC(last.getUTCFullYear(), last.getUTCMonth() - 11, 1)).toISOString().slice(0, 10)}`;
  const back = barSize === "day" ? 29 : 25 * 7 + ((last.getUTCDay() + 6) % 7);
  return new Date(last.getTime() - back * msPerDay).toISOString().slice(0, 10);
}
