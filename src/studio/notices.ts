// Notices that a page shows after a form was handled. The page's address names the notice, as in `?note=test`.

import type { Site } from "../http/base-url.ts";
import { Problem, type ProblemCode } from "../http/problem.ts";
import type { Words } from "../ui/layout.ts";
import { type PageReply, seeOther } from "../ui/serve-pages.ts";
import { fileCount, fileSize, totalSize } from "./designer/alert-files.ts";

/** `good` is false for a notice that says why the form changed nothing. */
export type Notice = Readonly<{ good: boolean; words: Words }>;

export const notices = {
  paused: { good: true, words: { th: "หยุดพักแล้ว รายการใหม่จะรออยู่ในคิว", en: "Alerts paused. New alerts will wait in the queue." } },
  resumed: { good: true, words: { th: "เล่นต่อแล้ว", en: "Alerts resumed." } },
  hidden: {
    good: true,
    words: {
      th: "ซ่อนทุกอย่างแล้ว หน้าใน OBS ว่างและเงียบ จนกว่าคุณจะกดแสดงอีกครั้ง",
      en: "Everything is hidden. The pages in OBS stay blank and silent until you show them again.",
    },
  },
  unhidden: { good: true, words: { th: "แสดงอีกครั้งแล้ว รายการที่รออยู่จะเล่นต่อ", en: "Shown again. Waiting alerts play now." } },
  cleared: { good: true, words: { th: "ล้างคิวแล้ว", en: "Queue cleared." } },
  approved: { good: true, words: { th: "อนุมัติแล้ว รายการนี้จะแสดงตามคิว", en: "Approved. The alert plays in its turn." } },
  masked: { good: true, words: { th: "อนุมัติแล้ว จะแสดงแต่ยอดเงิน", en: "Approved. The alert shows its amount only." } },
  denied: { good: true, words: { th: "ไม่แสดงรายการนี้แล้ว", en: "Denied. The alert isn't shown." } },
  "decided-already": {
    good: false,
    words: { th: "รายการนี้ตัดสินไปแล้ว หรือหมดเวลาไปแล้ว", en: "This alert has been decided already, or its time has run out." },
  },
  "skipped-one": { good: true, words: { th: "ข้ามรายการนี้แล้ว", en: "Alert skipped." } },
  "put-next": { good: true, words: { th: "รายการนี้จะแสดงเป็นรายการถัดไป", en: "The alert plays next." } },
  "waits-no-more": {
    good: false,
    words: { th: "รายการนี้ไม่ได้รออยู่แล้ว หรือการตั้งค่าไม่ให้แสดง", en: "This alert no longer waits, or your settings keep it from playing." },
  },
  leads: {
    good: true,
    words: { th: "หน้านี้เป็นหลักตั้งแต่แจ้งเตือนถัดไป", en: "This page leads from the next alert on." },
  },
  "no-overlay": { good: false, words: { th: "หน้านั้นไม่ได้เชื่อมต่ออยู่แล้ว", en: "That page is no longer connected." } },
  "sound-saved": { good: true, words: { th: "บันทึกแล้ว", en: "Saved." } },
  "timer-started": { good: true, words: { th: "ตัวจับเวลาเริ่มเดินแล้ว", en: "Timer started." } },
  "timer-paused": { good: true, words: { th: "หยุดตัวจับเวลาไว้แล้ว โดเนทยังเพิ่มเวลา", en: "Timer paused. Donations still add time." } },
  "timer-resumed": { good: true, words: { th: "ตัวจับเวลาเดินต่อแล้ว", en: "Timer resumed." } },
  "timer-adjusted": { good: true, words: { th: "ปรับเวลาแล้ว", en: "Time adjusted." } },
  "timer-ended": { good: true, words: { th: "ตัวจับเวลาจบแล้ว", en: "Timer ended." } },
  "timer-rules": { good: true, words: { th: "บันทึกกติกาแล้ว ใช้กับโดเนทตั้งแต่นี้ไป", en: "Rules saved. They hold for donations from now on." } },
  "timer-not-open": { good: false, words: { th: "ตัวจับเวลาไม่ได้เดินอยู่", en: "The timer doesn't run." } },
  "timer-runs": {
    good: false,
    words: { th: "ตัวจับเวลาเดินอยู่แล้ว จบก่อนถ้าจะเริ่มใหม่", en: "The timer runs already. End it before you start anew." },
  },
  "timer-adjusted-before": {
    good: false,
    words: {
      th: "ฟอร์มนี้ปรับเวลาไปแล้วด้วยจำนวนอื่น ดูเวลาก่อนแล้วลองอีกครั้ง",
      en: "This form has adjusted the time already, by another number. Look at the time, then try again.",
    },
  },
  replayed: { good: true, words: { th: "เพิ่มลงคิวเพื่อเล่นซ้ำแล้ว", en: "Added to the queue for a replay." } },
  voided: { good: true, words: { th: "โดเนทเป็นโมฆะแล้ว ไม่นับในยอดใดอีก", en: "Donation voided. It counts nowhere any more." } },
  test: { good: true, words: { th: "ส่งแจ้งเตือนทดสอบแล้ว", en: "Test alert sent." } },
  "silent-test": {
    good: true,
    words: {
      th: "ส่งแจ้งเตือนทดสอบแล้ว แต่เซิร์ฟเวอร์นี้ไม่มีเสียงอ่าน: ผู้ดูแลเพิ่มได้ด้วย apt-get install espeak-ng",
      en: "Test alert sent. It isn't read aloud, because this server has no speech engine: its operator can add one with apt-get install espeak-ng.",
    },
  },
  saved: { good: true, words: { th: "บันทึกการตั้งค่าแล้ว", en: "Settings saved." } },
  "password-changed": {
    good: true,
    words: { th: "เปลี่ยนรหัสผ่านแล้ว เบราว์เซอร์อื่นออกจากระบบแล้ว", en: "Password changed. Other browsers are logged out." },
  },
  "session-ended": { good: true, words: { th: "เบราว์เซอร์นั้นออกจากระบบแล้ว", en: "That browser is logged out." } },
  "no-session": { good: false, words: { th: "เบราว์เซอร์นั้นออกจากระบบไปแล้ว", en: "That browser was logged out already." } },
  "no-preference": { good: false, words: { th: "เลือกเขตเวลาและภาษาจากรายการ", en: "Choose a time zone and a language of the lists." } },
  revoked: { good: true, words: { th: "เพิกถอนคีย์แล้ว ใช้ไม่ได้อีก", en: "Key revoked. It no longer works." } },
  enabled: { good: true, words: { th: "เปิดแล้ว เหตุการณ์ใหม่จะถูกส่ง", en: "Webhook enabled. It gets what happens from now on." } },
  disabled: { good: true, words: { th: "ปิดแล้ว จะไม่ส่งอะไรอีก", en: "Webhook disabled. Nothing is sent to it." } },
  deleted: { good: true, words: { th: "ลบเว็บฮุกแล้ว", en: "Webhook deleted." } },
  "app-registered": { good: true, words: { th: "ลงทะเบียนแอปแล้ว", en: "Application registered." } },
  "app-saved": { good: true, words: { th: "บันทึกแอปแล้ว", en: "Application saved." } },
  "app-deleted": {
    good: true,
    words: { th: "ลบแอปแล้ว โทเคนทั้งหมดใช้ไม่ได้อีก", en: "Application deleted. None of its tokens works any more." },
  },
  "no-app": { good: false, words: { th: "ไม่พบแอปนี้", en: "Application not found." } },
  redelivered: { good: true, words: { th: "จะส่งอีกครั้งภายในไม่กี่วินาที", en: "The event will be sent again within seconds." } },
  recovering: {
    good: true,
    words: { th: "กำลังส่งเหตุการณ์ที่ยังไม่ถึงอีกครั้ง", en: "The events that did not arrive will be sent within minutes." },
  },
  "nothing-missed": { good: true, words: { th: "ไม่มีเหตุการณ์ที่ยังไม่ถึงในช่วงนี้", en: "Every event since then has arrived already." } },
  undone: { good: true, words: { th: "ทำให้โดเนทที่นำเข้าเป็นโมฆะแล้ว", en: "Import undone. Its donations are void." } },
  "no-import": { good: false, words: { th: "ไม่พบการนำเข้านี้", en: "Import not found." } },
  "no-file": { good: false, words: { th: "เลือกไฟล์ก่อน", en: "Choose a file first." } },
  "large-file": { good: false, words: { th: "ไฟล์ใหญ่เกิน 2 MiB", en: "The file is larger than 2 MiB." } },
  "reading-already": {
    good: false,
    words: { th: "กำลังอ่านไฟล์อื่นอยู่ รอสักครู่แล้วลองใหม่", en: "Other files are being read. Try again in a moment." },
  },
  "retention-on": {
    good: true,
    words: { th: "บันทึกแล้ว การลบตามอายุครั้งต่อไปจะเริ่มภายในหนึ่งชั่วโมง", en: "Saved. The next erasure by age runs within an hour." },
  },
  "retention-longer": { good: true, words: { th: "บันทึกแล้ว เก็บไว้นานขึ้น", en: "Saved. Donations are kept for longer." } },
  "retention-off": { good: true, words: { th: "บันทึกแล้ว ไม่ลบตามอายุ", en: "Saved. Nothing is erased by age." } },
  "no-erasure": { good: false, words: { th: "ไม่พบการลบนี้", en: "Erasure not found." } },
  "no-span": { good: false, words: { th: "เลือกช่วงเวลาก่อน", en: "Choose since when." } },
  "over-already": { good: false, words: { th: "รายการนี้จบไปแล้ว", en: "This alert is over already." } },
  "in-queue": { good: false, words: { th: "รายการนี้อยู่ในคิวหรือกำลังแสดงอยู่แล้ว", en: "This alert is already waiting or playing." } },
  "voided-already": { good: false, words: { th: "โดเนทนี้เป็นโมฆะอยู่แล้ว", en: "This donation is void already." } },
  "no-donator": { good: false, words: { th: "ไม่พบโดเนทของผู้โดเนทนี้", en: "There are no donations of this donator." } },
  "note-saved": { good: true, words: { th: "บันทึกแล้ว", en: "Note saved." } },
  "name-blocked": { good: true, words: { th: "บล็อกชื่อนี้แล้ว", en: "Name blocked." } },
  "name-unblocked": { good: true, words: { th: "เลิกบล็อกชื่อนี้แล้ว", en: "Name unblocked." } },
  "not-blocked": {
    good: false,
    words: {
      th: "บล็อกไม่ได้ คำต้องห้ามเต็มแล้ว ลบบางคำในตั้งค่าก่อน",
      en: "Not blocked: there are too many blocked words. Remove some in the settings first.",
    },
  },
  "no-donation": { good: false, words: { th: "ไม่พบโดเนทนี้", en: "Donation not found." } },
  "made-already": {
    good: false,
    words: {
      th: "ลิงก์เพิ่งถูกสร้างไปแล้วและยังใช้ได้ ถ้ายังไม่ได้คัดลอก ให้เพิกถอนคีย์นั้นแล้วสร้างใหม่",
      en: "Your links were created a moment ago and still work. If you haven't copied them, revoke their key and create others.",
    },
  },
  "no-key": { good: false, words: { th: "ไม่พบคีย์นี้ หรือถูกเพิกถอนไปแล้ว", en: "Key not found, or already revoked." } },
  "no-webhook": { good: false, words: { th: "ไม่พบเว็บฮุกนี้", en: "Webhook not found." } },
  "no-delivery": { good: false, words: { th: "ไม่พบรายการส่งนี้ อาจเก่ากว่า 30 วัน", en: "Delivery not found. It may be older than 30 days." } },
  "is-disabled": { good: false, words: { th: "เว็บฮุกนี้ปิดอยู่ เปิดก่อนแล้วจึงส่งได้", en: "The webhook is disabled. Enable it first." } },
  "rotated-already": {
    good: false,
    words: {
      th: "เพิ่งเปลี่ยนรหัสลับไปแล้ว ถ้ายังไม่ได้คัดลอก ให้เปลี่ยนอีกครั้ง",
      en: "The secret was replaced a moment ago. If you haven't copied it, rotate it again.",
    },
  },
  "variation-saved": { good: true, words: { th: "บันทึกรูปแบบแล้ว", en: "Variation saved." } },
  "variation-deleted": { good: true, words: { th: "ลบรูปแบบแล้ว", en: "Variation deleted." } },
  "variation-moved": { good: true, words: { th: "เปลี่ยนลำดับแล้ว", en: "Order changed." } },
  "designer-changed": {
    good: false,
    words: {
      th: "รายการถูกแก้จากที่อื่น ยังไม่ได้เปลี่ยนอะไร ลองใหม่อีกครั้ง",
      en: "The list was changed elsewhere. Nothing was changed here; try again.",
    },
  },
  "variation-changed": {
    good: false,
    words: {
      th: "รูปแบบนี้ถูกแก้หรือลบจากที่อื่นแล้ว จึงยังไม่ได้บันทึก สิ่งที่กรอกยังอยู่ที่นี่ กดบันทึกเพื่อเพิ่มเป็นรูปแบบใหม่",
      en: "This variation was changed or deleted elsewhere, so nothing was saved. What you typed is still here: Save adds it as a new variation.",
    },
  },
  "no-variation": { good: false, words: { th: "ไม่พบรูปแบบนี้", en: "Variation not found." } },
  "goal-saved": { good: true, words: { th: "บันทึกเป้าหมายแล้ว", en: "Goal saved." } },
  "goal-deleted": { good: true, words: { th: "ลบเป้าหมายแล้ว", en: "Goal deleted." } },
  "goal-moved": { good: true, words: { th: "เปลี่ยนลำดับแล้ว", en: "Order changed." } },
  "no-goal": { good: false, words: { th: "ไม่พบเป้าหมายนี้", en: "Goal not found." } },
  "goal-changed": {
    good: false,
    words: {
      th: "เป้าหมายนี้ถูกแก้หรือลบจากที่อื่นแล้ว จึงยังไม่ได้บันทึก สิ่งที่กรอกยังอยู่ที่นี่ กดบันทึกเพื่อใช้ค่านี้",
      en: "This goal was changed or deleted elsewhere, so nothing was saved. What you typed is still here: Save keeps it.",
    },
  },
  "file-added": { good: true, words: { th: "อัปโหลดแล้ว เลือกใช้ได้ในรูปแบบ", en: "File uploaded. Choose it in a variation." } },
  "file-attached": {
    good: true,
    words: { th: "อัปโหลดและเลือกไฟล์แล้ว กดบันทึกเพื่อใช้", en: "File uploaded and chosen. Save to keep the choice." },
  },
  "file-not-uploaded": {
    good: false,
    words: {
      th: "ยังไม่ได้บันทึก เพราะไฟล์ที่เลือกยังไม่ได้อัปโหลด เลือกไฟล์อีกครั้งแล้วกดอัปโหลดก่อน",
      en: "Not saved: the file that you chose was not uploaded. Choose it again, press Upload, then save.",
    },
  },
  "file-deleted": { good: true, words: { th: "ลบไฟล์แล้ว", en: "File deleted." } },
  "file-in-use": { good: false, words: { th: "รูปแบบหนึ่งยังใช้ไฟล์นี้อยู่", en: "A variation uses this file. Choose another one there first." } },
  "no-media": { good: false, words: { th: "ไม่พบไฟล์นี้", en: "File not found." } },
  "file-empty": { good: false, words: { th: "ไฟล์ว่างเปล่า", en: "The file is empty." } },
  "file-too_large": { good: false, words: { th: `ไฟล์ใหญ่เกิน ${fileSize}`, en: `The file is larger than ${fileSize}.` } },
  "file-no_room": {
    good: false,
    words: {
      th: `ที่เก็บเต็ม (${totalSize} หรือ ${fileCount} ไฟล์) ลบไฟล์ที่ไม่ใช้ก่อน`,
      en: `No room left (${totalSize} or ${fileCount} files). Delete files that you don't use.`,
    },
  },
  "file-unsupported": {
    good: false,
    words: {
      th: "ใช้ไฟล์ชนิดนี้ไม่ได้ ใช้ได้เฉพาะ JPEG, PNG, WebP, GIF, WebM, WAV, MP3, M4A และ Ogg",
      en: "This type of file is not accepted, whatever its name is. Use JPEG, PNG, WebP, GIF, WebM, WAV, MP3, M4A or Ogg.",
    },
  },
  "file-broken": {
    good: false,
    words: {
      th: "ไฟล์เสียหาย หรือมีข้อมูลอื่นต่อท้าย",
      en: "The file is damaged, or there is something else in it. Save it again with another program.",
    },
  },
  "file-active_content": {
    good: false,
    words: { th: "ไฟล์มีโค้ดซ่อนอยู่", en: "There is code in the file. Save it again without its comments and metadata." },
  },
  "file-too_many_pixels": {
    good: false,
    words: {
      th: "ภาพมีพิกเซลหรือเฟรมมากเกินไป ได้ไม่เกิน 4096 × 4096 พิกเซล ด้านละไม่เกิน 8192 และไม่เกิน 2000 เฟรม",
      en: "The image has too many pixels or frames: at most 4096 × 4096 pixels, 8192 on a side, 2000 frames.",
    },
  },
  "widget-saved": {
    good: true,
    words: {
      th: "บันทึกแล้ว วิดเจ็ตที่เปิดอยู่ใน OBS จะเปลี่ยนตามภายในหนึ่งถึงสองวินาที",
      en: "Saved. The widget that is open in OBS follows within a second or two.",
    },
  },
  "widget-changed": {
    good: false,
    words: {
      th: "การตั้งค่านี้ถูกแก้จากที่อื่น จึงยังไม่ได้บันทึก สิ่งที่กรอกยังอยู่ที่นี่ กดบันทึกเพื่อใช้แทนค่าที่เก็บอยู่",
      en: "These settings were changed elsewhere, so nothing was saved. What you typed is still here: Save replaces what is stored.",
    },
  },
} as const satisfies Record<string, Notice>;

export type NoticeName = keyof typeof notices;

/** The notice that a page's address asks for. */
export function noticeOf(query: URLSearchParams): Notice | null {
  const name = query.get("note") ?? "";
  return Object.hasOwn(notices, name) ? notices[name as NoticeName] : null;
}

/** Redirects to a page, which shows the notice. `page`: its path, with or without a query. */
export function backTo(site: Site, page: string, notice: NoticeName): PageReply {
  return seeOther(site.path(`${page}${page.includes("?") ? "&" : "?"}note=${notice}`));
}

/** The page to go back to, and its notice, for problems after which there is nothing to correct in a form. */
export type WaysBack = Readonly<Partial<Record<ProblemCode, readonly [page: string, notice: NoticeName]>>>;

/** Runs `act`; a problem that has a way back becomes a redirect. */
export async function orBack(site: Site, waysBack: WaysBack, act: () => Promise<PageReply>): Promise<PageReply> {
  try {
    return await act();
  } catch (error) {
    const way = error instanceof Problem && waysBack[error.code];
    if (!way) throw error;
    return backTo(site, ...way);
  }
}
