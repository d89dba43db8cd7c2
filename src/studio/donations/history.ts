// The history page: all donations, searched, filtered and paged; their sum; and the workbook of those that pass.

import { summedIn } from "../../base/summed-currency.ts";
import type { Sum, SumStep } from "../../donations/list/sum-found.ts";
import type { Schemas } from "../../http/operations.ts";
import { type Fault, Problem } from "../../http/problem.ts";
import { asText, type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual } from "../../ui/layout.ts";
import { currentReader } from "../../ui/reader.ts";
import { type PageHandler, seeOther } from "../../ui/serve-pages.ts";
import { formatDateTime } from "../../ui/times.ts";
import { heldAmong } from "../alerts/held-alerts.ts";
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
import {
  choiceField,
  dateField,
  type FieldFaults,
  faultSummary,
  numberField,
  readNumber,
  textField,
  validationFaults,
} from "../components/fields.ts";
import { type PageContext, studioPage } from "../components/frame.ts";
import { donationAddress, historyAddress, newerPage, olderPage, paths, readTrail } from "../paths.ts";
import type { Query } from "../streamer-client.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { findReversedDays } from "./spans.ts";

/** What the form was sent with; empty texts for no filter. */
type HistoryFilters = Readonly<
  Record<"q" | "from" | "to" | "minAmount" | "maxAmount" | "channel" | "source" | "status" | "identifier", string>
>;

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
    bounds: StudioDeps["bounds"];
  }>;

const donationsPerPage = 20;

/** GET /studio/history */
export const showHistory = (deps: StudioDeps): PageHandler => {
  const { accounts, client, bounds } = deps;
  return accounts.page(paths.history, async ({ account, query }) => {
    const typed = readFilters(query);
    const cursor = query.get("cursor");
    const page = { site: accounts.site, account, typed, cursor, trail: readTrail(query), bounds };
    const filters = toQuery(typed);
    const request = { ...filters, limit: donationsPerPage, ...(cursor && { cursor }) };
    const { id } = account.streamer;
    try {
      const isSearch = typed.q !== "";
      client.check(isSearch ? "searchDonations" : "listDonations", { query: request, faults: findReversed(typed) });
      const [{ body: found }, sum] = await Promise.all([
        isSearch
          ? client.callWithinLimit(id, "searchDonations", { query: request })
          : client.callWithinLimit(id, "listDonations", { query: { ...request, sort: "-createdAt" } }),
        sumFound(deps, id, { typed, query: filters, from: query.get("sum") }),
      ]);
      const held = await heldAmong(deps, id, found.data);
      return { status: 200, html: historyPage({ ...page, found, sum, held, faults: {} }), scripted: true };
    } catch (error) {
      if (error instanceof Problem && error.code === "invalid_cursor") return seeOther(accounts.site.path(historyAddress(typed)));
      const faults = validationFaults(error);
      if (!faults) throw error;
      return { status: 400, html: historyPage({ ...page, found: null, sum: null, held: new Set(), faults }), scripted: true };
    }
  });
};

/** GET /studio/history/sum: the sum of the page, continued, for its script. */
export const continueSum = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.history, async ({ account, query }) => {
    const { site } = deps.accounts;
    const typed = readFilters(query);
    try {
      const sum = await sumFound(deps, account.streamer.id, { typed, query: toQuery(typed), from: query.get("sum") });
      return { status: 200, html: asText(sumLine(sum, { site, typed, cursor: query.get("cursor"), trail: readTrail(query) })) };
    } catch (error) {
      if (!validationFaults(error) && !(error instanceof Problem && error.code === "invalid_cursor")) throw error;
      return seeOther(site.path(historyAddress(typed)));
    }
  });

/** GET /studio/history/export: a workbook. Faults of the filters lead back to the page, which names them. */
export const exportHistory = ({ accounts, client }: StudioDeps): PageHandler =>
  accounts.page(paths.history, async ({ account, query }) => {
    const typed = readFilters(query);
    try {
      const sent = { query: { ...toQuery(typed), sort: "-createdAt", language: currentReader().language } };
      return { status: 200, file: await client.callWithinLimit(account.streamer.id, "exportDonations", sent) };
    } catch (error) {
      if (!validationFaults(error)) throw error;
      return seeOther(accounts.site.path(historyAddress(typed)));
    }
  });

/** Days and amounts that are sound by themselves, and in the wrong order. */
function findReversed({ from, to, minAmount, maxAmount }: HistoryFilters): Fault[] {
  const [least, most] = [readNumber(minAmount), readNumber(maxAmount)];
  return [
    ...findReversedDays({ from, to }),
    ...(typeof least === "number" && typeof most === "number" && most < least
      ? [{ parameter: "maxAmount", code: "out_of_range" as const, message: "must not be below minAmount" }]
      : []),
  ];
}

function readFilters(query: URLSearchParams): HistoryFilters {
  const typed = (name: string) => (query.get(name) ?? "").trim();
  return {
    ...{ q: typed("q"), from: typed("from"), to: typed("to"), minAmount: typed("minAmount"), maxAmount: typed("maxAmount") },
    ...{ channel: typed("channel"), source: typed("source"), status: typed("status"), identifier: typed("identifier") },
  };
}

/** Parameters of the contract's operations; empty fields are left out. */
function toQuery({ minAmount, maxAmount, channel, source, ...texts }: HistoryFilters): Query {
  return {
    timezone: currentReader().timeZone,
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== "")),
    ...(minAmount && { minAmount: readNumber(minAmount) }),
    ...(maxAmount && { maxAmount: readNumber(maxAmount) }),
    ...(channel && { channel: [channel] }),
    ...(source && { source: source === "all" ? sources : [source] }),
  };
}

/** `query`: what lists the donations, with the days of its time zone. `from`: `next` of the sum that is continued; null for none. */
type SumRequest = Readonly<{ typed: HistoryFilters; query: Query; from: string | null }>;

/** Roll-ups know days, sources and channels, so these are summed up at once. For other filters a number of donations is read in each step. */
async function sumFound({ client, donations }: StudioDeps, streamerId: string, { typed, query, from }: SumRequest): Promise<SumStep> {
  if (!isRolledUp(typed)) return donations.sum(streamerId, query, from);
  const { body } = await client.callWithinLimit(streamerId, "getChannelBreakdown", { query: toReportQuery(query) });
  return { ...rolledUp(body.data, typed.channel), voided: null, next: null };
}

function isRolledUp({ q, minAmount, maxAmount, status, identifier }: HistoryFilters): boolean {
  return [q, minAmount, maxAmount, identifier].every((text) => text === "") && (status === "" || status === "active");
}

const reportParameters = ["timezone", "from", "to", "source"];

function toReportQuery(query: Query): Query {
  return Object.fromEntries(Object.entries(query).filter(([name]) => reportParameters.includes(name)));
}

function rolledUp({ total, count, channels }: Schemas["ChannelBreakdown"], channel: string): Sum {
  if (channel === "") return { total, count };
  const share = channels.find((one) => one.channel === channel);
  return { total: share?.total ?? 0, count: share?.count ?? 0 };
}

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

function historyPage(page: HistoryPage): string {
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
function sumLine({ count, total, voided, next }: SumStep, page: Place): Html {
  const number = formatCount(count);
  const words = bilingual({ th: `${number} รายการ`, en: count === 1 ? "1 donation" : `${number} donations` });
  const least = next !== null && html`${bilingual({ th: "อย่างน้อย", en: "At least" })} `;
  const more = next !== null && html` ${sumLink(page, next)}`;
  return html`<p id="sum" aria-live="polite">${least}<strong>${formatAmount(total, summedIn)}</strong> ${words}${voided && voidLine(voided)}${more}</p>`;
}

function sumLink({ site, typed, cursor, trail }: Place, next: string): Html {
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

function entry(href: string, donation: Donation, isHeld: boolean): Html {
  const { source, alert, createdAt, voided } = donation;
  const time = html`<time datetime="${createdAt}">${bilingual(formatDateTime(new Date(createdAt)))}</time>`;
  const state = voided ? voidMark(voided.reason) : stateLabel(alert, isHeld);
  const marks = [state, alert.masked && maskLabel, source === "test" && testMark, time];
  return html`<li>${renderEntry({ ...donation, marks, href })}</li>`;
}
