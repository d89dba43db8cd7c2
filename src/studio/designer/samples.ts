// Samples of alerts: a preview by the overlay's own page, and how the speech engine speaks them.

import type { Knex } from "knex";
import { shownTexts, spokenTexts } from "../../alerts/queue/filter.ts";
import { readOverlay } from "../../alerts/queue/overlay.ts";
import { defaultSettings } from "../../alerts/settings/settings.ts";
import { summedIn } from "../../base/summed-currency.ts";
import type { Site } from "../../http/base-url.ts";
import { isAlertColor } from "../../http/contract/published.ts";
import type { Limits } from "../../http/rate-limits/rate-limits.ts";
import type { SpeechService } from "../../speech/speech-cache.ts";
import type { Bilingual } from "../../ui/layout.ts";
import { inReadersLanguage } from "../overlay/overlay-links.ts";
import { toVariation, type VariationForm } from "./variation-form.ts";

type Sample = Readonly<{ label: Bilingual; donatorName: string; amount: number; message: string }>;

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
type PreviewOptions = Readonly<{ plays: boolean; turn: number /** Of sounds, in percent. */; volume: number }>;

export function previewAddress(site: Site, form: VariationForm, { plays, turn, volume }: PreviewOptions): string {
  const { style, seconds, ...variation } = toVariation(form);
  const { donatorName, message, ...sample } = sampleOf(form.sample);
  const amount = Math.max(amountOf(variation.from, 0), Math.min(amountOf(variation.to, Number.POSITIVE_INFINITY), sample.amount));
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
  return Object.fromEntries(colours.map(([name, text]) => [name, typeof text === "string" && isAlertColor(text) ? text : null]));
}

const amountOf = (typed: unknown, otherwise: number) => (typeof typed === "number" ? typed : otherwise);

/** What was typed may be no number yet. */
function numberOf<Otherwise>(value: unknown, otherwise: Otherwise): number | Otherwise {
  return typeof value === "number" && value >= 2 && value <= 300 ? value : otherwise;
}

type SpokenText = Readonly<{ donatorName: string; amount: number; message: string; voice?: string | null }>;

/**
 * Speaks a text as an alert's. Without `voice` it is that of the settings, with null the server's. Null: the engine fails or is slow, or the
 * streamer's quota is used up. Throws rate_limited.
 */
export type SpeakSample = (streamerId: string, text: SpokenText) => Promise<Readonly<{ mime: string; bytes: Buffer }> | null>;

/** Of the bucket of a streamer's controls, which has 30: six samples at once, so that listening leaves the engine to alerts. */
const tokens = 5;

export function speakSample(knex: Knex, speech: SpeechService, limits: Limits): SpeakSample {
  return async (streamerId, { donatorName, amount, message, voice }) => {
    await limits.spend("control", `listening ${streamerId}`, { tokens });
    const settings = (await readOverlay(knex, streamerId))?.settings ?? defaultSettings;
    const texts = spokenTexts(shownTexts({ donatorName, message, masked: false }, settings));
    const utterance = {
      ...texts,
      amount,
      currency: summedIn,
      language: "th",
      voice: voice === undefined ? settings.voice : voice,
    } as const;
    const made = await speech.prepare(streamerId, utterance);
    return made && speech.read(made.hash);
  };
}
