// Facts about an object, each with its name, for a list of them (`dl`).

import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual } from "../../ui/layout.ts";
import { formatDateTime } from "../../ui/times.ts";

export function fact(name: Bilingual, value: Html): Html {
  return html`<div><dt>${bilingual(name)}</dt><dd>${value}</dd></div>`;
}

/** When something happened; null when it did not. */
export function when(name: Bilingual, date: Date | null): Html | null {
  return date && fact(name, time(date));
}

export function time(date: Date): Html {
  return html`<time datetime="${date.toISOString()}">${bilingual(formatDateTime(date))}</time>`;
}
