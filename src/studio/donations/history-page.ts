// What the history page looks like: a bar of filters, what they find as a table, and its sum.

import { summedIn } from "../../base/summed-currency.ts";
import type { Sum, SumStep } from "../../donations/list/sum-found.ts";
import { isLocalDay } from "../../http/contract/published.ts";
import type { Schemas } from "../../http/operations.ts";
import { type Html, html } from "../../ui/html.ts";
import { icon } from "../../ui/icons.ts";
import { type Bilingual, bilingual } from "../../ui/layout.ts";
import type { PageReply } from "../../ui/serve-pages.ts";
import { formatWrittenDay, localDay } from "../../ui/times.ts";
import { channelLabels, channels, countWords, formatAmount, formatNumber, sourceLabels, sources } from "../components/donation.ts";
import { donationTable } from "../components/donation-table.ts";
import {
  choiceField,
  choicesOf,
  dateField,
  type FieldFaults,
  faultMessages,
  faultSummary,
  numberField,
  textField,
} from "../components/fields.ts";
import { emptyState, type PageContext, studioPage } from "../components/frame.ts";
import { addressOf, historyAddress, newerPage, olderPage, paths } from "../paths.ts";

/** What the form was sent with; empty texts for no filter. */
export type HistoryFilters = Readonly<Record<keyof typeof labels, string>>;

/** Which of the pages of what the filters find. */
type Place = Readonly<{
  site: PageContext["site"];
  typed: HistoryFilters;
  /** Where the shown donations begin; null for the latest. */
  cursor: string | null;
  /** The pages before, as `readTrail` reads them. */
  trail: readonly string[];
}>;

type HistoryPage = PageContext &
  Place &
  Readonly<{
    faults: FieldFaults;
    /** Of all donations that the filters find, or so many of the latest that there is more to add up; null when the filters are at fault. */
    sum: SumStep | null;
    /** Null when the filters are at fault. */
    found: Schemas["DonationPage"] | null;
    /** Ids of found donations whose alerts are held. */
    held: ReadonlySet<string>;
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
} as const satisfies Record<string, Bilingual>;
export const filterNames = Object.keys(labels) as readonly (keyof HistoryFilters)[];

export function historyPage(page: HistoryPage): PageReply {
  const { site, typed, faults, found } = page;
  return studioPage({
    ...page,
    here: paths.history,
    title: { th: "ประวัติโดเนท", en: "History" },
    content: html`${faultSummary(faults, labels)}
<form class="filters" action="${site.path(paths.history)}">
<div class="search">${icon("search")}<label for="field-q">${bilingual(labels.q)}</label><input id="field-q" name="q" type="search" value="${typed.q}" placeholder="${bilingual(labels.q)}" autocomplete="off"${faults["q"] && html` aria-invalid="true" aria-describedby="field-q-fault"`}>${faultMessages("q", faults)}</div>
<details${Object.keys(faults).some((name) => name !== "q") && html` open`}>
<summary>${bilingual({ th: "ตัวกรอง", en: "Filters" })}</summary>
<div class="pair">${filterFields(page)}</div>
</details>
<button>${bilingual({ th: "ค้นหา", en: "Search" })}</button>
</form>
${chips(page)}
${found && foundCard(page, found)}`,
  });
}

const all = { th: "ทั้งหมด", en: "All" };
const statusLabels: Readonly<Record<string, Bilingual>> = { "": { th: "ที่นับ", en: "Counted" }, voided: { th: "โมฆะ", en: "Void" }, all };

function filterFields({ typed, faults }: HistoryPage): Html {
  const field = (name: keyof HistoryFilters) => ({ name, label: labels[name], typed: typed[name] });
  return html`${dateField(field("from"), faults)}${dateField({ ...field("to"), words: () => reversedDays }, faults)}
${numberField(field("minAmount"), faults)}${numberField({ ...field("maxAmount"), words: (fault) => (fault.message.includes("minAmount") ? reversedAmounts : null) }, faults)}
${choiceField({ ...field("channel"), choices: [["", all], ...choicesOf(channels, channelLabels)] }, faults)}
${choiceField({ ...field("source"), choices: [["", { th: "จริงเท่านั้น", en: "Without tests" }], ["all", all], ...choicesOf(sources, sourceLabels)] }, faults)}
${choiceField({ ...field("status"), choices: Object.entries(statusLabels) }, faults)}
${textField(field("identifier"), faults)}`;
}

const reversedDays = { th: "ต้องเป็นวันที่จริง และไม่ก่อนวันแรก", en: "Must be a day, and not before the first one." };
const reversedAmounts = { th: "ต้องไม่น้อยกว่ายอดต่ำสุด", en: "Must not be below the smallest amount." };

/** The filters that are set, each as a link that takes it away; and months, to which a link leads. */
function chips({ site, typed }: HistoryPage): Html | false {
  const set = filterNames.filter((name) => typed[name] !== "");
  const chip = (name: keyof HistoryFilters) =>
    html`<li><a class="label" href="${site.path(historyAddress({ ...typed, [name]: "" }))}"><span class="unseen">${bilingual({ th: "เอาออก", en: "Remove" })} </span>${bilingual(chipNames[name])}: ${shownFilter(name, typed[name])}${icon("x")}</a></li>`;
  const clear = html`<li><a href="${site.path(paths.history)}">${bilingual({ th: "ล้างตัวกรอง", en: "Clear filters" })}</a></li>`;
  const month = (words: Bilingual, back: number) =>
    html`<li><a href="${site.path(historyAddress({ ...typed, ...monthDays(back) }))}">${bilingual(words)}</a></li>`;
  const months = typed.from === "" &&
    typed.to === "" && [month({ th: "เดือนนี้", en: "This month" }, 0), month({ th: "เดือนที่แล้ว", en: "Last month" }, 1)];
  return (
    set.length > 0 &&
    html`<ul class="chips" aria-label="${bilingual({ th: "ตัวกรองที่ใช้อยู่", en: "Filters in use" })}">${set.map(chip)}${months}${clear}</ul>`
  );
}

/** The days of a month in the reader's time zone, so many months before this one. */
function monthDays(back: number): Readonly<{ from: string; to: string }> {
  const [year = 0, month = 0] = localDay(Date.now()).split("-").map(Number);
  const day = (ofMonth: number, at: number) => new Date(Date.UTC(year, ofMonth, at)).toISOString().slice(0, 10);
  return { from: day(month - 1 - back, 1), to: day(month - back, 0) };
}

const chipNames: Readonly<Record<keyof HistoryFilters, Bilingual>> = {
  ...labels,
  q: { th: "ค้นหา", en: "Search" },
  minAmount: { th: "ตั้งแต่ (บาท)", en: "At least (baht)" },
  maxAmount: { th: "ไม่เกิน (บาท)", en: "At most (baht)" },
};

/** A filter's value in words; what is none of its choices as it was typed. */
function shownFilter(name: keyof HistoryFilters, value: string): Html {
  if ((name === "from" || name === "to") && isLocalDay(value)) return bilingual(formatWrittenDay(value));
  const choices: Readonly<Record<string, Bilingual>> =
    { channel: channelLabels, source: { ...sourceLabels, all }, status: statusLabels }[name as string] ?? {};
  return Object.hasOwn(choices, value) ? bilingual(choices[value]!) : html`<bdi>${value}</bdi>`;
}

const caption = { th: "โดเนทที่พบ", en: "The donations found" };

function foundCard(page: HistoryPage, { data: donations, pagination }: Schemas["DonationPage"]): Html {
  const { site, typed, cursor, trail, sum, held } = page;
  const { nextCursor } = pagination;
  const newer = newerPage(trail);
  const link = (at: Record<string, string>, words: Bilingual) =>
    html`<a class="button" href="${site.path(historyAddress({ ...typed, ...at }))}">${bilingual(words)}</a>`;
  return html`<section class="card" aria-labelledby="found"><h2 class="unseen" id="found">${bilingual({ th: "โดเนท", en: "Donations" })}</h2>
<div class="titled">${sum && sumLine(sum, page)}${donations.length > 0 && exportLink(site.path(addressOf(paths.exportHistory, typed)))}</div>
${donations.length === 0 ? (filterNames.some((name) => typed[name] !== "") ? noneFound : noneYet) : donationTable({ site, donations, held, caption })}
<p class="buttons">${cursor !== null && link({}, { th: "ล่าสุด", en: "Latest" })}${newer && link(newer, { th: "ใหม่กว่านี้", en: "Newer" })}${nextCursor !== null && link(olderPage(trail, cursor, nextCursor), { th: "เก่ากว่านี้", en: "Older" })}</p>
</section>`;
}

const noneYet = emptyState(
  "history",
  { th: "ยังไม่มีโดเนท", en: "No donations yet" },
  bilingual({ th: "โดเนทที่เข้ามาจะอยู่ที่นี่", en: "Those that come in are listed here." }),
);
const noneFound = emptyState(
  "search",
  { th: "ไม่พบโดเนท", en: "No donations found" },
  bilingual({ th: "ลองเปลี่ยนหรือล้างตัวกรอง", en: "Change or clear the filters." }),
);

function exportLink(href: string): Html {
  return html`<a class="button" href="${href}" download>${icon("download")}${bilingual({ th: "ไฟล์ Excel", en: "Excel file" })}</a>`;
}

/** While the sum is not complete, the page's script follows the link's `data-sums` and shows the outcome. Without it the link goes on. */
export function sumLine({ count, total, voided, next }: SumStep, page: Place): Html {
  const least = next !== null && html`${bilingual({ th: "อย่างน้อย", en: "At least" })} `;
  const more = next !== null && html` ${sumLink(page, next)}`;
  return html`<p id="sum" aria-live="polite">${least}<strong>${formatAmount(total, summedIn)}</strong> ${bilingual(countWords(count))}${voided && voidLine(voided)}${more}</p>`;
}

function sumLink({ site, typed, cursor, trail }: Place, next: string): Html {
  const place = { ...typed, cursor: cursor ?? "", trail: trail.join("."), sum: next };
  return html`<a href="${site.path(historyAddress(place))}" data-sums="${site.path(addressOf(paths.historySum, place))}">${bilingual({ th: "รวมต่อ", en: "Continue adding up" })}</a>`;
}

/** Void donations are in no sum. */
function voidLine({ count, total }: Sum): Html {
  const [number, amount] = [formatNumber(count), formatAmount(total, summedIn)];
  return html`<small>${bilingual({ th: `ไม่รวมที่เป็นโมฆะ ${number} รายการ ${amount}`, en: `Without ${number} void, ${amount}.` })}</small>`;
}
