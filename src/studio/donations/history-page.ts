// Renders the history page.

import { summedIn } from "../../base/summed-currency.ts";
import type { Sum, SumStep } from "../../donations/list/sum-found.ts";
import type { Schemas } from "../../http/operations.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual } from "../../ui/layout.ts";
import { formatDateTime } from "../../ui/times.ts";
import {
  channelLabels,
  channels,
  type Donation,
  formatAmount,
  formatCount,
  maskLabel,
  renderEntry,
  sourceLabels,
  sources,
  stateLabel,
  testMark,
  voidMark,
} from "../components/donation.ts";
import { choiceField, dateField, type FieldFaults, faultSummary, numberField, textField } from "../components/fields.ts";
import { type PageContext, studioPage } from "../components/frame.ts";
import { donationAddress, historyAddress, newerPage, olderPage, paths } from "../paths.ts";
import type { StudioDeps } from "../studio-deps.ts";

/** What the form was sent with; empty texts for no filter. */
export type HistoryFilters = Readonly<
  Record<"q" | "from" | "to" | "minAmount" | "maxAmount" | "channel" | "source" | "status" | "identifier", string>
>;

type HistoryPage = PageContext &
  Readonly<{
    typed: HistoryFilters;
    faults: FieldFaults;
    /** Where the shown donations begin; null for the latest. */
    cursor: string | null;
    /** The pages before, as `readTrail` reads them. */
    trail: readonly string[];
    /** Of all donations that the filters find, or so many of the latest that there is more to add up; null when the filters are at fault. */
    sum: SumStep | null;
    /** Null when the filters are at fault. */
    found: Schemas["DonationPage"] | null;
    /** Ids of found donations whose alerts are held. */
    held: ReadonlySet<string>;
    bounds: StudioDeps["bounds"];
  }>;

const labels = {
  q: { th: "ค้นหาชื่อ ข้อความ หรือตัวระบุ", en: "Search names, messages, identifiers" },
  from: { th: "ตั้งแต่วันที่", en: "From" },
  to: { th: "ถึงวันที่", en: "To" },
  minAmount: { th: "ยอดต่ำสุด (บาท)", en: "Smallest amount (baht)" },
  maxAmount: { th: "ยอดสูงสุด (บาท)", en: "Largest amount (baht)" },
  channel: { th: "ช่องทาง", en: "Channel" },
  source: { th: "ที่มา", en: "Source" },
  status: { th: "สถานะ", en: "Status" },
  identifier: { th: "ตัวระบุผู้โดเนท", en: "Identifier" },
} as const satisfies Record<keyof HistoryFilters, Bilingual>;

export function historyPage(page: HistoryPage): string {
  const { site, typed, faults, found } = page;
  return studioPage({
    ...page,
    here: "/studio/history",
    title: { th: "ประวัติโดเนท", en: "History" },
    content: html`<section class="card" aria-labelledby="filters">
<h2 id="filters">${bilingual({ th: "ค้นหาและกรอง", en: "Search and filter" })}</h2>
${faultSummary(faults, labels)}
<form action="${site.path(paths.history)}">${filterFields(page)}
<div class="buttons"><button class="main">${bilingual({ th: "แสดง", en: "Show" })}</button>
<a href="${site.path(paths.history)}">${bilingual({ th: "ล้างตัวกรอง", en: "Clear filters" })}</a></div>
</form>
</section>
${found && foundCard(page, found, typed)}`,
  });
}

function filterFields({ typed, faults }: HistoryPage): Html {
  const field = (name: keyof HistoryFilters) => ({ name, label: labels[name], typed: typed[name] });
  const all = { th: "ทั้งหมด", en: "All" };
  return html`${textField(field("q"), faults)}
<details${isNarrowed(typed) && html` open`}>
<summary>${bilingual({ th: "ตัวกรอง", en: "Filters" })}</summary>
<div class="pair">
${dateField(field("from"), faults)}${dateField({ ...field("to"), words: () => reversedDays }, faults)}
${numberField(field("minAmount"), faults)}${numberField({ ...field("maxAmount"), words: (fault) => (fault.message.includes("minAmount") ? reversedAmounts : null) }, faults)}
${choiceField({ ...field("channel"), choices: [["", all], ...channels.map((channel) => [channel, channelLabels[channel]] as const)] }, faults)}
${choiceField({ ...field("source"), choices: [["", { th: "จริงเท่านั้น", en: "Without tests" }], ["all", all], ...sources.map((source) => [source, sourceLabels[source]] as const)] }, faults)}
${choiceField(
  {
    ...field("status"),
    choices: [
      ["", { th: "ที่นับ", en: "Counted" }],
      ["voided", { th: "โมฆะ", en: "Void" }],
      ["all", all],
    ],
  },
  faults,
)}
${textField(field("identifier"), faults)}
</div>
</details>`;
}

const reversedDays = { th: "ต้องเป็นวันที่จริง และไม่ก่อนวันแรก", en: "Must be a day, and not before the first one." };
const reversedAmounts = { th: "ต้องไม่น้อยกว่ายอดต่ำสุด", en: "Must not be below the smallest amount." };

function isNarrowed({ q, ...filters }: HistoryFilters): boolean {
  return Object.values(filters).some((text) => text !== "");
}

function foundCard(page: HistoryPage, { data, pagination }: Schemas["DonationPage"], typed: HistoryFilters): Html {
  const { site, cursor, trail, sum, held } = page;
  const { nextCursor } = pagination;
  const newer = newerPage(trail);
  const link = (at: Record<string, string>, words: Bilingual) =>
    html`<a class="button" href="${site.path(historyAddress({ ...typed, ...at }))}">${bilingual(words)}</a>`;
  return html`<section class="card" aria-labelledby="found">
<h2 id="found">${bilingual({ th: "โดเนท", en: "Donations" })}</h2>
${sum && sumLine(sum, page)}
${data.length > 0 && exportLink(site.path(historyAddress(typed, paths.exportHistory)))}
${data.length === 0 ? html`<p class="note">${bilingual({ th: "ไม่พบโดเนท", en: "No donations found." })}</p>` : html`<ul class="entries">${data.map((donation) => entry(site.path(donationAddress(donation.id)), donation, held.has(donation.id)))}</ul>`}
<p class="buttons">${cursor !== null && link({}, { th: "ล่าสุด", en: "Latest" })}${newer && link(newer, { th: "ใหม่กว่านี้", en: "Newer" })}${nextCursor !== null && link(olderPage(trail, cursor, nextCursor), { th: "เก่ากว่านี้", en: "Older" })}</p>
</section>`;
}

/** While the sum is not complete, the page's script follows the link's `data-sums` and shows the outcome. Without it the link goes on. */
export function sumLine({ count, total, voided, next }: SumStep, page: SumPlace): Html {
  const number = formatCount(count);
  const words = bilingual({ th: `${number} รายการ`, en: count === 1 ? "1 donation" : `${number} donations` });
  const least = next !== null && html`${bilingual({ th: "อย่างน้อย", en: "At least" })} `;
  const more = next !== null && html` ${sumLink(page, next)}`;
  return html`<p id="sum" aria-live="polite">${least}<strong>${formatAmount(total, summedIn)}</strong> ${words}${voided && voidLine(voided)}${more}</p>`;
}

type SumPlace = Pick<HistoryPage, "site" | "typed" | "cursor" | "trail">;

function sumLink({ site, typed, cursor, trail }: SumPlace, next: string): Html {
  const place = { ...typed, cursor: cursor ?? "", trail: trail.join("."), sum: next };
  const [here, part] = [historyAddress(place), historyAddress(place, paths.historySum)].map((address) => site.path(address));
  return html`<a href="${here}" data-sums="${part}">${bilingual({ th: "รวมต่อ", en: "Continue adding up" })}</a>`;
}

/** Void donations are in no sum. */
function voidLine({ count, total }: Sum): Html {
  const [number, amount] = [formatCount(count), formatAmount(total, summedIn)];
  return html`<small>${bilingual({ th: `ไม่รวมที่เป็นโมฆะ ${number} รายการ ${amount}`, en: `Without ${number} void, ${amount}.` })}</small>`;
}

function exportLink(href: string): Html {
  return html`<p class="buttons"><a class="button" href="${href}" download>${bilingual({ th: "บันทึกเป็นไฟล์ Excel", en: "Save all of these as XLSX" })}</a></p>`;
}

function entry(
  href: string,
  { donatorName, amount, currency, message, source, alert, createdAt, voided }: Donation,
  isHeld: boolean,
): Html {
  const date = new Date(createdAt);
  const time = html`<time datetime="${createdAt}">${bilingual(formatDateTime(date))}</time>`;
  const marks = [
    voided ? voidMark(voided.reason) : stateLabel(alert, isHeld),
    alert.masked && maskLabel,
    source === "test" && testMark,
    time,
  ];
  return html`<li>${renderEntry({ donatorName, amount, currency, message, marks, href })}</li>`;
}
