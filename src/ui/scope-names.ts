// Scopes described in words for streamers.

import { enumOf } from "../http/contract/published.ts";
import type { Scope } from "../http/operations.ts";
import { type Html, html } from "./html.ts";
import { icon } from "./icons.ts";
import { bilingual, type Words } from "./layout.ts";

const scopeLabels: Record<Scope, Words> = {
  "write:donations": {
    th: "บันทึกโดเนทใหม่ให้ช่องของคุณ และแสดงแจ้งเตือนบนสตรีม",
    en: "Record new donations for your channel and show alerts on your stream",
  },
  "void:donations": {
    th: "ทำให้โดเนทเป็นโมฆะ เช่น เมื่อคืนเงินแล้ว (แอปทำได้เฉพาะโดเนทที่แอปบันทึกเอง)",
    en: "Void donations, such as those that were paid back (an app only those that it recorded)",
  },
  "erase:donators": {
    th: "ลบข้อมูลของผู้โดเนท (ชื่อ ข้อความ ตัวระบุ) อย่างถาวร โดยยอดรวมยังคงเดิม",
    en: "Erase donators: their names, messages and identifiers, for good; totals stay",
  },
  "read:donations": {
    th: "ดูประวัติโดเนท ชื่อและข้อความของผู้โดเนท และรายงาน",
    en: "See your donations, donator names and messages, and reports",
  },
  "write:alerts": {
    th: "ควบคุมการแจ้งเตือนและตัวจับเวลา: หยุดพัก ข้าม เล่นซ้ำ ล้างคิว ทดสอบ และเปลี่ยนการตั้งค่า",
    en: "Control your alerts and your timer: pause, skip, replay, clear, test and change settings",
  },
  "moderate:alerts": {
    th: "ดูคิวการแจ้งเตือน อนุมัติ ปฏิเสธ ปิดบังข้อความ ข้าม และซ่อนทุกอย่าง (ไม่เห็นรายงาน ประวัติ และการตั้งค่า)",
    en: "Moderate your alerts: see the queue, approve, deny, mask, skip and hide (no reports, history or settings)",
  },
  "read:alerts": { th: "ดูคิวการแจ้งเตือน การตั้งค่า และตัวจับเวลา", en: "See your alert queue, settings and timer" },
  "write:webhooks": {
    th: "ตั้งค่าเว็บฮุก ซึ่งส่งเหตุการณ์ของช่องคุณไปยังที่อยู่ของแอป",
    en: "Set up webhooks, which send events of your channel to an address of the app",
  },
};

/** All scopes of the contract. */
export const scopeChoices = enumOf("Scope").map((scope) => [scope, scopeLabels[scope]] as const);

export function scopeList(scopes: readonly Scope[]): Html {
  return html`<ul class="ticks">${scopes.map((scope) => html`<li>${icon("check")}<span>${bilingual(scopeLabels[scope])}</span></li>`)}</ul>`;
}
