// The moderators' page: opened with a key in the address's fragment, as the overlay's pages are. No login, no cookie, nothing secret in it.

import { erasedName } from "../../base/text.ts";
import type { Site } from "../../http/base-url.ts";
import { type Html, html } from "../../ui/html.ts";
import { icon } from "../../ui/icons.ts";
import { type Bilingual, bilingual, renderPage } from "../../ui/layout.ts";
import type { PageHandler } from "../../ui/serve-pages.ts";
import { anonymous, stateLabel, testMark } from "../components/donation.ts";
import { readScript } from "../components/scripts.ts";
import { paths } from "../paths.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { type Decision, decisionLooks } from "./held-alerts.ts";

/** GET /moderate */
export const showModerate =
  ({ accounts }: StudioDeps): PageHandler =>
  async () => ({ status: 200, html: moderatePage(accounts.site), scripted: true });

/** GET /moderate/moderate.js */
export const showModerateScript: PageHandler = async () => ({ status: 200, javascript: script });

const script = readScript(new URL("moderate.js", import.meta.url));

const title = { th: "ดูแลการแจ้งเตือน", en: "Moderate alerts" };

function moderatePage(site: Site): string {
  return renderPage({
    title,
    brand: site.brand,
    script: site.path(paths.moderateScript),
    content: html`<h1>${bilingual(title)}</h1>
<noscript><p class="wrong">${bilingual({ th: "หน้านี้ต้องเปิดใช้ JavaScript", en: "This page needs JavaScript." })}</p></noscript>
<div id="notice" role="status"></div>
<div id="queue" class="stack" data-api="${site.path("/api/v1/alerts")}" data-me="${site.path("/api/v1/me")}" data-erased="${erasedName}" hidden>
<p class="note">${bilingual({ th: "ช่อง", en: "Channel" })} <strong><bdi id="channel"></bdi></strong></p>
<div id="status" role="status"></div>
<div id="playing" tabindex="-1"></div>
<div class="buttons stays">
<button type="button" id="skip" data-act="skip">${icon("skip-forward")}${bilingual({ th: "ข้าม", en: "Skip" })}</button>
<button type="button" id="hide" data-act="hide" class="danger">${icon("eye-off")}${bilingual({ th: "ซ่อนทุกอย่าง", en: "Hide everything" })}</button>
<button type="button" id="unhide" data-act="unhide" class="main" hidden>${icon("eye")}${bilingual({ th: "แสดงอีกครั้ง", en: "Show again" })}</button>
</div>
<h2>${bilingual({ th: "รออนุมัติ", en: "Waiting for approval" })}</h2>
<div id="held" tabindex="-1"></div>
<h2>${bilingual({ th: "รอคิว", en: "Waiting" })}</h2>
<div id="waiting" tabindex="-1"></div>
</div>
${Object.entries(notices).map(notice)}
${Object.entries(phrases).map(([name, words]) => template(name, html`<span>${bilingual(words)}</span>`))}
${(["preparing", "leased", "playing"] as const).map((status) => template(status, stateLabel({ status, reason: null })))}
${template("test", testMark)}
${template("replay", label({ th: "เล่นซ้ำ", en: "Replay" }))}
${template("masked", label({ th: "แสดงแต่ยอด", en: "Amount only" }))}
${template("entry", entry)}
${template("timesOut", html`<span class="label">${icon("clock")}<span data-until data-in="${bilingual({ th: "ตัดสินเองในอีก", en: "Time-out in" })}"></span></span>`)}
${template("heldButtons", html`<span class="buttons">${(["approve", "mask", "deny"] as const).map(button)}</span>`)}
${template("waitingButtons", html`<span class="beside">${button("deny")}</span>`)}`,
  });
}

/** What the page says above the queue, or instead of it. */
const notices: Readonly<Record<string, Bilingual>> = {
  noKey: {
    th: "ลิงก์นี้ไม่มีคีย์ เปิดลิงก์ทั้งบรรทัดที่สตรีมเมอร์ส่งให้อีกครั้ง",
    en: "There is no key. Open the whole link that your streamer gave you.",
  },
  refused: {
    th: "ลิงก์นี้ใช้ไม่ได้แล้ว ขอลิงก์ใหม่จากสตรีมเมอร์",
    en: "This link no longer works. Ask your streamer for another one.",
  },
  forbidden: {
    th: "คีย์ในลิงก์นี้ไม่มีสิทธิ์ดูแลการแจ้งเตือน ขอลิงก์ใหม่จากสตรีมเมอร์",
    en: "The key of this link may not moderate alerts. Ask your streamer for another link.",
  },
  stale: { th: "ติดต่อเซิร์ฟเวอร์ไม่ได้ กำลังลองใหม่", en: "Can't reach the server. Trying again." },
  tooMany: { th: "มีคำขอมากเกินไป กำลังรอสักครู่", en: "Too many requests. Waiting a moment." },
  decided: {
    th: "รายการนี้มีคนตัดสิน เล่นจบ หรือหมดเวลาไปแล้ว",
    en: "Somebody has decided about this alert already, or it is over.",
  },
};

const phrases: Readonly<Record<string, Bilingual>> = {
  hidden: { th: "ซ่อนทุกอย่างอยู่", en: "Everything is hidden" },
  paused: { th: "หยุดพักอยู่", en: "Paused" },
  away: { th: "OBS ยังไม่ได้เชื่อมต่อ", en: "No overlay connected" },
  shows: { th: "กำลังแสดง", en: "Playing" },
  ready: { th: "พร้อม", en: "Ready" },
  noneHeld: { th: "ไม่มีรายการรออนุมัติ", en: "Nothing waits for approval." },
  noneWaiting: { th: "ไม่มีรายการรอ", en: "No alerts are waiting." },
  more: { th: "และอีก", en: "and more:" },
  anonymous,
};

const entry = html`<div class="entry">
<p><strong><bdi data-part="name"></bdi></strong> <span class="amount" data-part="amount"></span></p>
<p class="said"><bdi data-part="message"></bdi></p>
<p class="marks" data-part="marks"></p>
</div>`;

function button(decision: Decision): Html {
  const { icon: name, rank, th, en } = decisionLooks[decision];
  return html`<button type="button" class="small${rank}" data-act="${decision}">${icon(name)}<span>${bilingual({ th, en })}</span></button>`;
}

function label(words: Bilingual): Html {
  return html`<span class="label">${bilingual(words)}</span>`;
}

function notice([name, words]: [string, Bilingual]): Html {
  return template(name, html`<p class="wrong">${bilingual(words)}</p>`);
}

/** A part that the script shows a copy of. */
function template(name: string, content: Html): Html {
  return html`<template data-name="${name}">${content}</template>
`;
}
