// The parts of the alerts page, and of the dock for OBS, that their script refreshes: what plays and waits now, and the buttons that control it.

import type { Site } from "../../http/base-url.ts";
import { type Html, html } from "../../ui/html.ts";
import { type IconName, icon } from "../../ui/icons.ts";
import { type Bilingual, bilingual, isolated } from "../../ui/layout.ts";
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
import { overallPart } from "../overall.ts";
import { donationAddress, paths, replayAddress, voidAddress } from "../paths.ts";
import { connectedOverlays } from "./connected-overlays.ts";
import { decisionButton, decisionLooks, heldList, moreLine, type Queue, type QueuedPlayback, type Timeout } from "./held-alerts.ts";
import { type PlayingTime, progressLine } from "./playing-time.ts";
import { whyKeptOff } from "./replay.ts";

/** `notes` and `held`: of the latest donations, by their ids. `back`: what forms and links lead back to; empty for the page Alerts. */
export type LiveAlerts = Readonly<{
  site: Site;
  queue: Queue;
  latest: readonly Donation[];
  notes: ReadonlyMap<string, string>;
  held: ReadonlySet<string>;
  onTimeout: Timeout;
  /** When what plays began and is to end; null when nothing has begun. */
  time: PlayingTime | null;
  back: "" | "dock" | "home";
}>;

/** The parts that the script refreshes. */
export function liveParts(now: LiveAlerts): Html {
  return html`${now.back === "" && overallPart(now.site, now.queue)}${Object.values(partsOf(now))}`;
}

export type LivePart = "status" | "playing" | "overlays" | "asking" | "toggle" | "skip" | "hide" | "held" | "waiting" | "clear" | "latest";

/** Renders the live parts identically for identical data (without form tokens), so that the script can tell what has changed. */
export function partsOf(now: LiveAlerts): Record<LivePart, Html> {
  const { queue, latest } = now;
  return {
    status: html`<div id="live-status" data-live role="status">${statusLine(queue)}</div>`,
    playing: livePart("playing", queue.playing ? playingNow(now, queue.playing) : queue.connected ? nothingPlays : overlayLink(now)),
    overlays: livePart("overlays", connectedOverlays(queue) ?? (now.back === "dock" && noOverlay)),
    asking: livePart("asking", queue.asking && question(queue)),
    toggle: livePart("toggle", queue.asking ? answers : toggle(queue)),
    hide: livePart("hide", hideButton(queue)),
    held: livePart("held", heldList(queue, now.onTimeout)),
    skip: livePart("skip", skip(queue)),
    waiting: livePart("waiting", waitingList(queue)),
    clear: livePart("clear", clear(queue)),
    latest: livePart(
      "latest",
      latest.length === 0 ? noDonations : html`<ul class="entries">${latest.map((donation) => donationEntry(now, donation))}</ul>`,
    ),
  };
}

export function livePart(id: string, content: Html | false | null): Html {
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

function playingNow({ time }: LiveAlerts, playback: QueuedPlayback): Html {
  return html`<div class="playing now">${playbackEntry(playback)}${time && progressLine(time)}</div>`;
}

const nothingPlays = html`<p class="playing now note">${bilingual({ th: "ไม่มีอะไรแสดงอยู่ รายการถัดไปจะขึ้นที่นี่", en: "Nothing is playing. The next alert shows up here." })}</p>`;

function overlayLink({ site, back }: LiveAlerts): Html {
  const words = { th: "เพิ่มลิงก์แจ้งเตือนใน OBS เพื่อเริ่มแสดง", en: "Add your alert link to OBS to show alerts." };
  return html`<p><a href="${site.path(paths.overlay)}"${back === "dock" && ownTab}>${bilingual(words)}</a></p>`;
}

/** OBS opens it in the browser of the machine: the dock stays what it is. */
export const ownTab = html` target="_blank" rel="noopener"`;

/** The state of a queue that is paused or hidden does not tell it. */
const noOverlay = html`<p class="note">${bilingual({ th: "ไม่มีหน้าใดเชื่อมต่ออยู่", en: "None is connected." })}</p>`;

/** What came while OBS was closed starts once the streamer has chosen. */
function question({ waitingCount }: Queue): Html {
  const words = {
    th: `มี ${waitingCount} รายการรออยู่ จากตอนที่ OBS ปิด จะยังไม่แสดงจนกว่าคุณจะเลือก รายการที่ล้างแล้วเล่นซ้ำได้จากประวัติ`,
    en: `${waitingCount === 1 ? "1 alert is" : `${waitingCount} alerts are`} waiting, from when OBS was closed. None starts before you choose. What you clear can be replayed from the history.`,
  };
  return html`<p>${bilingual(words)}</p>`;
}

/** Of the form with the id `controls`. */
type Control = Readonly<{ id: string; value: string; icon: IconName; words: Bilingual; rank?: string; isOff?: boolean }>;

/** A button with nothing to act on is off; without a script it is the page as it was loaded that decides. */
function controlButton({ id, value, icon: name, words, rank = "", isOff = false }: Control): Html {
  return html`<button id="${id}" class="${rank}" form="controls" name="control" value="${value}"${isOff && html` disabled`}>${icon(name)}${bilingual(words)}</button>`;
}

const resume = { id: "toggle", value: "resume", icon: "play", rank: "main" } as const;
const answers = html`${controlButton({ ...resume, words: { th: "แสดงทั้งหมด", en: "Show them" } })}
${controlButton({ id: "clear-waiting", value: "clear", icon: "x", words: { th: "ล้างทั้งหมด", en: "Clear them" } })}`;

function toggle({ paused }: Queue): Html {
  return paused
    ? controlButton({ ...resume, words: { th: "เล่นต่อ", en: "Resume" } })
    : controlButton({ id: "toggle", value: "pause", icon: "pause", words: { th: "หยุดพัก", en: "Pause" } });
}

/** One press, without a confirmation: what must not be seen is on screen now. */
function hideButton({ hidden }: Queue): Html {
  return hidden
    ? controlButton({ id: "hide", value: "unhide", icon: "eye", rank: "main", words: { th: "แสดงอีกครั้ง", en: "Show again" } })
    : controlButton({
        id: "hide",
        value: "hide",
        icon: "eye-off",
        rank: "danger",
        words: { th: "ซ่อนทุกอย่าง", en: "Hide everything" },
      });
}

/** It names the alert: of two people who press it at the same time, the second one would skip the next alert. */
function skip({ playing }: Queue): Html {
  const { icon: name, th, en } = decisionLooks.skip;
  const about = playing ? html` form="decide" name="decision" value="skip ${playing.donationId}"` : html` disabled`;
  return html`<button id="skip"${about}>${icon(name)}${bilingual({ th, en })}</button>`;
}

function clear({ waitingCount }: Queue): Html {
  return controlButton({
    id: "clear",
    value: "clear",
    icon: "x",
    rank: "danger",
    words: { th: "ล้างคิวทั้งหมด", en: "Clear queue" },
    isOff: waitingCount === 0,
  });
}

const emptyQueue = html`<p class="note">${bilingual({ th: "ไม่มีรายการรอ", en: "No alerts are waiting." })}</p>`;
const noDonations = html`<p class="note">${bilingual({ th: "ยังไม่มีโดเนท ลองส่งแจ้งเตือนทดสอบดู", en: "No donations yet. Try sending a test alert." })}</p>`;

function waitingList({ waiting, waitingCount }: Queue): Html {
  if (waiting.length === 0) return emptyQueue;
  return html`<ol class="entries">${waiting.map(waitingEntry)}</ol>
${moreLine(waitingCount - waiting.length)}`;
}

function waitingEntry(playback: QueuedPlayback, place: number): Html {
  return html`<li class="narrow"><span class="mark" aria-hidden="true">${place + 1}</span>${playbackEntry(playback)}
<span class="beside">${place > 0 && decisionButton("next", playback)}${decisionButton("skip", playback)}</span></li>`;
}

/** A confirmation that works without a script. */
export const clearQueue = (button: Html) => html`<details id="clear-queue" class="note">
<summary>${bilingual({ th: "ล้างคิว…", en: "Clear queue…" })}</summary>
<p>${bilingual({
  th: "ทุกรายการที่รออยู่จะไม่แสดง รายการที่กำลังแสดงจะแสดงจนจบ",
  en: "None of the waiting alerts will be shown. The alert that is playing now will finish.",
})}</p>
${button}
</details>`;

function playbackEntry({ donatorName, amount, currency, message, source, status, replay, masked }: QueuedPlayback): Html {
  const marks = [
    status !== "queued" && stateLabel({ status, reason: null }),
    replay && replayMark,
    masked && maskLabel,
    source === "test" && testMark,
  ];
  return renderEntry({ donatorName, amount, currency, message, marks });
}

function donationEntry({ site, notes, held, back }: LiveAlerts, donation: Donation): Html {
  const { id, donatorName, amount, currency, message, source, alert, createdAt, voided } = donation;
  const note = notes.get(id);
  const marks = [
    voided ? voidMark(voided.reason) : stateLabel(alert, held.has(id)),
    alert.masked && maskLabel,
    source === "test" && testMark,
    shortTime(createdAt),
  ];
  const again = replayControl(site, donation, back);
  const voidWords = { th: "ทำให้เป็นโมฆะ…", en: "Void…" };
  const takeBack = html`<a class="button small" id="void-${id}" href="${site.path(voidAddress(id, back))}" aria-label="${aboutDonator({ th: "ทำให้เป็นโมฆะ", en: "Void" }, donatorName)}" title="${bilingual(voidWords)}">${icon("ban")}<span>${bilingual(voidWords)}</span></a>`;
  const actions = !voided && html`<span class="beside">${!isUnfinished(alert) && again}${back === "" && takeBack}</span>`;
  const href = back === "" ? { href: site.path(donationAddress(id)) } : {};
  const entry = renderEntry({ donatorName, amount, currency, message, marks, ...href });
  return html`<li class="narrow">${entry}${actions}${note !== undefined && noteLine(note)}</li>`;
}

/** A button that replays at once, or a link to the question where the alert was kept off the stream. */
function replayControl(site: Site, donation: Donation, back: string): Html {
  const { id, donatorName } = donation;
  const name = aboutDonator({ th: "เล่นซ้ำ", en: "Replay" }, donatorName);
  const isAsked = whyKeptOff(donation) !== null;
  const words = isAsked ? { th: "เล่นซ้ำ…", en: "Replay…" } : { th: "เล่นซ้ำ", en: "Replay" };
  const content = html` id="replay-${id}" aria-label="${name}" title="${bilingual(words)}">${icon("rotate-ccw")}<span>${bilingual(words)}</span>`;
  return isAsked
    ? html`<a class="button small" href="${site.path(replayAddress(id, back))}"${content}</a>`
    : html`<button class="small" form="replays" name="donation" value="${id}"${content}</button>`;
}

/** The streamer's own words beside a void donation. */
function noteLine(note: string): Html {
  return html`<p class="note">${bilingual({ th: "บันทึก", en: "Note" })}: ${isolated(note)}</p>`;
}

const replayMark = html`<span class="label">${bilingual({ th: "เล่นซ้ำ", en: "Replay" })}</span>`;
