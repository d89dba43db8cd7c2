// A field for a voice of the speech engine: one of those that it names, or another that is typed where it names none.

import type { Fault } from "../../http/problem.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual } from "../../ui/layout.ts";
import type { StudioDeps } from "../studio-deps.ts";
import type { FieldFaults } from "./field-faults.ts";
import { textField } from "./fields.ts";

/** A voice of the speech engine: the name that settings and variations take, and its language in words. */
export type Voice = Readonly<{ name: string; language: string }>;

/** `speaks`: whether the server has a speech engine. `named`: none where it has none, or one that names no voices. */
export type Voices = Readonly<{ speaks: boolean; named: readonly Voice[] }>;

export async function readVoices({ speech }: Pick<StudioDeps, "speech">): Promise<Voices> {
  return { speaks: speech.speaks, named: await speech.voices() };
}

/** Whether the engine says that it has no such voice. A voice of espeak-ng takes a variant, as in `th+f3`. */
export function isUnknownVoice(voice: string, { named }: Voices): boolean {
  return voice !== "" && named.length > 0 && !named.some(({ name }) => voice === name || voice.startsWith(`${name}+`));
}

/** The fault of a voice that the engine does not have, unless it is the one that was saved before. The API takes any voice. */
export function voiceFaults(pointer: string, { typed, saved, voices }: { typed: string; saved: string; voices: Voices }): Fault[] {
  if (typed === saved || !isUnknownVoice(typed, voices)) return [];
  return [{ pointer, code: "invalid_enum", message: "must be a voice of the speech engine" }];
}

/** `unset`: what speaks while the field is empty. */
type VoiceField = Omit<Parameters<typeof textField>[0], "hint" | "suggestions" | "words"> &
  Readonly<{ unset: Readonly<{ th: string; en: string }> }>;

export function voiceField({ unset, ...field }: VoiceField, voices: Voices, faults: FieldFaults): Html {
  const { named } = voices;
  const isUnknown = isUnknownVoice(field.typed, voices);
  const words = (fault: Fault) => (fault.code === "invalid_enum" ? chooseAnother(field.typed) : null);
  const hint = html`${bilingual(hintOf(voices, unset))}${isUnknown && !faults[field.name] && html` <strong>${bilingual(anotherSpeaks(field.typed))}</strong>`}`;
  const suggestions = named.map(({ name, language }) => [name, language] as const);
  return html`<div>${textField({ ...field, hint, suggestions, words }, faults)}${named.length > 0 && voiceList(named, isUnknown)}</div>`;
}

function hintOf({ speaks, named }: Voices, unset: VoiceField["unset"]): Bilingual {
  if (!speaks) return { th: "เซิร์ฟเวอร์นี้ไม่มีเสียงอ่าน แจ้งเตือนจึงไม่ถูกอ่าน", en: "This server has no speech engine: alerts are not read aloud." };
  return named.length > 0
    ? { th: `เลือกจากรายการ หรือเว้นว่างถ้าใช้${unset.th}`, en: `Choose from the list, or leave it empty: ${unset.en}.` }
    : { th: `เว้นว่างถ้าใช้${unset.th}`, en: `Empty: ${unset.en}.` };
}

function chooseAnother(voice: string): Bilingual {
  return {
    th: html`เซิร์ฟเวอร์นี้ไม่มีเสียง “<bdi>${voice}</bdi>” เลือกจากรายการด้านล่าง`,
    en: html`This server has no voice “<bdi>${voice}</bdi>”. Choose one of the list below.`,
  };
}

function anotherSpeaks(voice: string): Bilingual {
  return {
    th: html`เซิร์ฟเวอร์นี้ไม่มีเสียง “<bdi>${voice}</bdi>” จึงอ่านด้วยเสียงของเซิร์ฟเวอร์`,
    en: html`This server has no voice “<bdi>${voice}</bdi>”: its own speaks.`,
  };
}

/** Names every voice, because a field's suggestions show none while something else is typed. */
function voiceList(named: readonly Voice[], isOpen: boolean): Html {
  const count = { th: `เสียงที่มี ${named.length} เสียง`, en: named.length === 1 ? "1 voice" : `${named.length} voices` };
  return html`<details class="voices"${isOpen && html` open`}>
<summary>${bilingual(count)}</summary>
<ul>${named.map(({ name, language }) => html`<li><code>${name}</code> ${language}</li>`)}</ul>
</details>`;
}
