// The names of widgets, of their parameters and of their values.

import type { Bilingual } from "../../ui/layout.ts";
import { themeNames } from "../designer/designer-labels.ts";
import type { parameterValues, WidgetKind, WidgetParameter } from "./widget-form.ts";

type Words = Readonly<{ th: string; en: string }>;

export const kindLabels: Record<WidgetKind, Words> = {
  goal: { th: "แถบเป้าหมาย", en: "Goal bar" },
  total: { th: "ยอดรวม", en: "Total" },
  recent: { th: "โดเนทล่าสุด", en: "Latest donations" },
  top: { th: "ผู้โดเนทสูงสุด", en: "Top donators" },
  donator: { th: "ผู้โดเนทคนเดียว", en: "One donator" },
};

export const parameterLabels: Record<WidgetParameter, Words> = {
  span: { th: "ช่วงเวลา", en: "Period" },
  period: { th: "ช่วงเวลา", en: "Period" },
  count: { th: "จำนวนแถว", en: "Rows" },
  show: { th: "แสดง", en: "Show" },
  title: { th: "หัวข้อ", en: "Title" },
  lang: { th: "ภาษา", en: "Language" },
  theme: { th: "ธีม", en: "Theme" },
  card: { th: "สีพื้นการ์ด", en: "Card" },
  ink: { th: "สีชื่อ", en: "Names" },
  soft: { th: "สีข้อความรอง", en: "Labels and messages" },
  accent: { th: "สีแถบ", en: "Bar" },
  warm: { th: "สียอดเงิน", en: "Amounts" },
};

const periods = {
  all: { th: "ทั้งหมด", en: "All time" },
  day: { th: "วันนี้", en: "Today" },
  week: { th: "สัปดาห์นี้", en: "This week" },
  month: { th: "เดือนนี้", en: "This month" },
} as const;

type ListedValues = { [Name in Exclude<keyof typeof parameterValues, "count">]: Record<(typeof parameterValues)[Name][number], Words> };

export const valueLabels: ListedValues = {
  span: { all: periods.all, today: periods.day, month: periods.month },
  period: periods,
  show: { latest: { th: "โดเนทล่าสุด", en: "Latest donation" }, largest: { th: "โดเนทสูงสุด", en: "Largest donation" } },
  lang: { th: { th: "ไทย", en: "Thai" }, en: { th: "อังกฤษ", en: "English" } },
  theme: {
    namjai: themeNames.namjai,
    mint: { th: "มินต์", en: "Mint" },
    sky: { th: "ฟ้า", en: "Sky" },
    gold: themeNames.gold,
    night: { th: "กลางคืน", en: "Night" },
    paper: themeNames.paper,
  },
};

/** Beside the fields of a widget that need an explanation; null beside others. */
export function parameterHint(kind: WidgetKind, name: WidgetParameter): Bilingual | null {
  if (name === "title") return { th: "เว้นว่างไว้เพื่อใช้หัวข้อปกติ", en: "Leave empty for the usual title." };
  if (name === "period" && kind === "donator") return { th: "ใช้กับโดเนทสูงสุด", en: "For the largest donation." };
  return null;
}
