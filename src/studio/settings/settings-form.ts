// The form of the alert settings, described once: a new setting is one line here. Other rooms have its bounds and its default.

import type { Settings } from "../../alerts/settings/settings.ts";
import { enumOf } from "../../http/contract/published.ts";
import type { Schemas } from "../../http/operations.ts";
import type { Words } from "../../ui/layout.ts";
import type { DescribedForm, FieldDescription, Typed } from "../components/described-form.ts";
import { choicesOf, isInRange } from "../components/fields.ts";

const blockedWordActions: Readonly<Record<Schemas["BlockedWordAction"], Words>> = {
  skip: { th: "ไม่แจ้งเตือน", en: "No alert" },
  mask_word: { th: "ปิดบังเฉพาะคำ", en: "Hide the word" },
  mask_text: { th: "ปิดบังชื่อหรือข้อความนั้นทั้งหมด", en: "Hide the whole name or message" },
  hold: { th: "รออนุมัติ", en: "Hold for an approval" },
};

const approvals: Readonly<Record<Schemas["Approval"], Words>> = {
  off: { th: "ไม่มี", en: "None" },
  all: { th: "ทุกรายการ", en: "All" },
  matching: { th: "รายการที่มีคำต้องห้าม", en: "Those with a blocked word" },
};

const timeouts: Readonly<Record<Schemas["ApprovalTimeout"], Words>> = {
  show: { th: "แสดง", en: "Show the alert" },
  drop: { th: "ไม่แสดง", en: "Don't show it" },
  mask: { th: "แสดงแต่ยอด", en: "Show its amount only" },
};

/** The settings with a field, as members of the contract's AlertSettings. One that is missing below does not compile. */
type Setting = Exclude<keyof Settings, "goal" | "goals" | "variations">;

export const settingsForm = {
  schema: "AlertSettings",
  fields: {
    minimumAmount: {
      kind: "number",
      label: { th: "ยอดขั้นต่ำที่แจ้งเตือน (บาท)", en: "Minimum amount for an alert (baht)" },
      hint: {
        th: "โดเนทที่ต่ำกว่านี้ไม่แจ้งเตือน แต่ยังนับในยอดและวิดเจ็ต",
        en: "Smaller donations don't trigger an alert, but still count in totals and widgets.",
      },
    },
    blockedWords: {
      kind: "lines",
      label: { th: "คำต้องห้าม", en: "Blocked words" },
      hint: {
        th: "บรรทัดละหนึ่งคำหรือวลี ไม่ให้ปรากฏในชื่อหรือข้อความบนสตรีม",
        en: "One word or phrase per line that must not appear in a name or message on stream.",
      },
    },
    volume: { kind: "number", slides: 1, label: { th: "ความดังของเสียง (%)", en: "Volume of sounds (%)" } },
    speech: {
      kind: "check",
      label: { th: "อ่านออกเสียง", en: "Read aloud" },
      hint: { th: "อ่านชื่อ จำนวนเงิน และข้อความ", en: "Reads out name, amount and message." },
    },
    minimumSeconds: { kind: "number", slides: 1, label: { th: "แสดงอย่างน้อย (วินาที)", en: "Minimum display time (seconds)" } },
    maximumSeconds: {
      kind: "number",
      slides: 1,
      label: { th: "แสดงไม่เกิน (วินาที)", en: "Maximum display time (seconds)" },
      words: (_, { typed, bounds }) =>
        isInRange(typed, bounds) ? { th: "ต้องไม่น้อยกว่าเวลาแสดงอย่างน้อย", en: "Must not be less than the minimum display time." } : null,
    },
    pauseSeconds: {
      kind: "number",
      slides: 1,
      label: { th: "เว้นระหว่างแจ้งเตือน (วินาที)", en: "Pause between alerts (seconds)" },
      hint: { th: "เวลาที่ไม่มีอะไรบนจอ ก่อนแจ้งเตือนถัดไป", en: "How long the screen stays empty before the next alert." },
    },
    fasterFrom: {
      kind: "number",
      label: { th: "เร่งเมื่อมีรออยู่ (รายการ)", en: "Play faster when so many wait" },
      hint: {
        th: "เมื่อมีรายการรออย่างน้อยเท่านี้ แจ้งเตือนจะอยู่บนจอครึ่งหนึ่งของเวลาปกติ เสียงอ่านยังอ่านจนจบ 0 คือไม่เร่ง",
        en: "While at least so many alerts wait, each is on screen for half its time. Speech still plays to its end. 0 means never.",
      },
    },
    askFrom: {
      kind: "number",
      label: { th: "ถามก่อนแสดง เมื่อมีเข้ามาตอน OBS ปิด (รายการ)", en: "Ask first when so many came while OBS was closed" },
      hint: {
        th: "หยุดรอให้คุณเลือกแสดงหรือล้างก่อน 0 คือไม่ถาม แสดงทันทีที่เปิด OBS",
        en: "They wait until you show or clear them. 0 means never: they play as soon as OBS is open.",
      },
    },
    speechMinimumAmount: {
      kind: "number",
      label: { th: "ยอดขั้นต่ำที่อ่านออกเสียง (บาท)", en: "Minimum amount to read aloud (baht)" },
      hint: { th: "โดเนทที่ต่ำกว่านี้แสดงโดยไม่อ่าน", en: "Smaller donations are shown without being read." },
    },
    speechVolume: {
      kind: "number",
      slides: 1,
      empty: null,
      label: { th: "ความดังของเสียงอ่าน (%)", en: "Volume of speech (%)" },
      hint: { th: "เว้นว่างไว้ให้ดังเท่าเสียงอื่น", en: "Leave empty to use the volume of sounds." },
    },
    speechSpeed: {
      kind: "number",
      slides: 0.1,
      label: { th: "ความเร็วของเสียงอ่าน (เท่า)", en: "Speed of speech" },
      hint: { th: "1 คือความเร็วปกติ", en: "1 is the voice's own speed." },
    },
    voice: { kind: "voice", empty: null, label: { th: "เสียงอ่าน", en: "Voice" } },
    blockedWordAction: {
      kind: "choice",
      label: { th: "เมื่อมีคำต้องห้าม", en: "When there is a blocked word" },
      choices: choicesOf(enumOf("BlockedWordAction"), blockedWordActions),
    },
    approval: {
      kind: "choice",
      label: { th: "รายการที่ต้องอนุมัติ", en: "Alerts that need an approval" },
      hint: { th: "คุณหรือผู้ดูแลอนุมัติได้ที่หน้าแจ้งเตือน", en: "You or your moderators decide on the page Alerts." },
      choices: choicesOf(enumOf("Approval"), approvals),
    },
    approvalSeconds: { kind: "number", slides: 10, label: { th: "รออนุมัติได้ (วินาที)", en: "Time for an approval (seconds)" } },
    onTimeout: {
      kind: "choice",
      label: { th: "เมื่อหมดเวลา", en: "When the time runs out" },
      choices: choicesOf(enumOf("ApprovalTimeout"), timeouts),
    },
  } satisfies Record<Setting, FieldDescription>,
} as const satisfies DescribedForm;

export type SettingsForm = Typed<typeof settingsForm>;
