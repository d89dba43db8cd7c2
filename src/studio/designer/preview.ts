// The address of a preview: the overlay's own page, with an alert in the fragment, which browsers do not send to the server.

import type { Site } from "../../http/base-url.ts";
import { isAlertColor } from "../../http/contract/published.ts";
import type { Bilingual } from "../../ui/layout.ts";
import { inReadersLanguage } from "../overlay/overlay-language.ts";
import { toVariation, type VariationForm } from "./variation-form.ts";

export type Sample = Readonly<{ label: Bilingual; donatorName: string; amount: number; message: string }>;

const thai = "ขอบคุณสำหรับสตรีมสนุก ๆ ทุกคืนนะครับ ดูมาตั้งแต่วันแรกจนถึงวันนี้ยังสนุกเหมือนเดิม ขอให้สุขภาพแข็งแรง มีคนดูเยอะ ๆ และเล่นเกมนี้จบเร็ว ๆ ";

/** Texts that are hard to fit: the shortest, and the longest that there are. */
export const samples: Readonly<Record<string, Sample>> = {
  short: { label: { th: "สั้น", en: "Short" }, donatorName: "มะลิ", amount: 100, message: "สู้ ๆ นะ!" },
  thai: {
    label: { th: "ไทย 255 ตัวอักษร", en: "Thai, 255 characters" },
    donatorName: "ผู้ชมที่มีชื่อยาวที่สุดเท่าที่ระบบจะให้ใช้ได้ครับผม",
    amount: 500,
    message: thai.repeat(3).slice(0, 255),
  },
  arabic: {
    label: { th: "อาหรับ", en: "Arabic" },
    donatorName: "أحمد المصري",
    amount: 250.5,
    message: "شكرا على البث الرائع، أتمنى لك التوفيق! 123 GG",
  },
  million: { label: { th: "฿1,000,000", en: "฿1,000,000" }, donatorName: "Big Fan", amount: 1_000_000, message: "GG WP" },
};

/** The texts of a sample; of the first one for a name that there is not. */
export function sampleOf(name: string): Omit<Sample, "label"> {
  const { donatorName, amount, message } = (Object.hasOwn(samples, name) ? samples[name] : samples["short"]) as Sample;
  return { donatorName, amount, message };
}

/** `plays`: the whole alert with its sound; else the card stands still. `turn`: differs each time, so that the same preview plays again. */
export type PreviewOptions = Readonly<{ plays: boolean; turn: number /** Of sounds, in percent. */; volume: number }>;

export function previewAddress(site: Site, form: VariationForm, { plays, turn, volume }: PreviewOptions): string {
  const { donatorName, amount, message } = sampleOf(form.sample);
  const { style, seconds, ...variation } = toVariation(form);
  const playback = {
    ...{ id: `preview-${turn}`, donationId: "preview", donatorName, amount, currency: "THB", message, source: "test", speech: null },
    replay: false,
    variation: {
      ...variation,
      seconds: numberOf(seconds, null),
      style: { ...style, ...coloursOf(style), size: numberOf(style.size, 100), fontSize: numberOf(style.fontSize, 100) },
    },
  };
  return `${site.path(inReadersLanguage("/overlay/?preview"))}#${encodeURIComponent(JSON.stringify({ playback, plays, volume }))}`;
}

/** What would be refused is not shown: the preview has the theme's colour instead. */
function coloursOf({ cardColor, textColor, accentColor, secondColor }: ReturnType<typeof toVariation>["style"]) {
  const colours = Object.entries({ cardColor, textColor, accentColor, secondColor });
  return Object.fromEntries(colours.map(([name, text]) => [name, text !== null && isAlertColor(text) ? text : null]));
}

/** What was typed may be no number yet. */
function numberOf<Otherwise>(value: number | string | null, otherwise: Otherwise): number | Otherwise {
  return typeof value === "number" && value >= 2 && value <= 300 ? value : otherwise;
}
