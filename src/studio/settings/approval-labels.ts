// The settings of the word filter and of approval in words, in Thai and English.

import { enumOf } from "../../http/contract/published.ts";
import type { Schemas } from "../../http/operations.ts";
import type { Bilingual } from "../../ui/layout.ts";
import type { Choices } from "../components/fields.ts";

export const approvalLabels = {
  blockedWordAction: { th: "เมื่อมีคำต้องห้าม", en: "When there is a blocked word" },
  approval: { th: "รายการที่ต้องอนุมัติ", en: "Alerts that need an approval" },
  approvalSeconds: { th: "รออนุมัติได้ (วินาที)", en: "Time for an approval (seconds)" },
  onTimeout: { th: "เมื่อหมดเวลา", en: "When the time runs out" },
} as const;

const actions: Record<Schemas["BlockedWordAction"], Text> = {
  skip: { th: "ไม่แจ้งเตือน", en: "No alert" },
  mask_word: { th: "ปิดบังเฉพาะคำ", en: "Hide the word" },
  mask_text: { th: "ปิดบังชื่อหรือข้อความนั้นทั้งหมด", en: "Hide the whole name or message" },
  hold: { th: "รออนุมัติ", en: "Hold for an approval" },
};

const which: Record<Schemas["Approval"], Text> = {
  off: { th: "ไม่มี", en: "None" },
  all: { th: "ทุกรายการ", en: "All" },
  matching: { th: "รายการที่มีคำต้องห้าม", en: "Those with a blocked word" },
};

const timeouts: Record<Schemas["ApprovalTimeout"], Text> = {
  show: { th: "แสดง", en: "Show the alert" },
  drop: { th: "ไม่แสดง", en: "Don't show it" },
  mask: { th: "แสดงแต่ยอด", en: "Show its amount only" },
};

export const blockedWordChoices: Choices = enumOf("BlockedWordAction").map((action) => [action, actions[action]]);
export const approvalChoices: Choices = enumOf("Approval").map((one) => [one, which[one]]);
export const timeoutChoices: Choices = enumOf("ApprovalTimeout").map((one) => [one, timeouts[one]]);

export const approvalHint: Bilingual = {
  th: "คุณหรือผู้ดูแลอนุมัติได้ที่หน้าแจ้งเตือน",
  en: "You or your moderators decide on the page Alerts.",
};

type Text = Readonly<{ th: string; en: string }>;
