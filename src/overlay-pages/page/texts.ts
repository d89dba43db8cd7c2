// The texts of our pages, in Thai, or in English with ?lang=en.

import type { WidgetPeriod } from "../../ui/widget-options.ts";
import type { ParameterFault, Parameters } from "../core/parameters.ts";

const thai = {
  verb: "สนับสนุน",
  someone: "ผู้ไม่ประสงค์ออกนาม",
  today: "ยอดวันนี้",
  month: "ยอดเดือนนี้",
  all: "ยอดทั้งหมด",
  recent: "โดเนทล่าสุด",
  top: {
    all: "ผู้สนับสนุนสูงสุด",
    day: "ผู้สนับสนุนสูงสุดวันนี้",
    week: "ผู้สนับสนุนสูงสุดสัปดาห์นี้",
    month: "ผู้สนับสนุนสูงสุดเดือนนี้",
  } satisfies Record<WidgetPeriod, string>,
  largestOf: {
    all: "โดเนทสูงสุด",
    day: "โดเนทสูงสุดวันนี้",
    week: "โดเนทสูงสุดสัปดาห์นี้",
    month: "โดเนทสูงสุดเดือนนี้",
  } satisfies Record<WidgetPeriod, string>,
  latestDonator: "ผู้สนับสนุนล่าสุด",
  timer: "เวลาที่เหลือ",
  timerPaused: "หยุดพักอยู่",
  timerEnded: "หมดเวลาแล้ว",
  until: "ถึง",
  ended: "จบแล้ว",
  once: "ครั้ง",
  times: "ครั้ง",
  reached: "ถึงเป้าแล้ว!",
};

export type Words = typeof thai;

const english: Words = {
  verb: "donated",
  someone: "Anonymous",
  today: "Today",
  month: "This month",
  all: "All time",
  recent: "Recent donations",
  top: { all: "Top donators", day: "Top donators today", week: "Top donators this week", month: "Top donators this month" },
  largestOf: { all: "Largest donation", day: "Largest today", week: "Largest this week", month: "Largest this month" },
  latestDonator: "Latest donator",
  timer: "Time left",
  timerPaused: "paused",
  timerEnded: "Time is up",
  until: "until",
  ended: "ended",
  once: "donation",
  times: "donations",
  reached: "Goal reached!",
};

/** The texts in the page's language, which is set as the document's language as well. */
export function chooseWords(parameters: Parameters): Words {
  const language = parameters.choice("lang", ["th", "en"]);
  document.documentElement.lang = language;
  return language === "en" ? english : thai;
}

/** For somebody who looks at the page in an ordinary browser, whatever the language of its audience is. */
export const hints = {
  noKey: "ลิงก์นี้ไม่มีคีย์ คัดลอกลิงก์ทั้งบรรทัดจากสตูดิโอ หน้าลิงก์ OBS · This link has no key. Copy the whole link from the studio, page OBS links.",
  refused: "ลิงก์นี้ใช้ไม่ได้แล้ว สร้างลิงก์ใหม่ในสตูดิโอ หน้าลิงก์ OBS · This link no longer works. Make new links in the studio, page OBS links.",
  follows:
    "หน้านี้แสดงแจ้งเตือนพร้อมกับหน้าอื่นที่เปิดอยู่ เสียงมาจากหน้านั้น เลือกหน้าหลักได้ในสตูดิโอ · This page shows alerts at the same moment as another one, which plays their sound. Choose in the studio which one leads.",
  click: "คลิกหน้านี้หนึ่งครั้งเพื่อเปิดเสียง · Click this page once for sound.",
};

/** What is wrong with the parameters of a page; null when nothing is. */
export function parameterHint(faults: readonly ParameterFault[]): string | null {
  if (faults.length === 0) return null;
  const list = faults.map(({ name, allowed }) => `${name}: ${allowed}`).join("; ");
  return `ค่าในลิงก์หรือในการตั้งค่าวิดเจ็ตไม่ถูกต้อง ใช้ได้เฉพาะ ${list} · Wrong value in the link or in the widget's settings. Allowed: ${list}.`;
}
