// The figures that a preview shows.

import type { Widgets } from "../core/api.ts";

const donators = [
  ["สมชาย ใจดี", 5_000, "ขอบคุณสำหรับสตรีมครับ สู้ๆ นะ"],
  ["Anong", 1_234.5, "Great stream, see you tomorrow!"],
  ["น้องปุ๊กกี้ แฟนคลับหมายเลขหนึ่งของช่องนี้", 999, "เพลงนี้เพราะมากเลยค่ะ ขออีกรอบได้ไหมคะ อยากฟังอีกหลายๆ รอบ"],
  ["محمد", 500, "شكرا جزيلا"],
  ["Prasert", 300, ""],
  ["ป้าสมศรี", 250, "ทานข้าวหรือยังลูก"],
  ["Kittisak", 199, "GG"],
  ["ใบเฟิร์น", 100, "มาดูทุกวันเลย"],
  ["Malee", 50, "สู้ๆ"],
  ["เด็กชายตั้ม", 20, "ผมมีแค่นี้ครับ"],
] as const;

const recent: Widgets["recent"] = donators.map(([donatorName, amount, message], index) => ({
  ...{ donationId: `sample-${index}`, donatorName, amount, currency: "THB", message, createdAt: "2026-11-20T12:30:00.000Z" },
}));
const top: Widgets["top"] = donators.map(([donatorName, amount], index) => ({ rank: index + 1, donatorName, amount, count: 1 }));
const largest = recent[0] ?? null;

export const sampleWidgets: Widgets = {
  asOf: "2026-11-20T12:30:00.000Z",
  goal: { title: "ไมค์ตัวใหม่", target: 20_000, current: 12_345.5, to: "2026-12-31", ended: false },
  totals: { today: { amount: 1_854.5, count: 6 }, month: { amount: 98_765, count: 321 }, all: { amount: 1_234_567.25, count: 4_321 } },
  recent,
  top,
  topOf: { day: top, week: top, month: top },
  largest: { day: largest, week: largest, month: largest, all: largest },
};
