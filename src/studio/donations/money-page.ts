// What the money page looks like: figures of periods, the chosen span with its chart, and tables of donators and channels.

import { erasedName } from "../../base/text.ts";
import type { Schemas } from "../../http/operations.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual, type Words } from "../../ui/layout.ts";
import type { PageReply } from "../../ui/serve-pages.ts";
import { formatDay, formatMonth, formatWrittenDay, localDay } from "../../ui/times.ts";
import { livePart } from "../alerts/live-alerts.ts";
import { channelLabels, countWords, formatAmount, formatNumber, shownName } from "../components/donation.ts";
import { dateField, type FieldFaults, faultSummary } from "../components/fields.ts";
import { emptyState, fact, type PageContext, staleLine, studioPage } from "../components/frame.ts";
import { addressOf, donationAddress, donatorAddress, historyAddress, paths } from "../paths.ts";
import { type Bar, barChart, barTable, type Scale, scales } from "./bar-chart.ts";
import { type ComparedPeriods, growthMark, periodFacts } from "./periods.ts";
import { daysOf, type MoneySpan, type SpanName, spanNames } from "./spans.ts";

export type Money = PageContext &
  Readonly<{
    span: MoneySpan;
    scale: Scale;
    stats: Schemas["DonationStats"];
    /** Of as many days before; null when these have just begun. */
    earlier: Schemas["DonationStats"] | null;
    trend: Schemas["AmountTrends"];
    top: Schemas["TopDonators"];
    channels: Schemas["ChannelBreakdown"];
    /** What the periods are compared with. */
    before: ComparedPeriods;
  }>;

/** A span that is at fault has no reports. */
export type MoneyFaults = PageContext & Pick<Money, "span" | "scale"> & Readonly<{ faults: FieldFaults }>;

const title = { th: "ยอดเงิน", en: "Money" };

export function moneyPage(page: Money | MoneyFaults): PageReply {
  const { site, span, scale } = page;
  const here = { ...page, here: paths.money, title };
  if ("faults" in page)
    return studioPage({ ...here, status: 400, content: html`${spanLinks(page)}<section class="card">${ownSpan(page)}</section>` });
  const part = moneyParts(page);
  return studioPage({
    ...here,
    content: html`<div data-source="${site.path(moneyAddress(span, scale, paths.moneyNow))}" data-every="10000">
${staleLine}
<section class="card" aria-label="${bilingual({ th: "ยอดรวม", en: "Totals" })}">${part.periods}</section>
<section class="card" aria-labelledby="over-time">
<div class="titled"><h2 id="over-time">${bilingual(spanTitle(span))}</h2>${spanLinks(page)}</div>
${span.name === "own" && ownSpan({ ...page, faults: {} })}
${part.figures}
<div class="titled">${againstWhat(page)}${scaleLinks(page)}</div>
${part.chart}
<details><summary>${bilingual({ th: "ดูเป็นตาราง", en: "Show as a table" })}</summary>${part.table}</details>
</section>
${part.rankings}
</div>`,
  });
}

/** The live parts, which are the same for the same state. */
export function moneyParts(page: Money): Record<"periods" | "figures" | "chart" | "table" | "rankings", Html> {
  const { stats, before, trend, span, scale } = page;
  const { interval } = span;
  const bars = trend.points.map((point) => barOf(page, point));
  const caption = { th: `ยอดโดเนท${intervals[interval].th}`, en: `Amounts ${intervals[interval].en}` };
  const format = (value: number) => formatAmount(value, trend.currency);
  const isEmpty = stats.count === 0;
  return {
    periods: livePart("periods", periodFacts(stats, before)),
    figures: livePart("figures", !isEmpty && spanFacts(page)),
    chart: livePart("chart", isEmpty ? nothing : barChart({ bars, scale, caption, format })),
    table: livePart(
      "table",
      !isEmpty && barTable({ bars, caption, columns: { name: intervals[interval].name, value: { th: "ยอด", en: "Amount" } } }),
    ),
    rankings: livePart("rankings", !isEmpty && html`<div class="columns">${topDonators(page)}${channelShares(page)}</div>`),
  };
}

const nothing = emptyState(
  "banknote",
  { th: "ยังไม่มีโดเนทในช่วงนี้", en: "No donations in this time" },
  bilingual({ th: "เลือกช่วงอื่น หรือรอรายการแรก", en: "Choose another span, or wait for the first one." }),
);

const intervals = {
  day: { th: "รายวัน", en: "by day", name: { th: "วัน", en: "Day" } },
  week: { th: "รายสัปดาห์", en: "by week", name: { th: "สัปดาห์ที่เริ่ม", en: "Week of" } },
  month: { th: "รายเดือน", en: "by month", name: { th: "เดือน", en: "Month" } },
  year: { th: "รายปี", en: "by year", name: { th: "ปี", en: "Year" } },
} as const satisfies Record<MoneySpan["interval"], unknown>;

const spanWords: Record<SpanName, Words> = {
  "7": { th: "7 วัน", en: "7 days" },
  "30": { th: "30 วัน", en: "30 days" },
  "90": { th: "90 วัน", en: "90 days" },
  year: { th: "1 ปี", en: "Year" },
  own: { th: "กำหนดเอง", en: "Own" },
};

function spanTitle({ name, from, to }: MoneySpan): Bilingual {
  if (name === "year") return { th: "52 สัปดาห์ล่าสุด", en: "Last 52 weeks" };
  if (name !== "own") return { th: `${spanWords[name].th}ล่าสุด`, en: `Last ${spanWords[name].en}` };
  const [first, last] = [from, to].map(formatWrittenDay);
  return { th: `${first?.th} – ${last?.th}`, en: `${first?.en} – ${last?.en}` };
}

function moneyAddress({ name, from, to }: Pick<MoneySpan, "name" | "from" | "to">, scale: Scale, path: string = paths.money): string {
  return addressOf(path, { span: name, ...(name === "own" && { from, to }), scale: scale === "linear" ? "" : scale });
}

function spanLinks({ site, span, scale }: Pick<Money, "site" | "span" | "scale">): Html {
  const link = (name: SpanName) =>
    html`<li><a href="${site.path(moneyAddress({ ...span, name }, scale))}"${name === span.name && html` aria-current="true"`}>${bilingual(spanWords[name])}</a></li>`;
  return html`<nav aria-label="${bilingual({ th: "ช่วงเวลา", en: "Time span" })}"><ul>${spanNames.map(link)}</ul></nav>`;
}

const scaleWords: Record<Scale, Bilingual> = { linear: { th: "เส้นตรง", en: "Linear" }, log: { th: "ย่อยอดสูง", en: "Compressed" } };

/** Compressed, a large donation leaves the others visible. */
function scaleLinks({ site, span, scale, stats }: Money): Html | false {
  const link = (one: Scale) =>
    html`<li><a href="${site.path(moneyAddress(span, one))}"${one === scale && html` aria-current="true"`}>${bilingual(scaleWords[one])}</a></li>`;
  return (
    stats.count > 0 &&
    html`<nav aria-label="${bilingual({ th: "สเกลของกราฟ", en: "Scale of the chart" })}"><ul>${scales.map(link)}</ul></nav>`
  );
}

const labels = { from: { th: "ตั้งแต่วันที่", en: "From" }, to: { th: "ถึงวันที่", en: "To" } };

function ownSpan({ site, span, scale, faults }: MoneyFaults): Html {
  const field = (name: "from" | "to") => ({ name, label: labels[name], typed: span[name] });
  const words = () => ({ th: "ต้องเป็นวันที่จริง และไม่ก่อนวันแรก", en: "Must be a day, and not before the first one." });
  return html`${faultSummary(faults, labels)}
<form class="in-row" action="${site.path(paths.money)}"><input type="hidden" name="span" value="own"><input type="hidden" name="scale" value="${scale}">
${dateField(field("from"), faults)}${dateField({ ...field("to"), words }, faults)}<button>${bilingual({ th: "แสดง", en: "Show" })}</button></form>`;
}

function barOf({ site, trend, span }: Money, { label, from, to, total, count }: Schemas["AmountPoint"]): Bar {
  const days = { from: localDay(Date.parse(from)), to: localDay(Date.parse(to) - 1) };
  const date = new Date(from);
  const [year = label] = label.split("-");
  const names = { day: formatDay, week: formatDay, month: formatMonth, year: () => ({ th: year, en: year }) };
  const shown = html`${formatAmount(total, trend.currency)} <small>${bilingual(countWords(count))}</small>`;
  return { value: total, name: names[span.interval](date), shown, href: site.path(historyAddress(days)) };
}

/** Figures of the span, each against as many days before. */
function spanFacts({ site, stats, earlier, span }: Money): Html {
  const { total, count, uniqueDonators, average, median, largest, currency } = stats;
  const amount = (value: number | null) => (value === null ? "–" : formatAmount(value, currency));
  const against = (now: number | null, before: number | null | undefined, shown: (value: number) => string) =>
    now !== null && before
      ? html`<small>${growthMark(now, before)} ${bilingual({ th: `เดิม ${shown(before)}`, en: `from ${shown(before)}` })}</small>`
      : null;
  const days = { from: span.from, to: span.to };
  return html`<dl class="figures lesser">
${fact({ th: "รวม", en: "Total" }, html`<strong><a href="${site.path(historyAddress(days))}">${amount(total)}</a></strong>${against(total, earlier?.total, amount)}`)}
${fact({ th: "โดเนท", en: "Donations" }, html`<strong>${formatNumber(count)}</strong>${against(count, earlier?.count, formatNumber)}`)}
${fact({ th: "ผู้โดเนท", en: "Donators" }, html`<strong>${formatNumber(uniqueDonators)}</strong>${against(uniqueDonators, earlier?.uniqueDonators, formatNumber)}`)}
${fact({ th: "เฉลี่ย", en: "Average" }, html`<strong>${amount(average)}</strong>${against(average, earlier?.average, amount)}`)}
${fact({ th: "มัธยฐาน", en: "Median" }, html`<strong>${amount(median)}</strong>${against(median, earlier?.median, amount)}`)}
${largest && fact({ th: "มากที่สุด", en: "Largest" }, html`<strong><a href="${site.path(donationAddress(largest.id))}">${amount(largest.amount)}</a></strong> <small>${shownName(largest.donatorName)}</small>`)}
</dl>`;
}

/** Of a span that ends today, the days before end at the same time. */
function againstWhat({ span, earlier }: Money): Html {
  if (!earlier?.count) return html`<span></span>`;
  const days = formatNumber(daysOf(span));
  const until = span.endsToday ? { th: " ณ เวลาเดียวกัน", en: ", until the same time" } : { th: "", en: "" };
  return html`<small>${bilingual({ th: `เทียบกับ ${days} วันก่อนหน้า${until.th}`, en: `Against the ${days} days before${until.en}` })}</small>`;
}

function topDonators({ site, top }: Money): Html {
  const row = ({ rank, name, identifier, total, count }: Schemas["TopDonator"], place: number) => {
    const link = html`<a id="top-${place}" href="${site.path(donatorAddress({ name, identifier }))}">${shownName(name)}</a>`;
    return html`<tr><td class="rank">${rank}</td><td class="name">${name === erasedName ? shownName(name) : link}</td><td class="money">${formatNumber(count)}</td><td class="money">${formatAmount(total, top.currency)}</td></tr>`;
  };
  return html`<section class="card" aria-labelledby="top">
<h2 id="top">${bilingual({ th: "ผู้โดเนทสูงสุด", en: "Top donators" })}</h2>
<table class="list"><thead><tr><th scope="col">#</th><th scope="col" class="name">${bilingual({ th: "ผู้โดเนท", en: "Donator" })}</th><th scope="col" class="money">${bilingual({ th: "ครั้ง", en: "Donations" })}</th><th scope="col" class="money">${bilingual({ th: "ยอด", en: "Amount" })}</th></tr></thead>
<tbody>${top.donators.map(row)}</tbody></table>
</section>`;
}

function channelShares({ site, channels, span }: Money): Html {
  const days = { from: span.from, to: span.to };
  const row = ({ channel, total, count, percentage }: Schemas["ChannelShare"]) =>
    html`<tr><td class="name"><a id="channel-${channel}" href="${site.path(historyAddress({ ...days, channel }))}">${bilingual(channelLabels[channel])}</a>
<svg class="share" viewBox="0 0 100 1" preserveAspectRatio="none" role="img" aria-label="${percentage}%"><rect class="whole" width="100" height="1"/><rect width="${percentage}" height="1"/></svg></td><td class="money">${percentage}%</td><td class="money">${formatNumber(count)}</td><td class="money">${formatAmount(total, channels.currency)}</td></tr>`;
  return html`<section class="card" aria-labelledby="channels">
<h2 id="channels">${bilingual({ th: "ช่องทาง", en: "Channels" })}</h2>
<table class="list"><thead><tr><th scope="col" class="name">${bilingual({ th: "ช่องทาง", en: "Channel" })}</th><th scope="col" class="money">${bilingual({ th: "ส่วน", en: "Share" })}</th><th scope="col" class="money">${bilingual({ th: "ครั้ง", en: "Donations" })}</th><th scope="col" class="money">${bilingual({ th: "ยอด", en: "Amount" })}</th></tr></thead>
<tbody>${channels.channels.filter(({ count }) => count > 0).map(row)}</tbody></table>
</section>`;
}
