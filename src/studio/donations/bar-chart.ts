// A bar chart that needs no script: each bar is a link that tells its value while the pointer is over it or the focus is on it. The numbers
// stand in a table below, too.

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

type BarChart = Readonly<{
  bars: readonly Bar[];
  axis: Readonly<{ name: Bilingual; value: Bilingual }>;
  /** A value as a label of the axis. */
  format: (value: number) => string;
  caption: Readonly<{ th: string; en: string }>;
}>;

/** A chart of at least one bar. */
export function barChart({ bars, axis, caption, format }: BarChart): Html {
  const highest = axisEnd(Math.max(...bars.map(({ value }) => value)));
  const label = (value: number) => html`<span>${format(value)}</span>`;
  return html`<div class="chart">
<p class="scale" aria-hidden="true">${[highest, highest / 2, 0].map(label)}</p>
<ol class="bars" aria-label="${bilingual(caption)}">${bars.map((one) => barItem(one, highest))}</ol>
<p class="axis"><span>${bilingual(bars[0]!.name)}</span><span>${bilingual(bars.at(-1)!.name)}</span></p>
<p class="note taps" hidden>${bilingual({ th: "แตะแท่งเพื่อดูยอด แตะอีกครั้งเพื่อดูรายการ", en: "Tap a bar for its amount, and again for its donations." })}</p>
</div>
<details>
<summary>${bilingual({ th: "ดูเป็นตาราง", en: "Show as a table" })}</summary>
<table>
<caption>${bilingual(caption)}</caption>
<thead><tr><th scope="col">${bilingual(axis.name)}</th><th scope="col">${bilingual(axis.value)}</th></tr></thead>
<tbody>${bars.map(({ name, shown, href }) => html`<tr><th scope="row"><a href="${href}">${bilingual(name)}</a></th><td>${shown}</td></tr>`)}</tbody>
</table>
</details>`;
}

/** The first round number, of one or two digits and zeros, that no value is above: its half is round as well. */
export function axisEnd(highest: number): number {
  if (highest <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(highest));
  const steps = [1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8, 10];
  return (steps.find((step) => step * power >= highest) ?? 10) * power;
}

/** The smallest value that is not nothing is still visible. */
function barItem({ value, name, shown, href }: Bar, highest: number): Html {
  const height = value === 0 ? 0 : Math.max(1, Math.round((100 * value) / highest));
  return html`<li><a href="${href}"><svg viewBox="0 0 1 100" preserveAspectRatio="none" aria-hidden="true"><rect y="${100 - height}" width="1" height="${height}"/></svg><span class="tip">${bilingual(name)} <strong>${shown}</strong></span></a></li>`;
}
