// What the alerts page looks like, and the form of its test alert.

import type { Site } from "../../http/base-url.ts";
import { type Html, html, postForm } from "../../ui/html.ts";
import { bilingual, isolated } from "../../ui/layout.ts";
import { shortTime } from "../../ui/times.ts";
import {
  aboutDonator,
  type Donation,
  isUnfinished,
  maskLabel,
  renderEntry,
  stateLabel,
  testMark,
  voidMark,
} from "../components/donation.ts";
import { type FieldFaults, faultSummary, formatRange, numberField, readNumber, textField } from "../components/fields.ts";
import { guideLink, type PageContext, studioPage } from "../components/frame.ts";
import { speechNote, type Voices } from "../components/voice-field.ts";
import { donationAddress, paths, replayAddress } from "../paths.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { connectedOverlays } from "./connected-overlays.ts";
import { decisionButton, heldList, type Queue, type QueuedPlayback } from "./held-alerts.ts";
import { whyKeptOff } from "./replay.ts";

/** `notes` and `held`: of the latest donations, by their ids. */
type LiveAlerts = Readonly<{
  site: Site;
  queue: Queue;
  latest: readonly Donation[];
  notes: ReadonlyMap<string, string>;
  held: ReadonlySet<string>;
}>;

type AlertsPage = PageContext &
  LiveAlerts &
  Readonly<{ test: { typed: TestForm; faults: FieldFaults }; bounds: StudioDeps["bounds"]; speech: Voices["state"] }>;

export function alertsPage(page: AlertsPage): string {
  const { site, account } = page;
  const part = partsOf(page);
  // Folded, except for somebody who has received nothing yet, or typed something that is refused.
  const needsTest = page.latest.length === 0 || Object.keys(page.test.faults).length > 0;
  const form = (id: string, path: string) => postForm({ id, action: site.path(path), formToken: account.formToken });
  return studioPage({
    ...page,
    here: "/studio",
    title: { th: "แจ้งเตือน", en: "Alerts" },
    content: html`${form("controls", paths.control)}${form("replays", paths.replay)}${form("decide", paths.decide)}${form("lead", paths.lead)}
<div class="columns" data-source="${site.path(paths.queue)}">
<section class="card" aria-labelledby="now">
<h2 id="now">${bilingual({ th: "ตอนนี้", en: "Now" })}</h2>
<p class="wrong" id="stale" role="status" hidden>${bilingual({ th: "ติดต่อเซิร์ฟเวอร์ไม่ได้ กำลังลองใหม่", en: "Can't reach the server. Trying again." })}</p>
${part.status}
${part.playing}
${part.overlays}
${part.asking}
<div class="buttons stays">
${part.toggle}
${part.skip}
${part.hide}
</div>
${part.held}
<h3>${bilingual({ th: "รอคิว", en: "Waiting" })}</h3>
${clearQueue(part.clear)}
${part.waiting}
<noscript><p><a href="${site.path(paths.alerts)}">${bilingual({ th: "โหลดหน้านี้ใหม่", en: "Refresh" })}</a></p></noscript>
</section>
<section class="card" aria-labelledby="test">
<h2 id="test">${bilingual({ th: "ทดสอบแจ้งเตือน", en: "Test alert" })}</h2>
<p class="note">${bilingual({ th: "แสดงบนสตรีมเหมือนโดเนทจริง แต่ไม่นับในยอดหรือรายงานใด", en: "Plays on stream like a real alert, but doesn't count in any total or report." })}</p>
${page.speech === "none" && html`<p class="wrong">${speechNote(page.speech)}</p>`}
<details id="test-form"${needsTest && html` open`}>
<summary>${bilingual({ th: "ส่งแจ้งเตือนทดสอบ…", en: "Send a test alert…" })}</summary>
${guideLink(site, "quickstart")}
${postForm({ action: site.path(paths.test), formToken: account.formToken, content: testFields(page) })}
</details>
</section>
</div>
<section class="card" aria-labelledby="latest-title">
<h2 id="latest-title">${bilingual({ th: "โดเนทล่าสุด", en: "Latest donations" })}</h2>
${part.latest}
<p><a href="${site.path(paths.history)}">${bilingual({ th: "โดเนททั้งหมดในประวัติ", en: "All donations, in the history" })}</a></p>
</section>`,
  });
}

/** The parts of the page that its script refreshes. */
export function liveParts(now: LiveAlerts): Html {
  return html`${Object.values(partsOf(now))}`;
}

type LivePart = "status" | "playing" | "overlays" | "asking" | "toggle" | "skip" | "hide" | "held" | "waiting" | "clear" | "latest";

/** Renders the live parts identically for identical data (without form tokens), so that the script can tell what has changed. */
function partsOf(now: LiveAlerts): Record<LivePart, Html> {
  const { site, queue, latest } = now;
  return {
    status: html`<div id="live-status" data-live role="status">${statusLine(queue)}</div>`,
    playing: livePart(
      "playing",
      queue.playing ? html`<div class="playing now">${playbackEntry(queue.playing)}</div>` : !queue.connected && overlayLink(site),
    ),
    overlays: livePart("overlays", connectedOverlays(queue)),
    asking: livePart("asking", queue.asking && question(queue)),
    toggle: livePart("toggle", queue.asking ? answers : toggle(queue)),
    hide: livePart("hide", hideButton(queue)),
    held: livePart("held", heldList(queue)),
    skip: livePart("skip", skip(queue)),
    waiting: livePart("waiting", waitingList(queue)),
    clear: livePart("clear", clear(queue)),
    latest: livePart(
      "latest",
      latest.length === 0 ? noDonations : html`<ul class="entries">${latest.map((donation) => donationEntry(now, donation))}</ul>`,
    ),
  };
}

function livePart(id: string, content: Html | false | null): Html {
  return html`<div id="live-${id}" data-live tabindex="-1">${content}</div>`;
}

/** The only part that screen readers announce when it changes. */
function statusLine(queue: Queue): Html {
  const { kind, th, en } = stateOf(queue);
  const held = queue.heldCount > 0 ? { th: ` · รออนุมัติ ${queue.heldCount}`, en: ` · ${queue.heldCount} to approve` } : { th: "", en: "" };
  const words = { th: `${th} · รออยู่ ${queue.waitingCount}${held.th}`, en: `${en} · ${queue.waitingCount} waiting${held.en}` };
  return html`<p class="state ${kind}"><span>${bilingual(words)}</span></p>`;
}

function stateOf({ paused, asking, hidden, connected, playing }: Queue): { kind: string; th: string; en: string } {
  if (hidden) return { kind: "away", th: "ซ่อนทุกอย่างอยู่", en: "Everything is hidden" };
  if (asking) return { kind: "paused", th: "รอคุณเลือก แสดงหรือล้าง", en: "Waiting for your choice: show or clear" };
  if (paused) return { kind: "paused", th: "หยุดพักอยู่", en: "Paused" };
  if (!connected) return { kind: "away", th: "OBS ยังไม่ได้เชื่อมต่อ", en: "No overlay connected" };
  return playing ? { kind: "good", th: "กำลังแสดง", en: "Playing" } : { kind: "good", th: "พร้อม", en: "Ready" };
}

function overlayLink(site: Site): Html {
  const words = { th: "เพิ่มลิงก์แจ้งเตือนใน OBS เพื่อเริ่มแสดง", en: "Add your alert link to OBS to show alerts." };
  return html`<p><a href="${site.path(paths.overlay)}">${bilingual(words)}</a></p>`;
}

/** What came while OBS was closed starts once the streamer has chosen. */
function question({ waitingCount }: Queue): Html {
  const words = {
    th: `มี ${waitingCount} รายการรออยู่ จากตอนที่ OBS ปิด จะยังไม่แสดงจนกว่าคุณจะเลือก รายการที่ล้างแล้วเล่นซ้ำได้จากประวัติ`,
    en: `${waitingCount} alerts are waiting, from when OBS was closed. None starts before you choose. What you clear can be replayed from the history.`,
  };
  return html`<p>${bilingual(words)}</p>`;
}

const answers = html`<button id="toggle" class="main" form="controls" name="control" value="resume">${bilingual({ th: "แสดงทั้งหมด", en: "Show them" })}</button>
<button id="clear-waiting" form="controls" name="control" value="clear">${bilingual({ th: "ล้างทั้งหมด", en: "Clear them" })}</button>`;

function toggle({ paused }: Queue): Html {
  return paused
    ? html`<button id="toggle" class="main" form="controls" name="control" value="resume">${bilingual({ th: "เล่นต่อ", en: "Resume" })}</button>`
    : html`<button id="toggle" form="controls" name="control" value="pause">${bilingual({ th: "หยุดพัก", en: "Pause" })}</button>`;
}

/** One press, without a confirmation: what must not be seen is on screen now. */
function hideButton({ hidden }: Queue): Html {
  return hidden
    ? html`<button id="hide" class="main" form="controls" name="control" value="unhide">${bilingual({ th: "แสดงอีกครั้ง", en: "Show again" })}</button>`
    : html`<button id="hide" form="controls" name="control" value="hide">${bilingual({ th: "ซ่อนทุกอย่างทันที", en: "Hide everything now" })}</button>`;
}

/** A button with nothing to act on is off; without a script it is the page as it was loaded that decides. */
function skip({ playing }: Queue): Html {
  return html`<button id="skip" form="controls" name="control" value="skip"${!playing && html` disabled`}>${bilingual({ th: "ข้าม", en: "Skip" })}</button>`;
}

function clear({ waitingCount }: Queue): Html {
  const words = { th: "ล้างคิวทั้งหมด", en: "Clear queue" };
  return html`<button id="clear" form="controls" name="control" value="clear"${waitingCount === 0 && html` disabled`}>${bilingual(words)}</button>`;
}

const emptyQueue = html`<p class="note">${bilingual({ th: "ไม่มีรายการรอ", en: "No alerts are waiting." })}</p>`;
const noDonations = html`<p class="note">${bilingual({ th: "ยังไม่มีโดเนท ลองส่งแจ้งเตือนทดสอบดู", en: "No donations yet. Try sending a test alert." })}</p>`;

function waitingList({ waiting, waitingCount }: Queue): Html {
  if (waiting.length === 0) return emptyQueue;
  const more = waitingCount - waiting.length;
  return html`<ol class="entries">${waiting.map(waitingEntry)}</ol>
${more > 0 && html`<p class="note">${bilingual({ th: `และอีก ${more} รายการ`, en: `and ${more} more` })}</p>`}`;
}

function waitingEntry(playback: QueuedPlayback, place: number): Html {
  return html`<li class="narrow">${playbackEntry(playback)}
<span class="beside">
${place > 0 && decisionButton("next", { th: "แสดงถัดไป", en: "Play next" }, playback)}
${decisionButton("skip", { th: "ข้าม", en: "Skip" }, playback)}
</span></li>`;
}

/** A confirmation that works without a script. */
const clearQueue = (button: Html) => html`<details id="clear-queue">
<summary>${bilingual({ th: "ล้างคิว…", en: "Clear queue…" })}</summary>
<p>${bilingual({
  th: "ทุกรายการที่รออยู่จะไม่แสดง รายการที่กำลังแสดงจะแสดงจนจบ",
  en: "None of the waiting alerts will be shown. The alert that is playing now will finish.",
})}</p>
${button}
</details>`;

function playbackEntry({ donatorName, amount, currency, message, source, status, replay, masked }: QueuedPlayback): Html {
  const marks = [stateLabel({ status, reason: null }), replay && replayMark, masked && maskLabel, source === "test" && testMark];
  return renderEntry({ donatorName, amount, currency, message, marks });
}

function donationEntry({ site, notes, held }: LiveAlerts, donation: Donation): Html {
  const { id, donatorName, amount, currency, message, source, alert, createdAt, voided } = donation;
  const note = notes.get(id);
  const marks = [
    voided ? voidMark(voided.reason) : stateLabel(alert, held.has(id)),
    alert.masked && maskLabel,
    source === "test" && testMark,
    shortTime(createdAt),
  ];
  const again = replayControl(site, donation);
  const takeBack = html`<a class="small" id="void-${id}" href="${site.path(`${paths.void}?donation=${id}`)}" aria-label="${aboutDonator({ th: "ทำให้เป็นโมฆะ", en: "Void" }, donatorName)}">${bilingual({ th: "ทำให้เป็นโมฆะ…", en: "Void…" })}</a>`;
  const actions = !voided && html`<span class="beside">${!isUnfinished(alert) && again}${takeBack}</span>`;
  const entry = renderEntry({ donatorName, amount, currency, message, marks, href: site.path(donationAddress(id)) });
  return html`<li class="narrow">${entry}${actions}${note !== undefined && noteLine(note)}</li>`;
}

/** A button that replays at once, or a link to the question where the alert was kept off the stream. */
function replayControl(site: Site, donation: Donation): Html {
  const { id, donatorName } = donation;
  const name = aboutDonator({ th: "เล่นซ้ำ", en: "Replay" }, donatorName);
  return whyKeptOff(donation) === null
    ? html`<button class="small" id="replay-${id}" form="replays" name="donation" value="${id}" aria-label="${name}">${bilingual({ th: "เล่นซ้ำ", en: "Replay" })}</button>`
    : html`<a class="small" id="replay-${id}" href="${site.path(replayAddress(id))}" aria-label="${name}">${bilingual({ th: "เล่นซ้ำ…", en: "Replay…" })}</a>`;
}

/** The streamer's own words beside a void donation. */
function noteLine(note: string): Html {
  return html`<p class="note">${bilingual({ th: "บันทึก", en: "Note" })}: ${isolated(note)}</p>`;
}

const replayMark = html`<span class="label">${bilingual({ th: "เล่นซ้ำ", en: "Replay" })}</span>`;
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
${numberField({ ...amount, hint: html`${formatRange(amount.bounds)}` }, faults)}
${textField(field("message"), faults)}
<button class="main">${bilingual({ th: "ส่งแจ้งเตือนทดสอบ", en: "Send test alert" })}</button>`;
}

/** The form's fields as they were typed. */
export type TestForm = Readonly<{ donatorName: string; amount: string; message: string }>;

/** The form's initial values: the contract's defaults. */
export function initialTestForm(bounds: StudioDeps["bounds"]): TestForm {
  const [donatorName, amount, message] = ["donatorName", "amount", "message"].map((member) =>
    String(bounds("TestAlert", member).default ?? ""),
  );
  return { donatorName: donatorName ?? "", amount: amount ?? "", message: message ?? "" };
}

export function readTestForm(form: URLSearchParams): { typed: TestForm; alert: Record<string, unknown> } {
  const text = (name: string) => (form.get(name) ?? "").replaceAll("\r\n", "\n");
  const typed = { donatorName: text("donatorName"), amount: text("amount"), message: text("message") };
  return { typed, alert: { ...typed, amount: readNumber(typed.amount) } };
}
