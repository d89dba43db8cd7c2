// What plays and waits now.

import type { Site } from "../../http/base-url.ts";
import { postForm } from "../../ui/form.ts";
import { type Html, html } from "../../ui/html.ts";
import { foreign, inBoth } from "../../ui/layout.ts";
import type { FieldFaults } from "../faults.ts";
import { paths } from "../paths.ts";
import type { Donation, Queue, QueuedPlayback, StudioParts } from "../studio-deps.ts";
import type { TestForm } from "../test-alert.ts";
import { faultSummary, numberField, range, textField } from "./fields.ts";
import { type Framed, studioPage } from "./frame.ts";
import { isOpen, moment, money, stateLabel } from "./words.ts";

export type Now = Readonly<{ site: Site; queue: Queue; latest: readonly Donation[] }>;

type AlertsPage = Framed & Now & Readonly<{ test: { typed: TestForm; faults: FieldFaults }; bounds: StudioParts["bounds"] }>;

export function alertsPage(page: AlertsPage): string {
  const { site, account } = page;
  const part = partsOf(page);
  const form = (id: string, action: string) =>
    html`<form id="${id}" method="post" action="${site.path(action)}"><input type="hidden" name="transaction" value="${account.transaction}"></form>`;
  return studioPage({
    ...page,
    here: "/studio",
    title: { th: "แจ้งเตือน", en: "Alerts" },
    content: html`${form("controls", paths.control)}${form("replays", paths.replay)}
<div class="columns" data-source="${site.path(paths.queue)}">
<section class="card" aria-labelledby="now">
<h2 id="now">${inBoth({ th: "ตอนนี้", en: "Now" })}</h2>
<p class="wrong" id="stale" role="status" hidden>${inBoth({ th: "ติดต่อเซิร์ฟเวอร์ไม่ได้ กำลังลองใหม่", en: "The server can't be reached. Trying again." })}</p>
${part.status}
${part.playing}
<div class="buttons">
${part.toggle}
<button form="controls" name="control" value="skip">${inBoth({ th: "ข้าม", en: "Skip" })}</button>
</div>
<h3>${inBoth({ th: "รอคิว", en: "Waiting" })}</h3>
${part.waiting}
${clearing}
<noscript><p><a href="${site.path(paths.alerts)}">${inBoth({ th: "โหลดหน้านี้ใหม่", en: "Refresh" })}</a></p></noscript>
</section>
<section class="card" aria-labelledby="test">
<h2 id="test">${inBoth({ th: "ทดสอบแจ้งเตือน", en: "Test alert" })}</h2>
<p class="note">${inBoth({ th: "แสดงบนสตรีมเหมือนโดเนทจริง แต่ไม่นับในยอดหรือรายงานใด", en: "Shows on stream like any other, and counts in no total or report." })}</p>
${postForm({ action: site.path(paths.test), transaction: account.transaction, content: testFields(page) })}
</section>
</div>
<section class="card" aria-labelledby="latest-title">
<h2 id="latest-title">${inBoth({ th: "โดเนทล่าสุด", en: "Latest donations" })}</h2>
${part.latest}
</section>`,
  });
}

/** The parts that change by themselves. */
export function liveParts(now: Now): Html {
  return html`${Object.values(partsOf(now))}`;
}

/** Without anything that differs from one rendering to the next, so that the script sees what has changed. */
function partsOf({ site, queue, latest }: Now): Record<"status" | "playing" | "toggle" | "waiting" | "latest", Html> {
  return {
    status: html`<div id="live-status" data-live role="status">${statusLine(queue)}</div>`,
    playing: live(
      "playing",
      queue.playing ? html`<div class="playing now">${entry(queue.playing)}</div>` : !queue.connected && wayToObs(site),
    ),
    toggle: live("toggle", toggle(queue)),
    waiting: live("waiting", waitingList(queue)),
    latest: live("latest", latest.length === 0 ? nobodyYet : html`<ul class="entries">${latest.map(donationEntry)}</ul>`),
  };
}

function live(id: string, content: Html | false): Html {
  return html`<div id="live-${id}" data-live tabindex="-1">${content}</div>`;
}

/** The one thing that screen readers read when it changes. */
function statusLine(queue: Queue): Html {
  const { kind, th, en } = stateOf(queue);
  const words = { th: `${th} · รออยู่ ${queue.waitingCount}`, en: `${en} · ${queue.waitingCount} waiting` };
  return html`<p class="state ${kind}"><span>${inBoth(words)}</span></p>`;
}

function stateOf({ paused, connected, playing }: Queue): { kind: string; th: string; en: string } {
  if (paused) return { kind: "paused", th: "หยุดพักอยู่", en: "Paused" };
  if (!connected) return { kind: "away", th: "OBS ยังไม่ได้เชื่อมต่อ", en: "No overlay is connected" };
  return playing ? { kind: "good", th: "กำลังแสดง", en: "Playing" } : { kind: "good", th: "พร้อม", en: "Ready" };
}

function wayToObs(site: Site): Html {
  const words = { th: "เพิ่มลิงก์แจ้งเตือนใน OBS เพื่อเริ่มแสดง", en: "Add your alert link to OBS, and alerts will show." };
  return html`<p><a href="${site.path(paths.overlay)}">${inBoth(words)}</a></p>`;
}

function toggle({ paused }: Queue): Html {
  return paused
    ? html`<button id="toggle" class="main" form="controls" name="control" value="resume">${inBoth({ th: "เล่นต่อ", en: "Resume" })}</button>`
    : html`<button id="toggle" form="controls" name="control" value="pause">${inBoth({ th: "หยุดพัก", en: "Pause" })}</button>`;
}

const nothingWaits = html`<p class="note">${inBoth({ th: "ไม่มีรายการรอ", en: "Nothing waits." })}</p>`;
const nobodyYet = html`<p class="note">${inBoth({ th: "ยังไม่มีโดเนท ลองส่งแจ้งเตือนทดสอบดู", en: "No donations yet. Try a test alert." })}</p>`;

function waitingList({ waiting, waitingCount }: Queue): Html {
  if (waiting.length === 0) return nothingWaits;
  const more = waitingCount - waiting.length;
  return html`<ol class="entries">${waiting.map((playback) => html`<li>${entry(playback)}</li>`)}</ol>
${more > 0 && html`<p class="note">${inBoth({ th: `และอีก ${more} รายการ`, en: `and ${more} more` })}</p>`}`;
}

/** Asks once more, without a script. */
const clearing = html`<details>
<summary>${inBoth({ th: "ล้างคิว…", en: "Clear the queue…" })}</summary>
<p>${inBoth({
  th: "ทุกรายการที่รออยู่จะไม่แสดง รายการที่กำลังแสดงจะแสดงจนจบ",
  en: "Nothing that waits will be shown. What plays now is played to its end.",
})}</p>
<button form="controls" name="control" value="clear">${inBoth({ th: "ล้างคิวทั้งหมด", en: "Clear it" })}</button>
</details>`;

function entry({ donatorName, amount, currency, message, source, status, replay }: QueuedPlayback): Html {
  const marks = [stateLabel({ status, reason: null }), replay && replayMark, source === "test" && testMark];
  return shownEntry({ donatorName, amount, currency, message, marks });
}

function donationEntry(donation: Donation): Html {
  const { id, donatorName, amount, currency, message, source, alert, receivedAt } = donation;
  const marks = [stateLabel(alert), source === "test" && testMark, moment(receivedAt)];
  const again = html`<button class="small" id="replay-${id}" form="replays" name="donation" value="${id}" aria-label="${`เล่นซ้ำ ${donatorName} – Replay ${donatorName}`}">${inBoth({ th: "เล่นซ้ำ", en: "Replay" })}</button>`;
  return html`<li>${shownEntry({ donatorName, amount, currency, message, marks })}${!isOpen(alert) && again}</li>`;
}

const replayMark = html`<span class="label">${inBoth({ th: "เล่นซ้ำ", en: "Replay" })}</span>`;
const testMark = html`<span class="label">${inBoth({ th: "ทดสอบ", en: "Test" })}</span>`;

type Entry = Pick<Donation, "donatorName" | "amount" | "currency" | "message"> & { marks: readonly (Html | false)[] };

function shownEntry({ donatorName, amount, currency, message, marks }: Entry): Html {
  return html`<div class="entry">
<p><strong>${foreign(donatorName)}</strong> <span class="amount">${money(amount, currency)}</span></p>
${message !== "" && html`<p class="said">${foreign(message)}</p>`}
<p class="marks">${marks}</p>
</div>`;
}

const labels = {
  donatorName: { th: "ชื่อผู้โดเนท", en: "Donator" },
  amount: { th: "จำนวนเงิน (บาท)", en: "Amount (baht)" },
  message: { th: "ข้อความ", en: "Message" },
} as const;

function testFields({ test: { typed, faults }, bounds }: AlertsPage): Html {
  const field = (name: keyof TestForm) => ({ name, label: labels[name], typed: typed[name], bounds: bounds("TestAlert", name) });
  const amount = field("amount");
  return html`${faultSummary(faults, labels)}
${textField(field("donatorName"), faults)}
${numberField({ ...amount, hint: html`${range(amount.bounds)}` }, faults)}
${textField(field("message"), faults)}
<button class="main">${inBoth({ th: "ส่งแจ้งเตือนทดสอบ", en: "Send a test alert" })}</button>`;
}
