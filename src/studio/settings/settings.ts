// The settings page, with which streamers change how their alerts behave. What was changed elsewhere meanwhile stays.

import { hash } from "node:crypto";
import { boundsOf } from "../../http/contract/published.ts";
import type { Fault } from "../../http/problem.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual } from "../../ui/layout.ts";
import { aboutText, section } from "../../ui/section.ts";
import type { PageHandler, PageReply } from "../../ui/serve-pages.ts";
import { describedField, fieldOf, labelsOf, readTyped, splitLines, toMembers, toTyped } from "../components/described-form.ts";
import { type FieldFaults, faultSummary, faultsByField, isInRange, positionOf, readNumber } from "../components/fields.ts";
import { type PageContext, pageForm, studioPage } from "../components/frame.ts";
import { listenButton, readVoices, speaks, type Voices, voiceFaults, voiceField } from "../components/voice-field.ts";
import { backTo, noticeOf } from "../notices.ts";
import { paths } from "../paths.ts";
import { changeAlertSettings, readAlertSettings } from "../streamer-client.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { type SettingsForm, settingsForm } from "./settings-form.ts";

/** GET /studio/settings */
export const showSettings = ({ accounts, client, speech }: StudioDeps): PageHandler =>
  accounts.page(paths.settings, async ({ account, query }) => {
    const [settings, voices] = await Promise.all([readAlertSettings(client, account.streamer.id), readVoices(speech)]);
    const typed = toTyped(settingsForm, settings);
    const shown = { typed, note: noteOf(typed), faults: {}, voices };
    return settingsPage({ site: accounts.site, account, notice: noticeOf(query), ...shown });
  });

/** POST /studio/settings: changes what was changed in the form, so that what was saved in another tab meanwhile stays. */
export const changeSettings = ({ accounts, client, speech }: StudioDeps): PageHandler =>
  accounts.form(paths.settings, async ({ account, form }) => {
    const { id } = account.streamer;
    const settings = await readAlertSettings(client, id);
    const current = toTyped(settingsForm, settings);
    const typed = mergeSettings(readTyped(settingsForm, form), new URLSearchParams(form.get("shown") ?? ""), current);
    const changes = changedSettings(typed, current);
    const voices = await readVoices(speech);
    const faults = await faultsByField(async () => {
      const voice = voiceFaults("/voice", { typed: typed.voice, saved: current.voice, voices });
      client.check("updateAlertSettings", { body: changes, faults: [...voice, ...findContradictions(typed)] });
      if (Object.keys(changes).length > 0) await changeAlertSettings(client, id, { from: settings, to: changes });
    });
    if (!faults) return backTo(accounts.site, paths.settings, "saved");
    return settingsPage({ site: accounts.site, account, status: 400, typed, note: noteOf(current), faults, voices });
  });

/** Only fields that are sound by themselves are compared. */
function findContradictions(typed: SettingsForm): Fault[] {
  const { minimumSeconds, maximumSeconds } = typed;
  const isSound = (name: "minimumSeconds" | "maximumSeconds") => isInRange(typed[name], boundsOf("AlertSettings", name));
  const [shortest, longest] = [readNumber(minimumSeconds), readNumber(maximumSeconds)];
  return isSound("minimumSeconds") && isSound("maximumSeconds") && longest < shortest
    ? [{ pointer: "/maximumSeconds", code: "out_of_range", message: `must be at least minimumSeconds, which is ${shortest}` }]
    : [];
}

/** What a page shows, in short: its form brings it back. Blocked words word by word. */
function noteOf(shown: SettingsForm): string {
  const note = Object.entries(shown).map(([name, value]) => [name, name === "blockedWords" ? hashesOf(String(value)) : hashOf(value)]);
  return new URLSearchParams(Object.fromEntries(note)).toString();
}

/** What was typed where that differs from what the page showed, and else what there is now. Without a note: what was typed. */
function mergeSettings(typed: SettingsForm, note: URLSearchParams, current: SettingsForm): SettingsForm {
  const merge = ([name, value]: [string, string | boolean]) => [
    name,
    hashOf(value) === note.get(name) ? current[name as keyof SettingsForm] : value,
  ];
  const blockedWords = mergeWords(typed.blockedWords, note.get("blockedWords"), current.blockedWords);
  return { ...(Object.fromEntries(Object.entries(typed).map(merge)) as SettingsForm), blockedWords };
}

/** The members of the contract in which two forms differ, with the values of the first. */
function changedSettings(wanted: SettingsForm, current: SettingsForm): Record<string, unknown> {
  const now = toMembers(settingsForm, current);
  return Object.fromEntries(
    Object.entries(toMembers(settingsForm, wanted)).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(now[name])),
  );
}

/** Words that were added elsewhere stay, and words that were removed elsewhere stay away. */
function mergeWords(typed: string, noted: string | null, current: string): string {
  if (noted === null || noted === hashesOf(current)) return typed;
  if (noted === hashesOf(typed)) return current;
  const shown = new Set(noted.split("."));
  const [mine, theirs] = [splitLines(typed), splitLines(current)];
  const kept = mine.filter((word) => theirs.includes(word) || !shown.has(hashOf(word)));
  return [...kept, ...theirs.filter((word) => !mine.includes(word) && !shown.has(hashOf(word)))].join("\n");
}

function hashesOf(words: string): string {
  return splitLines(words).map(hashOf).join(".");
}

function hashOf(value: string | boolean): string {
  return hash("sha256", String(value), "base64url").slice(0, 8);
}

type SettingsPage = PageContext &
  Readonly<{
    typed: SettingsForm;
    /** Hashes of the saved settings that the form shows. */
    note: string;
    faults: FieldFaults;
    voices: Voices;
  }>;

function settingsPage(page: SettingsPage): PageReply {
  const content = html`<input type="hidden" name="shown" value="${page.note}">
${parts.map((part) => partOf(page, part))}`;
  return studioPage({
    ...page,
    here: "/studio/settings",
    audio: true,
    title: { th: "ตั้งค่า", en: "Settings" },
    content: html`${faultSummary(page.faults, labelsOf(settingsForm))}
${pageForm(page, paths.settings, { content })}`,
  });
}

type Part = Readonly<{ id: string; title: Bilingual; about: Bilingual; fields: readonly (keyof SettingsForm)[] }>;

/** Each has a button that saves. All are of one form, so that nothing that was typed in another section is lost. */
function partOf(page: SettingsPage, { id, title, about, fields }: Part): Html {
  return section(id, {
    title,
    about: aboutText(about),
    content: html`<div class="pair">${fields.map((name) => field(page, name))}</div>
<button class="main">${bilingual({ th: "บันทึก", en: "Save" })}</button>`,
  });
}

function field({ site, typed, faults, voices }: SettingsPage, name: keyof SettingsForm): Html {
  const shown = { form: settingsForm, typed, faults };
  if (name === "voice") {
    const listen = speaks(voices) && listenButton({ site, voice: typed.voice, inherits: false, sample: "short", speed: 1, volume: 100 });
    return html`<div class="across">${voiceField({ ...fieldOf(shown, name), unset: serversVoice }, voices, faults)}${listen}</div>`;
  }
  const words = splitLines(typed.blockedWords);
  const subject = (fault: Fault) => words[positionOf(fault) ?? -1] ?? null;
  return describedField(shown, name, name === "blockedWords" ? { subject } : {});
}

const parts: readonly Part[] = [
  {
    id: "which",
    title: { th: "แจ้งเตือนใดบ้าง", en: "Which alerts" },
    about: { th: "โดเนทใดขึ้นจอ และคำใดห้ามปรากฏบนสตรีม", en: "Which donations are shown on stream, and which words never are." },
    fields: ["minimumAmount", "blockedWords", "blockedWordAction"],
  },
  {
    id: "approval",
    title: { th: "อนุมัติก่อนแสดง", en: "Approval" },
    about: { th: "ให้คุณหรือผู้ดูแลดูก่อน แล้วค่อยขึ้นจอ", en: "You or your moderators look at alerts before your viewers do." },
    fields: ["approval", "approvalSeconds", "onTimeout"],
  },
  {
    id: "speech-part",
    title: { th: "เสียงอ่าน", en: "Speech" },
    about: { th: "อ่านแจ้งเตือนออกเสียง ด้วยเสียงและความเร็วที่คุณเลือก", en: "Alerts are read aloud, in the voice and at the speed of your choice." },
    fields: ["speech", "speechMinimumAmount", "speechVolume", "voice", "speechSpeed"],
  },
  {
    id: "how",
    title: { th: "เสียงและเวลา", en: "Sound and time" },
    about: { th: "แจ้งเตือนดังแค่ไหน และอยู่บนจอนานเท่าไร", en: "How loud alerts are, and how long they stay." },
    fields: ["volume", "minimumSeconds", "maximumSeconds"],
  },
  {
    id: "queue",
    title: { th: "คิว", en: "Queue" },
    about: { th: "เมื่อมีเข้ามาพร้อมกันหลายรายการ หรือเข้ามาตอน OBS ปิด", en: "When many come at once, or while OBS is closed." },
    fields: ["pauseSeconds", "fasterFrom", "askFrom"],
  },
];

const serversVoice = { th: "เสียงของเซิร์ฟเวอร์", en: "the server's voice" };
