// A field for a voice of the speech engine: one of those that it names, or another that is typed; and the button that speaks a sample.

import type { Site } from "../../http/base-url.ts";
import type { Fault } from "../../http/problem.ts";
import type { Voice } from "../../speech/speaker.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual, type Words } from "../../ui/layout.ts";
import { addressOf, paths } from "../paths.ts";
import { type FieldFaults, textField } from "./fields.ts";

/** What an engine says of itself. */
export type EngineFacts = Readonly<{
  state: () => Promise<Voices["state"]>;
  /** None where alerts are not spoken, or by an engine that names none. */
  voices: () => Promise<Voices["named"]>;
}>;

/**
 * `state`: `off` by the operator's setting; `none`: no engine is installed; `fallback`: the engine is hard to follow. `named`: none where the
 * engine names none.
 */
export type Voices = Readonly<{ state: "off" | "none" | "fallback" | "natural"; named: readonly Voice[] }>;

export async function readVoices(speech: EngineFacts): Promise<Voices> {
  const [state, named] = await Promise.all([speech.state(), speech.voices()]);
  return { state, named };
}

export function speaks({ state }: Voices): boolean {
  return state === "fallback" || state === "natural";
}

/** Says why alerts are not spoken, or hard to follow, and what the operator can do; null where a natural voice speaks. */
export function speechNote(state: Voices["state"]): Html | null {
  if (state === "natural") return null;
  if (state === "off")
    return bilingual({
      th: "เซิร์ฟเวอร์นี้ปิดเสียงอ่านไว้ (TTS=off) แจ้งเตือนจึงไม่ถูกอ่าน",
      en: "Speech is switched off on this server (TTS=off): alerts are not read aloud.",
    });
  const natural = html`<code>TTS_ENGINE</code>`;
  if (state === "fallback")
    return bilingual({
      th: html`เสียงอ่านตอนนี้คือ espeak-ng ซึ่งอ่านไทยแบบหุ่นยนต์ ผู้ดูแลเซิร์ฟเวอร์ตั้งเสียงที่เป็นธรรมชาติได้ด้วย ${natural}`,
      en: html`espeak-ng speaks, and its Thai sounds like a robot. The server's operator can set a natural voice with ${natural}.`,
    });
  const install = html`<code>apt-get install espeak-ng</code>`;
  return bilingual({
    th: html`เซิร์ฟเวอร์นี้ไม่มีเสียงอ่าน แจ้งเตือนจึงไม่ถูกอ่าน ผู้ดูแลเซิร์ฟเวอร์เพิ่มได้ด้วย ${install} หรือตั้งเสียงที่เป็นธรรมชาติด้วย ${natural} ไม่ต้องเริ่มเซิร์ฟเวอร์ใหม่หลังติดตั้ง`,
    en: html`This server has no speech engine: alerts are not read aloud. Its operator can add one with ${install}, which is found without a restart, or set a natural voice with ${natural}.`,
  });
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
type VoiceField = Omit<Parameters<typeof textField>[0], "hint" | "suggestions" | "words"> & Readonly<{ unset: Words }>;

export function voiceField({ unset, ...field }: VoiceField, voices: Voices, faults: FieldFaults): Html {
  const { named } = voices;
  const isUnknown = isUnknownVoice(field.typed, voices);
  const words = (fault: Fault) => (fault.code === "invalid_enum" ? chooseAnother(field.typed) : null);
  const note = speechNote(voices.state);
  const hint = html`${speaks(voices) && bilingual(hintOf(voices, unset))}${note && html` ${note}`}${isUnknown && !faults[field.name] && html` <strong>${bilingual(anotherSpeaks(field.typed))}</strong>`}`;
  const suggestions = named.map(({ name, language }) => [name, language] as const);
  return html`<div>${textField({ ...field, hint, suggestions, words }, faults)}${named.length > 0 && voiceList(named, isUnknown)}</div>`;
}

function hintOf({ named }: Voices, unset: VoiceField["unset"]): Bilingual {
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

/**
 * `voice`: as it is typed. `inherits`: an empty voice is that of the settings, else the server's. `speed`, `volume`: where the form has no field
 * for them, or nothing sound in it.
 */
type Listening = Readonly<{ site: Site; voice: string; inherits: boolean; sample: string; speed: number; volume: number }>;

export function listenButton({ site, voice, inherits, sample, speed, volume }: Listening): Html {
  const query = addressOf(paths.listen, { sample, voice });
  const address = site.path(voice === "" && !inherits ? `${query}&voice=` : query);
  const words = html` data-stop="${bilingual({ th: "หยุด", en: "Stop" })}" data-waits="${bilingual({ th: "กำลังเตรียมเสียง", en: "Preparing …" })}" data-limited="${bilingual({ th: "ฟังบ่อยเกินไป รอสักครู่แล้วลองใหม่", en: "Too often. Try again in a moment." })}" data-failed="${bilingual({ th: "ตอนนี้อ่านไม่ได้ ลองใหม่ในอีกสักครู่", en: "It can't be read aloud right now. Try again in a moment." })}"`;
  return html`<div class="field listen">
<button type="button" id="listen" data-listen="${site.path(paths.listen)}" data-speed="${speed}" data-volume="${volume}"${inherits && html` data-inherits`}${words} aria-describedby="listen-state" hidden>${bilingual({ th: "ลองฟังเสียง", en: "Listen" })}</button>
<small id="listen-state" role="status"></small>
<noscript><p class="note">${bilingual({ th: "เสียงอ่านของข้อความตัวอย่าง", en: "The sample text, read aloud" })}</p>
<audio controls preload="none" src="${address}"></audio></noscript>
</div>`;
}
