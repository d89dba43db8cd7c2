// A bar chart that needs no script: each bar is a link that tells its value while the pointer is over it or the focus is on it. The numbers
// stand in a table below, too; with the script the arrow keys go from bar to bar.

import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual } from "../../ui/layout.ts";

export type Bar = Readonly<{
  /** Not negative. */
  value: number;
  /** Its place on the axis, such as a day. */
  name: Bilingual;
  /** The value in words. */
  shown: Html;
  href: string;
}>;

/** `linear`: twice the amount is twice as high. `log`: ten times the amount is one line higher, so that a large one flattens no other. */
export const scales = ["linear", "log"] as const;
export type Scale = (typeof scales)[number];

type BarChart = Readonly<{
  bars: readonly Bar[];
  scale: Scale;
  /** A value as a label of the axis. */
  format: (value: number) => string;
  caption: Bilingual;
}>;

/** Labels of the axis of values, from the top down, each at a height in percent. */
type Axis = Readonly<{ labels: readonly number[]; heightOf: (value: number) => number }>;

/** A chart of at least one bar. */
export function barChart({ bars, scale, caption, format }: BarChart): Html {
  const values = bars.map(({ value }) => value);
  const { labels, heightOf } = scale === "log" ? logAxis(values) : linearAxis(values);
  const steps = labels.length - 1;
  const line = (_: number, place: number) => html`<line x2="1" y1="${(100 * place) / steps}" y2="${(100 * place) / steps}"/>`;
  return html`<div class="chart">
<p class="scale" aria-hidden="true">${labels.map((value) => html`<span>${format(value)}</span>`)}</p>
<svg class="grid" viewBox="0 0 1 100" preserveAspectRatio="none" aria-hidden="true">${labels.slice(0, -1).map(line)}</svg>
<ol class="bars" aria-label="${bilingual(caption)}">${bars.map((bar, place) => barItem(bar, { place, percent: heightOf(bar.value), isLast: place === bars.length - 1 }))}</ol>
<p class="axis" aria-hidden="true">${bars.map(({ name }, place) => html`<span>${hasLabel(place, bars.length) && html`<span>${bilingual(name)}</span>`}</span>`)}</p>
<p class="note taps">${bilingual({ th: "แตะแท่งเพื่อดูยอด แตะอีกครั้งเพื่อดูรายการ", en: "Tap a bar for its amount, and again for its donations." })}</p>
</div>`;
}

type BarTable = Pick<BarChart, "bars" | "caption"> & Readonly<{ columns: Readonly<{ name: Bilingual; value: Bilingual }> }>;

/** The same numbers as a table. */
export function barTable({ bars, caption, columns }: BarTable): Html {
  const row = ({ name, shown, href }: Bar) =>
    html`<tr><th scope="row" class="name"><a href="${href}">${bilingual(name)}</a></th><td class="money">${shown}</td></tr>`;
  return html`<table class="list">
<caption>${bilingual(caption)}</caption>
<thead><tr><th scope="col">${bilingual(columns.name)}</th><th scope="col" class="money">${bilingual(columns.value)}</th></tr></thead>
<tbody>${bars.map(row)}</tbody>
</table>`;
}

/** The first round number, of one or two digits and zeros, that no value is above: its quarters are round as well. */
export function axisEnd(highest: number): number {
  if (highest <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(highest));
  const steps = [1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8, 10];
  return (steps.find((step) => step * power >= highest) ?? 10) * power;
}

function linearAxis(values: readonly number[]): Axis {
  const end = axisEnd(Math.max(...values));
  return { labels: [1, 0.75, 0.5, 0.25, 0].map((part) => part * end), heightOf: (value) => (100 * value) / end };
}

/** Powers of ten around the values that are not nothing. */
function logAxis(values: readonly number[]): Axis {
  const positive = values.filter((value) => value > 0);
  if (positive.length === 0) return linearAxis(values);
  const first = Math.floor(Math.log10(Math.min(...positive)));
  const last = Math.max(first + 1, Math.ceil(Math.log10(Math.max(...positive))));
  const labels = Array.from({ length: last - first + 1 }, (_, place) => 10 ** (last - place));
  return { labels, heightOf: (value) => (value > 0 ? (100 * (Math.log10(value) - first)) / (last - first) : 0) };
}

/** So few labels that they have room on a phone; the last bar has one. */
function hasLabel(place: number, count: number): boolean {
  return (count - 1 - place) % Math.ceil(count / 5) === 0;
}

type Drawn = Readonly<{ place: number; percent: number; isLast: boolean }>;

/** The smallest value that is not nothing is still visible. Tab reaches the last bar alone; all of them are links of the table. */
function barItem({ value, name, shown, href }: Bar, { place, percent, isLast }: Drawn): Html {
  const height = value === 0 ? 0 : Math.max(1, Math.round(percent));
  return html`<li><a id="bar-${place}" href="${href}"${!isLast && html` tabindex="-1"`}><svg viewBox="0 0 1 100" preserveAspectRatio="none" aria-hidden="true"><rect y="${100 - height}" width="1" height="${height}"/></svg><span class="tip">${bilingual(name)} <strong>${shown}</strong></span></a></li>`;
}
