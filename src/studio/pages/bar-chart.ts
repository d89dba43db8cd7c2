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

export type BarChart = Readonly<{
  bars: readonly Bar[];
  axis: Readonly<{ name: Bilingual; value: Bilingual }>;
  caption: Readonly<{ th: string; en: string }>;
}>;

/** A chart of at least one bar. */
export function barChart({ bars, axis, caption }: BarChart): Html {
  const highest = Math.max(...bars.map(({ value }) => value));
  return html`<div class="chart">
<ol class="bars" aria-label="${`${caption.th} – ${caption.en}`}">${bars.map((one) => barItem(one, highest))}</ol>
<p class="axis"><span>${bilingual(bars[0]!.name)}</span><span>${bilingual(bars.at(-1)!.name)}</span></p>
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

/** The smallest value that is not nothing is still visible. */
function barItem({ value, name, shown, href }: Bar, highest: number): Html {
  const height = value === 0 ? 0 : Math.max(1, Math.round((100 * value) / highest));
  return html`<li><a href="${href}"><svg viewBox="0 0 1 100" preserveAspectRatio="none" aria-hidden="true"><rect y="${100 - height}" width="1" height="${height}"/></svg><span class="tip">${bilingual(name)} <strong>${shown}</strong></span></a></li>`;
}
