// What a page says after a form was taken: a word in its address, `?note=test`, stands for a sentence.

import type { Site } from "../http/base-url.ts";
import type { PageReply } from "../ui/serve-pages.ts";

type Text = Readonly<{ th: string; en: string }>;

/** `good`: it was done. The others say why nothing was. */
export type Notice = Readonly<{ good: boolean; words: Text }>;

const notices = {
  paused: { good: true, words: { th: "หยุดพักแล้ว รายการใหม่จะรออยู่ในคิว", en: "Paused. New alerts wait in the queue." } },
  resumed: { good: true, words: { th: "เล่นต่อแล้ว", en: "Resumed." } },
  skipped: { good: true, words: { th: "ข้ามรายการที่กำลังแสดงแล้ว", en: "Skipped what was playing." } },
  cleared: { good: true, words: { th: "ล้างคิวแล้ว", en: "The queue was cleared." } },
  replayed: { good: true, words: { th: "เพิ่มลงคิวเพื่อเล่นซ้ำแล้ว", en: "Queued once more." } },
  test: { good: true, words: { th: "ส่งแจ้งเตือนทดสอบแล้ว", en: "The test alert was sent." } },
  saved: { good: true, words: { th: "บันทึกการตั้งค่าแล้ว", en: "The settings were saved." } },
  revoked: { good: true, words: { th: "เพิกถอนคีย์แล้ว ใช้ไม่ได้อีก", en: "The key was revoked and works no longer." } },
  "nothing-plays": { good: false, words: { th: "ตอนนี้ไม่มีรายการที่กำลังแสดง", en: "Nothing is playing at the moment." } },
  "in-queue": { good: false, words: { th: "รายการนี้อยู่ในคิวหรือกำลังแสดงอยู่แล้ว", en: "This alert waits or plays already." } },
  "no-donation": { good: false, words: { th: "ไม่พบโดเนทนี้", en: "There is no such donation." } },
  "made-already": {
    good: false,
    words: {
      th: "ลิงก์เพิ่งถูกสร้างไปแล้วและยังใช้ได้ ถ้ายังไม่ได้คัดลอก ให้สร้างใหม่แทน",
      en: "The links were made a moment ago and still work. If you have not copied them, replace them.",
    },
  },
  "no-key": { good: false, words: { th: "ไม่พบคีย์นี้ หรือถูกเพิกถอนไปแล้ว", en: "There is no such key, or it was revoked already." } },
} as const satisfies Record<string, Notice>;

export type NoticeName = keyof typeof notices;

/** The notice that a page's address asks for. */
export function noticeOf(query: URLSearchParams): Notice | null {
  const name = query.get("note") ?? "";
  return Object.hasOwn(notices, name) ? notices[name as NoticeName] : null;
}

/** Back to a page, which says this. */
export function backTo(site: Site, page: string, notice: NoticeName): PageReply {
  return { status: 303, location: site.path(`${page}?note=${notice}`) };
}
