// The page of the alert settings.

import { postForm } from "../../ui/form.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual } from "../../ui/layout.ts";
import {
  checkField,
  choiceField,
  dateField,
  type FieldFaults,
  faultSummary,
  formatRange,
  isInRange,
  numberField,
  positionOf,
  textAreaField,
  textField,
} from "../components/fields.ts";
import { type PageContext, studioPage } from "../components/frame.ts";
import { listenButton, speaks, type Voices, voiceField } from "../components/voice-field.ts";
import { paths } from "../paths.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { approvalChoices, approvalHint, approvalLabels, blockedWordChoices, timeoutChoices } from "./approval-labels.ts";
import { type SettingsForm, splitWords } from "./settings-form.ts";

type SettingsPage = PageContext &
  Readonly<{
    typed: SettingsForm;
    /** Hashes of the saved settings that the form shows. */
    note: string;
    faults: FieldFaults;
    bounds: StudioDeps["bounds"];
    voices: Voices;
  }>;

export function settingsPage(page: SettingsPage): string {
  const { site, account } = page;
  return studioPage({
    ...page,
    here: "/studio/settings",
    title: { th: "ตั้งค่า", en: "Settings" },
    content: html`${faultSummary(page.faults, labels)}
${postForm({ action: site.path(paths.settings), formToken: account.formToken, content: fields(page) })}`,
  });
}

const labels = {
  minimumAmount: { th: "ยอดขั้นต่ำที่แจ้งเตือน (บาท)", en: "Minimum amount for an alert (baht)" },
  blockedWords: { th: "คำต้องห้าม", en: "Blocked words" },
  volume: { th: "ความดังของเสียง (%)", en: "Volume of sounds (%)" },
  speechVolume: { th: "ความดังของเสียงอ่าน (%)", en: "Volume of speech (%)" },
  speechSpeed: { th: "ความเร็วของเสียงอ่าน (เท่า)", en: "Speed of speech" },
  voice: { th: "เสียงอ่าน", en: "Voice" },
  speechMinimumAmount: { th: "ยอดขั้นต่ำที่อ่านออกเสียง (บาท)", en: "Minimum amount to read aloud (baht)" },
  pauseSeconds: { th: "เว้นระหว่างแจ้งเตือน (วินาที)", en: "Pause between alerts (seconds)" },
  fasterFrom: { th: "เร่งเมื่อมีรออยู่ (รายการ)", en: "Play faster when so many wait" },
  askFrom: { th: "ถามก่อนแสดง เมื่อมีเข้ามาตอน OBS ปิด (รายการ)", en: "Ask first when so many came while OBS was closed" },
  speech: { th: "อ่านออกเสียง", en: "Read aloud" },
  minimumSeconds: { th: "แสดงอย่างน้อย (วินาที)", en: "Minimum display time (seconds)" },
  maximumSeconds: { th: "แสดงไม่เกิน (วินาที)", en: "Maximum display time (seconds)" },
  ...approvalLabels,
  "goal.title": { th: "ชื่อเป้าหมาย", en: "Goal title" },
  "goal.target": { th: "ยอดเป้าหมาย (บาท)", en: "Target amount (baht)" },
  "goal.from": { th: "นับตั้งแต่วันที่", en: "Start date" },
  "goal.to": { th: "นับถึงวันที่", en: "Last day" },
} as const;

function fields({ site, typed, note, faults, bounds, voices }: SettingsPage): Html {
  const field = <Name extends Exclude<keyof SettingsForm, "speech">>(name: Name) => {
    const [group, member] = name.split(".");
    return {
      name,
      label: labels[name],
      typed: typed[name],
      bounds: member ? bounds("Goal", member) : bounds("AlertSettings", group ?? ""),
    };
  };
  const number = (name: NumberName, more: Bilingual | null = null) => {
    const one = field(name);
    const hint = html`${formatRange(one.bounds)}${more && bilingual({ th: html` ${more.th}`, en: html`. ${more.en}` })}`;
    return numberField({ ...one, hint }, faults);
  };
  const maximum = field("maximumSeconds");
  const words = splitWords(typed.blockedWords);
  const subject: Parameters<typeof textAreaField>[0]["subject"] = (fault) => words[positionOf(fault) ?? -1] ?? null;
  return html`<input type="hidden" name="shown" value="${note}">
<section class="card" aria-labelledby="which">
<h2 id="which">${bilingual({ th: "แจ้งเตือนใดบ้าง", en: "Which alerts" })}</h2>
${number("minimumAmount", belowMinimum)}
${textAreaField({ ...field("blockedWords"), hint: bilingual(blocked), subject }, faults)}
${choiceField({ ...field("blockedWordAction"), choices: blockedWordChoices }, faults)}
</section>
<section class="card" aria-labelledby="approval">
<h2 id="approval">${bilingual({ th: "อนุมัติก่อนแสดง", en: "Approval" })}</h2>
${choiceField({ ...field("approval"), choices: approvalChoices, hint: bilingual(approvalHint) }, faults)}
<div class="pair">
${number("approvalSeconds")}
${choiceField({ ...field("onTimeout"), choices: timeoutChoices }, faults)}
</div>
</section>
<section class="card" aria-labelledby="how">
<h2 id="how">${bilingual({ th: "เสียงและเวลา", en: "Sound and time" })}</h2>
${checkField({ name: "speech", label: labels.speech, hint: bilingual(aloud), checked: typed.speech })}
${number("speechMinimumAmount", belowSpoken)}
<div class="pair">
${number("volume")}
${number("speechVolume", asLoud)}
</div>
<div class="pair">
${voiceField({ ...field("voice"), unset: serversVoice }, voices, faults)}
${number("speechSpeed", ownSpeed)}
</div>
${speaks(voices) && listenButton({ site, voice: typed.voice, inherits: false, sample: "short", speed: 1, volume: 100 })}
<div class="pair">
${number("minimumSeconds")}
${numberField({ ...maximum, hint: html`${formatRange(maximum.bounds)}`, words: () => (isInRange(maximum.typed, maximum.bounds) ? shorter : null) }, faults)}
</div>
</section>
<section class="card" aria-labelledby="queue">
<h2 id="queue">${bilingual({ th: "คิว", en: "Queue" })}</h2>
${number("pauseSeconds", between)}
${number("fasterFrom", crowded)}
${number("askFrom", asked)}
</section>
<section class="card" aria-labelledby="goal">
<h2 id="goal">${bilingual({ th: "เป้าหมาย", en: "Goal" })}</h2>
<p class="note">${bilingual({ th: "เว้นชื่อและยอดว่างไว้ถ้าไม่มีเป้าหมาย", en: "Leave title and target empty if you have no goal." })}</p>
${textField(field("goal.title"), faults)}
<div class="pair">
${number("goal.target")}
${dateField(field("goal.from"), faults)}
${dateField({ ...field("goal.to"), hint: bilingual(noEnd), words: ({ code }) => (code === "out_of_range" ? endsBefore : null) }, faults)}
</div>
</section>
<div class="buttons save"><button class="main">${bilingual({ th: "บันทึก", en: "Save" })}</button></div>`;
}

type NumberName =
  | ("minimumAmount" | "volume" | "minimumSeconds" | "goal.target")
  | ("speechMinimumAmount" | "speechVolume" | "speechSpeed" | "pauseSeconds" | "fasterFrom" | "askFrom" | "approvalSeconds");

const belowMinimum = {
  th: "โดเนทที่ต่ำกว่านี้ไม่แจ้งเตือน แต่ยังนับในยอดและวิดเจ็ต",
  en: "Smaller donations don't trigger an alert, but still count in totals and widgets.",
};
const blocked = {
  th: "บรรทัดละหนึ่งคำหรือวลี ไม่ให้ปรากฏในชื่อหรือข้อความบนสตรีม",
  en: "One word or phrase per line that must not appear in a name or message on stream.",
};
const shorter = { th: "ต้องไม่น้อยกว่าเวลาแสดงอย่างน้อย", en: "Must not be less than the minimum display time." };
const noEnd = { th: "เว้นว่างไว้ถ้าไม่มีวันสิ้นสุด", en: "Leave empty if the goal has no end." };
const endsBefore = { th: "ต้องไม่ก่อนวันเริ่มนับ", en: "Must not be before the start date." };
const aloud = { th: "อ่านชื่อ จำนวนเงิน และข้อความ", en: "Reads out name, amount and message." };
const belowSpoken = {
  th: "โดเนทที่ต่ำกว่านี้แสดงโดยไม่อ่าน",
  en: "Smaller donations are shown without being read.",
};
const asLoud = { th: "เว้นว่างไว้ให้ดังเท่าเสียงอื่น", en: "Leave empty to use the volume of sounds." };
const serversVoice = { th: "เสียงของเซิร์ฟเวอร์", en: "the server's voice" };
const ownSpeed = { th: "1 คือความเร็วปกติ", en: "1 is the voice's own speed." };
const between = {
  th: "เวลาที่ไม่มีอะไรบนจอ ก่อนแจ้งเตือนถัดไป",
  en: "How long the screen stays empty before the next alert.",
};
const asked = {
  th: "หยุดรอให้คุณเลือกแสดงหรือล้างก่อน 0 คือไม่ถาม แสดงทันทีที่เปิด OBS",
  en: "They wait until you show or clear them. 0 means never: they play as soon as OBS is open.",
};
const crowded = {
  th: "เมื่อมีรายการรออย่างน้อยเท่านี้ แจ้งเตือนจะอยู่บนจอครึ่งหนึ่งของเวลาปกติ เสียงอ่านยังอ่านจนจบ 0 คือไม่เร่ง",
  en: "While at least so many alerts wait, each is on screen for half its time. Speech still plays to its end. 0 means never.",
};
