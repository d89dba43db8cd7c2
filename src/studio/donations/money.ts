// The money page: what came in, by period, over time, by donator and by channel.

import { msPerDay } from "../../base/local-days.ts";
import { erasedName } from "../../base/text.ts";
import type { Schemas } from "../../http/operations.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual } from "../../ui/layout.ts";
import { currentReader } from "../../ui/reader.ts";
import type { PageHandler } from "../../ui/serve-pages.ts";
import { formatDay, formatMonth, localDay } from "../../ui/times.ts";
import { channelLabels, formatAmount, formatCount, shownName } from "../components/donation.ts";
import { fact, type PageContext, studioPage } from "../components/frame.ts";
import { donationAddress, historyAddress, paths } from "../paths.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { type Bar, barChart } from "./bar-chart.ts";
import { type ComparedPeriods, donations, periodFacts, periodsBefore } from "./periods.ts";

const topSize = 10;

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
      client.callWithinLimit(id, "listTopDonators", { query: { ...asked, limit: topSize } }),
      client.callWithinLimit(id, "getChannelBreakdown", { query: asked }),
      periodsBefore(client, id, now()),
    ]);
    const reports = { stats: stats.body.data, trend: trend.body.data, top: top.body.data, channels: channels.body.data };
    return { status: 200, html: moneyPage({ site: accounts.site, account, barSize, range, ...reports, before }), scripted: true };
  });

/** The first day of 30 days, 26 weeks (from Monday) or 12 months that end with the day `to`, `2026-11-21`. */
export function firstDay(barSize: BarSize, to: string): string {
  const last = new Date(`${to}T00:00:00Z`);
  if (barSize === "month") return `${new Date(Date.UTC(last.getUTCFullYear(), last.getUTCMonth() - 11, 1)).toISOString().slice(0, 10)}`;
  const back = barSize === "day" ? 29 : 25 * 7 + ((last.getUTCDay() + 6) % 7);
  return new Date(last.getTime() - back * msPerDay).toISOString().slice(0, 10);
}

const barSizes = ["day", "week", "month"] as const;
/** What one bar of the chart is. */
type BarSize = (typeof barSizes)[number];

/** The size that a page's address asks for; days without one. */
function barSizeOf(query: URLSearchParams): BarSize {
  return barSizes.find((known) => known === query.get("by")) ?? "day";
}

type MoneyPage = PageContext &
  Readonly<{
    barSize: BarSize;
    /** Local days, both inclusive. */
    range: Readonly<{ from: string; to: string }>;
    stats: Schemas["DonationStats"];
    trend: Schemas["AmountTrends"];
    top: Schemas["TopDonators"];
    channels: Schemas["ChannelBreakdown"];
    /** What the periods are compared with. */
    before: ComparedPeriods;
  }>;

function moneyPage(page: MoneyPage): string {
  return studioPage({
    ...page,
    here: "/studio/money",
    title: { th: "ยอดเงิน", en: "Money" },
    content: html`<section class="card" aria-labelledby="periods">
<h2 id="periods">${bilingual({ th: "ยอดรวม", en: "Totals" })}</h2>
${periodFacts(page.stats, page.before)}
</section>
<section class="card" aria-labelledby="over-time">
<h2 id="over-time">${bilingual(spanTitles[page.barSize])}</h2>
${barSizeLinks(page)}
${page.stats.count === 0 ? nothing : html`${rangeFacts(page)}${chart(page)}`}
</section>
${page.stats.count > 0 && html`<div class="columns">${topDonators(page)}${channelShares(page)}</div>`}`,
  });
}

const spanTitles: Record<BarSize, Bilingual> = {
  day: { th: "30 วันล่าสุด", en: "Last 30 days" },
  week: { th: "26 สัปดาห์ล่าสุด", en: "Last 26 weeks" },
  month: { th: "12 เดือนล่าสุด", en: "Last 12 months" },
};
const barSizeLabels: Record<BarSize, { th: string; en: string }> = {
  day: { th: "รายวัน", en: "By day" },
  week: { th: "รายสัปดาห์", en: "By week" },
  month: { th: "รายเดือน", en: "By month" },
};
const nothing = html`<p class="note">${bilingual({ th: "ยังไม่มีโดเนทในช่วงนี้", en: "No donations in this time." })}</p>`;

function barSizeLinks({ site, barSize }: MoneyPage): Html {
  const link = (size: BarSize) =>
    html`<li><a href="${site.path(`${paths.money}?by=${size}`)}"${size === barSize && html` aria-current="true"`}>${bilingual(barSizeLabels[size])}</a></li>`;
  return html`<nav aria-label="${bilingual({ th: "ช่วงเวลา", en: "Time span" })}"><ul>${barSizes.map(link)}</ul></nav>`;
}

function rangeFacts({ site, stats, range }: MoneyPage): Html {
  const { total, count, average, median, uniqueDonators, largest, currency } = stats;
  const amount = (value: number | null) => html`${value === null ? "–" : formatAmount(value, currency)}`;
  return html`<dl>
${fact({ th: "รวม", en: "Total" }, html`<a href="${site.path(historyAddress(range))}">${amount(total)}</a> ${donations(count)}`)}
${fact({ th: "ผู้โดเนท", en: "Donators" }, html`${formatCount(uniqueDonators)}`)}
${fact({ th: "เฉลี่ย", en: "Average" }, amount(average))}
${fact({ th: "มัธยฐาน", en: "Median" }, amount(median))}
${largest && fact({ th: "มากที่สุด", en: "Largest" }, html`<a href="${site.path(donationAddress(largest.id))}">${amount(largest.amount)}</a> ${shownName(largest.donatorName)}`)}
</dl>`;
}

function chart({ site, trend, barSize }: MoneyPage): Html {
  const bar = ({ from, to, total, count }: Schemas["AmountPoint"]): Bar => {
    const days = { from: localDay(Date.parse(from)), to: localDay(Date.parse(to) - 1) };
    const name = barSize === "month" ? formatMonth(new Date(from)) : formatDay(new Date(from));
    const shown = html`${formatAmount(total, trend.currency)} ${donations(count)}`;
    return { value: total, name, shown, href: site.path(historyAddress(days)) };
  };
  const name = { day: { th: "วัน", en: "Day" }, week: { th: "สัปดาห์ที่เริ่ม", en: "Week of" }, month: { th: "เดือน", en: "Month" } }[barSize];
  const format = (value: number) => formatAmount(value, trend.currency);
  const caption = { th: `ยอดโดเนท${barSizeLabels[barSize].th}`, en: `Amounts ${barSizeLabels[barSize].en.toLowerCase()}` };
  return barChart({ bars: trend.points.map(bar), axis: { name, value: { th: "ยอด", en: "Amount" } }, caption, format });
}

function topDonators({ site, top, range }: MoneyPage): Html {
  const entry = ({ name, identifier, total, count }: Schemas["TopDonator"]) => {
    const all = site.path(historyAddress({ ...range, ...(identifier === null ? { q: name } : { identifier }) }));
    return html`<li class="narrow"><span class="entry">${name === erasedName ? shownName(name) : html`<a href="${all}">${shownName(name)}</a>`}</span><span class="figure">${formatAmount(total, top.currency)} ${donations(count)}</span></li>`;
  };
  return html`<section class="card" aria-labelledby="top">
<h2 id="top">${bilingual({ th: "ผู้โดเนทสูงสุด", en: "Top donators" })}</h2>
<ol class="entries">${top.donators.map(entry)}</ol>
</section>`;
}

function channelShares({ site, channels, range }: MoneyPage): Html {
  const used = channels.channels.filter(({ count }) => count > 0);
  const entry = ({ channel, total, count, percentage }: Schemas["ChannelShare"]) =>
    html`<li class="narrow"><span class="entry"><a href="${site.path(historyAddress({ ...range, channel }))}">${bilingual(channelLabels[channel])}</a></span><span class="figure">${formatAmount(total, channels.currency)} ${donations(count)}</span>
<svg class="share" viewBox="0 0 100 1" preserveAspectRatio="none" role="img" aria-label="${percentage} %"><rect class="whole" width="100" height="1"/><rect width="${percentage}" height="1"/></svg></li>`;
  return html`<section class="card" aria-labelledby="channels">
<h2 id="channels">${bilingual({ th: "ช่องทาง", en: "Channels" })}</h2>
<ul class="entries">${used.map(entry)}</ul>
</section>`;
}
