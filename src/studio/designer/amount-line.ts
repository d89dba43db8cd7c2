// Amounts of donations on a line, on which each power of ten has as much room as the others, so that gaps are seen.

import { type Html, html } from "../../ui/html.ts";
import { bilingual } from "../../ui/layout.ts";
import { formatNumber } from "../components/donation.ts";

/** `to`: null without an upper limit. In baht. */
export type AmountSpan = Readonly<{ from: number; to: number | null }>;

/** `most`: where the line ends. Words stand beside it. */
export function amountLine(spans: readonly AmountSpan[], most: number): Html {
  const placeOf = (amount: number) => (100 * Math.log10(1 + amount)) / Math.log10(1 + most);
  const part = ({ from, to }: AmountSpan) => {
    const [start, end] = [placeOf(from), placeOf(to ?? most)];
    return html`<rect x="${start.toFixed(2)}" width="${Math.max(end - start, narrowest).toFixed(2)}" height="1"/>`;
  };
  return html`<svg class="share" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><rect class="whole" width="100" height="1"/>${spans.map(part)}</svg>`;
}

/** Of the line, in percent: a single amount is seen as well. */
const narrowest = 0.75;

/** The powers of ten below lines. */
export function amountScale(most: number): Html {
  const powers = Array.from({ length: Math.round(Math.log10(most)) }, (_, place) => 10 ** (place + 1));
  const short = new Intl.NumberFormat("en", { notation: "compact" });
  return html`<p class="amounts note" aria-hidden="true">${[0, ...powers].map((amount) => html`<span>฿${short.format(amount)}</span>`)}</p>`;
}

export function amountWords({ from, to }: AmountSpan): Html | string {
  if (to === null) return from === 0 ? bilingual({ th: "ทุกจำนวน", en: "Every amount" }) : `≥ ฿${formatNumber(from)}`;
  return from === to ? `฿${formatNumber(from)}` : `฿${formatNumber(from)} – ฿${formatNumber(to)}`;
}
