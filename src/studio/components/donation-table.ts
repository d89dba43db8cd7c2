// Donations as a table, the latest first: a row leads to its donation's page. On a phone a row has two lines.

import type { Site } from "../../http/base-url.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual, isolated } from "../../ui/layout.ts";
import { shortTime } from "../../ui/times.ts";
import { donationAddress } from "../paths.ts";
import { channelLabels, type Donation, formatAmount, maskLabel, shownName, stateLabel, testMark, voidMark } from "./donation.ts";

/** `held`: ids of donations whose alerts are held. `caption`: for screen readers. */
type DonationTable = Readonly<{ site: Site; donations: readonly Donation[]; held: ReadonlySet<string>; caption: Bilingual }>;

/** `class`: of the column's cells. */
type Column = Readonly<{ class: string; name: Bilingual }>;

const columns: readonly Column[] = [
  { class: "time", name: { th: "เวลา", en: "Time" } },
  { class: "name", name: { th: "ผู้โดเนท", en: "Donator" } },
  { class: "said", name: { th: "ข้อความ", en: "Message" } },
  { class: "money", name: { th: "จำนวนเงิน", en: "Amount" } },
  { class: "by", name: { th: "ช่องทาง", en: "Channel" } },
  { class: "status", name: { th: "สถานะ", en: "Status" } },
];

export function donationTable(table: DonationTable): Html {
  const head = ({ class: name, name: words }: Column) => html`<th scope="col" class="${name}">${bilingual(words)}</th>`;
  return html`<div class="listed"><table class="list donations">
<caption class="unseen">${bilingual(table.caption)}</caption>
<thead><tr>${columns.map(head)}</tr></thead>
<tbody>${table.donations.map((donation) => row(table, donation))}</tbody>
</table></div>`;
}

/** The link has an id, so that a table that is drawn anew keeps its focus. */
function row({ site, held }: DonationTable, donation: Donation): Html {
  const { id, donatorName, message, channel, source, alert, createdAt, voided } = donation;
  const state = voided ? voidMark(voided.reason) : stateLabel(alert, held.has(id));
  return html`<tr>
<td class="time">${shortTime(createdAt)}</td>
<td class="name"><a id="row-${id}" href="${site.path(donationAddress(id))}">${shownName(donatorName)}</a></td>
<td class="said">${isolated(message)}</td>
<td class="money">${amountOf(donation)}</td>
<td class="by">${bilingual(channelLabels[channel])}</td>
<td class="status">${state}${alert.masked && maskLabel}${source === "test" && testMark}</td>
</tr>`;
}

/** What is void counts nowhere. */
function amountOf({ amount, currency, voided }: Donation): Html | string {
  const text = formatAmount(amount, currency);
  return voided ? html`<s>${text}</s>` : text;
}
