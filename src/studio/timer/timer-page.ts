// What the timer's page looks like.

import { newId } from "../../db/ids.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual } from "../../ui/layout.ts";
import type { PageReply } from "../../ui/serve-pages.ts";
import { formatDateTime } from "../../ui/times.ts";
import { checkField, type FieldFaults, faultMessages, faultSummary, numberField } from "../components/fields.ts";
import { fact, mainAction, type PageContext, pageForm, studioPage } from "../components/frame.ts";
import { paths, widgetAddress } from "../paths.ts";
import { type RulesForm, rowsOf, type StartForm, stepFields, type Timer } from "./timer-form.ts";

export type TimerPage = PageContext &
  Readonly<{
    timer: Timer;
    start: StartForm;
    /** Typed to be added or taken. */
    minutes: string;
    rules: RulesForm;
    faults: FieldFaults;
    adjustFaults: FieldFaults;
  }>;

export function timerPage(page: TimerPage): PageReply {
  const { site, timer } = page;
  const isOpen = timer.status === "running" || timer.status === "paused";
  return studioPage({
    ...page,
    here: paths.timer,
    title: { th: "ตัวจับเวลา", en: "Timer" },
    action: mainAction(site.path(widgetAddress({ kind: "timer" })), { th: "สร้างลิงก์สำหรับ OBS", en: "Make the link for OBS" }, "link"),
    content: html`<p class="note">${bilingual({
      th: "นับถอยหลังสำหรับ subathon โดเนทเพิ่มเวลาให้",
      en: "Counts down for a subathon. Donations add time.",
    })}</p>
<div class="columns">
<section class="card" aria-labelledby="now" data-source="${site.path(paths.timerNow)}">
<h2 id="now">${bilingual({ th: "ตอนนี้", en: "Now" })}</h2>
<p class="wrong" id="stale" role="alert" hidden>${bilingual({ th: "ติดต่อเซิร์ฟเวอร์ไม่ได้ ข้อมูลอาจเก่า", en: "Can't reach the server. What is shown may be old." })}</p>
${liveTimer(timer)}
<noscript><p><a href="${site.path(paths.timer)}">${bilingual({ th: "โหลดหน้านี้ใหม่", en: "Refresh" })}</a></p></noscript>
${isOpen ? openControls(page) : startControls(page)}
</section>
<section class="card" aria-labelledby="rules">
<h2 id="rules">${bilingual({ th: "กติกา", en: "Rules" })}</h2>
${rulesForm(page)}
</section>
</div>`,
  });
}

const states: Readonly<Record<Timer["status"], Readonly<{ kind: string; words: Bilingual }>>> = {
  off: { kind: "paused", words: { th: "ยังไม่เริ่ม", en: "Not started" } },
  running: { kind: "good", words: { th: "กำลังเดิน", en: "Running" } },
  paused: { kind: "paused", words: { th: "หยุดพักอยู่", en: "Paused" } },
  ended: { kind: "paused", words: { th: "จบแล้ว", en: "Ended" } },
};

/** The part that the page's script refreshes; in between it counts down what runs. */
export function liveTimer({ status, remainingMs, totalMs, endsAt, endedAt }: Timer): Html {
  const { kind, words } = states[status];
  const runs = status === "running" && html` data-left="${remainingMs}"`;
  return html`<div id="live-timer" data-live tabindex="-1">
<p class="state ${kind}"><span>${bilingual(words)}</span></p>
<p class="time-left" role="timer"${runs}>${formatLeft(remainingMs)}</p>
${totalMs > 0 && html`<progress max="${totalMs}" value="${remainingMs}" aria-label="${bilingual({ th: "เวลาที่เหลือจากทั้งหมด", en: "Time left of all" })}"></progress>`}
<dl>${totalMs > 0 && fact({ th: "รวมทั้งหมด", en: "In all" }, formatLeft(totalMs))}
${endsAt && fact({ th: "หมดเวลา", en: "Runs out" }, bilingual(formatDateTime(new Date(endsAt))))}
${endedAt && fact({ th: "จบเมื่อ", en: "Ended" }, bilingual(formatDateTime(new Date(endedAt))))}</dl>
</div>`;
}

/** `1:02:03`; a second that has begun counts. */
function formatLeft(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  const two = (part: number) => String(part).padStart(2, "0");
  return `${Math.floor(seconds / 3_600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

function openControls({ site, account, timer, minutes, adjustFaults }: TimerPage): Html {
  const toggle =
    timer.status === "running"
      ? { value: "pause", words: { th: "หยุดพัก", en: "Pause" } }
      : { value: "resume", words: { th: "เดินต่อ", en: "Resume" } };
  const control = html`<p class="buttons"><button class="main" name="control" value="${toggle.value}">${bilingual(toggle.words)}</button></p>`;
  const end = html`<details><summary>${bilingual({ th: "จบ…", en: "End…" })}</summary>
<p class="note">${bilingual({ th: "ตัวจับเวลาที่จบแล้วเดินต่อไม่ได้ เริ่มใหม่ได้อย่างเดียว", en: "A timer that has ended can't go on: it can only be started anew." })}</p>
<button class="danger" name="control" value="end">${bilingual({ th: "จบตัวจับเวลา", en: "End the timer" })}</button></details>`;
  const steps = [-300, -60, 60, 300].map(
    (seconds) =>
      html`<button name="by" value="${seconds}">${seconds < 0 ? "−" : "+"}${Math.abs(seconds) / 60} ${bilingual({ th: "นาที", en: "min" })}</button>`,
  );
  const adjust = html`<input type="hidden" name="key" value="${newId()}">
<p class="buttons">${steps}</p>
${faultMessages("seconds", adjustFaults)}
${numberField({ name: "minutes", label: { th: "จำนวนนาที", en: "Minutes" }, typed: minutes }, {})}
<p class="buttons"><button name="by" value="add">${bilingual({ th: "เพิ่ม", en: "Add" })}</button><button name="by" value="take">${bilingual({ th: "ลด", en: "Take" })}</button></p>`;
  return html`${pageForm({ site, account }, paths.controlTimer, { content: html`${control}${end}` })}
<h3>${bilingual({ th: "ปรับเวลา", en: "Adjust" })}</h3>
${pageForm({ site, account }, paths.adjustTimer, { content: adjust })}`;
}

function startControls({ site, account, start, faults }: TimerPage): Html {
  const content = html`${faultMessages("seconds", faults)}
<div class="rates">${numberField({ name: "hours", label: { th: "ชั่วโมง", en: "Hours" }, typed: start.hours }, {})}
${numberField({ name: "minutes", label: { th: "นาที", en: "Minutes" }, typed: start.minutes }, {})}</div>
<p class="buttons"><button class="main">${bilingual({ th: "เริ่ม", en: "Start" })}</button></p>`;
  return html`<h3>${bilingual({ th: "เริ่มตัวจับเวลา", en: "Start the timer" })}</h3>
${pageForm({ site, account }, paths.startTimer, { content })}`;
}

const columns: Readonly<Record<(typeof stepFields)[number], Bilingual>> = {
  from: { th: "ตั้งแต่กี่บาท", en: "From baht" },
  seconds: { th: "เพิ่มกี่วินาที", en: "Seconds added" },
  per: { th: "ทุกกี่บาท (ว่าง = ครั้งเดียว)", en: "For every baht (empty: once)" },
};
const labels = {
  steps: { th: "ขั้น", en: "Steps" },
  maximumSeconds: { th: "เดินได้นานที่สุดกี่ชั่วโมง", en: "Hours at most" },
  countTests: { th: "นับโดเนททดสอบ", en: "Count test donations" },
  countImports: { th: "นับโดเนทที่นำเข้า", en: "Count imported donations" },
} as const;

function rulesForm({ site, account, rules, faults }: TimerPage): Html {
  const row = (step: ReturnType<typeof rowsOf>[number], at: number) =>
    html`<div class="rates">${stepFields.map(
      (field) =>
        html`<div><label for="${field}-${at}">${bilingual(columns[field])}</label><input id="${field}-${at}" name="${field} ${at}" value="${step[field]}" inputmode="decimal" autocomplete="off"></div>`,
    )}</div>`;
  const content = html`${faultSummary(faults, labels)}
<p class="note">${bilingual({
    th: "ในแถวที่ยอดโดเนทถึง แถวที่เริ่มสูงสุดมีผล “ทุกกี่บาท” คิดตามสัดส่วน เช่น 60 วินาทีทุก 100 บาท: 150 บาทเพิ่ม 90 วินาที",
    en: "Of the rows that a donation reaches, the one that begins highest counts. “For every” is in proportion: at 60 seconds for every 100 baht, 150 baht add 90 seconds.",
  })}</p>
${rowsOf(rules).map(row)}
${faultMessages("steps", faults)}
${numberField({ name: "maximumSeconds", label: labels.maximumSeconds, typed: rules.maximum, hint: bilingual(maximumHint) }, faults)}
<div class="checks">${checkField({ name: "countTests", label: labels.countTests, checked: rules.countTests })}
${checkField({ name: "countImports", label: labels.countImports, checked: rules.countImports })}</div>
<p class="buttons"><button class="main">${bilingual({ th: "บันทึกกติกา", en: "Save the rules" })}</button></p>`;
  return pageForm({ site, account }, paths.timerRules, { content });
}

const maximumHint = {
  th: "นับรวมเวลาที่ผ่านไปและที่เหลือ ไม่นับช่วงหยุดพัก เว้นว่างถ้าไม่จำกัด",
  en: "Passed and left together, pauses not counted. Empty: no limit.",
};
