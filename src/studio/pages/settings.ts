import { postForm } from "../../ui/form.ts";
import { type Html, html } from "../../ui/html.ts";
import { inBoth } from "../../ui/layout.ts";
import { type FieldFaults, positionOf } from "../faults.ts";
import { paths } from "../paths.ts";
import { readWords, type SettingsForm } from "../settings-form.ts";
import type { StudioParts } from "../studio-deps.ts";
import { checkField, dateField, faultSummary, isWithin, linesField, numberField, range, textField } from "./fields.ts";
import { type Framed, studioPage } from "./frame.ts";

type SettingsPage = Framed & Readonly<{ typed: SettingsForm; faults: FieldFaults; bounds: StudioParts["bounds"] }>;

export function settingsPage(page: SettingsPage): string {
  const { site, account } = page;
  return studioPage({
    ...page,
    here: "/studio/settings",
    title: { th: "ตั้งค่า", en: "Settings" },
    content: html`${faultSummary(page.faults, labels)}
${postForm({ action: site.path(paths.settings), transaction: account.transaction, content: fields(page) })}`,
  });
}

const labels = {
  minimumAmount: { th: "ยอดขั้นต่ำที่แจ้งเตือน (บาท)", en: "Smallest amount that alerts (baht)" },
  blockedWords: { th: "คำต้องห้าม", en: "Blocked words" },
  volume: { th: "ความดัง (%)", en: "Volume (%)" },
  speech: { th: "อ่านออกเสียง", en: "Read aloud" },
  minimumSeconds: { th: "แสดงอย่างน้อย (วินาที)", en: "Shown for at least (seconds)" },
  maximumSeconds: { th: "แสดงไม่เกิน (วินาที)", en: "Shown for at most (seconds)" },
  "goal.title": { th: "ชื่อเป้าหมาย", en: "Goal" },
  "goal.target": { th: "ยอดเป้าหมาย (บาท)", en: "Amount to reach (baht)" },
  "goal.from": { th: "นับตั้งแต่วันที่", en: "Counts from" },
} as const;

function fields({ typed, faults, bounds }: SettingsPage): Html {
  const field = <Name extends Exclude<keyof SettingsForm, "speech">>(name: Name) => {
    const [group, member] = name.split(".");
    return {
      name,
      label: labels[name],
      typed: typed[name],
      bounds: member ? bounds("Goal", member) : bounds("AlertSettings", group ?? ""),
    };
  };
  const number = (name: NumberName, more: Html | null = null) => {
    const one = field(name);
    return numberField({ ...one, hint: html`${range(one.bounds)}${more}` }, faults);
  };
  const maximum = field("maximumSeconds");
  const words = readWords(typed.blockedWords);
  const subject: Parameters<typeof linesField>[0]["subject"] = (fault) => words[positionOf(fault) ?? -1] ?? null;
  return html`<section class="card" aria-labelledby="which">
<h2 id="which">${inBoth({ th: "แจ้งเตือนใดบ้าง", en: "Which alerts" })}</h2>
${number("minimumAmount", inBoth(belowMinimum))}
${linesField({ ...field("blockedWords"), hint: inBoth(blocked), subject }, faults)}
</section>
<section class="card" aria-labelledby="how">
<h2 id="how">${inBoth({ th: "เสียงและเวลา", en: "Sound and time" })}</h2>
${checkField({ name: "speech", label: labels.speech, hint: inBoth(aloud), checked: typed.speech })}
${number("volume")}
<div class="pair">
${number("minimumSeconds")}
${numberField({ ...maximum, hint: html`${range(maximum.bounds)}`, words: () => (isWithin(maximum.typed, maximum.bounds) ? shorter : null) }, faults)}
</div>
</section>
<section class="card" aria-labelledby="goal">
<h2 id="goal">${inBoth({ th: "เป้าหมาย", en: "Goal" })}</h2>
<p class="note">${inBoth({ th: "เว้นชื่อและยอดว่างไว้ถ้าไม่มีเป้าหมาย", en: "Leave title and amount empty for no goal." })}</p>
${textField(field("goal.title"), faults)}
<div class="pair">
${number("goal.target")}
${dateField(field("goal.from"), faults)}
</div>
</section>
<button class="main">${inBoth({ th: "บันทึก", en: "Save" })}</button>`;
}

type NumberName = "minimumAmount" | "volume" | "minimumSeconds" | "goal.target";

const belowMinimum = {
  th: " โดเนทที่ต่ำกว่านี้ไม่แจ้งเตือน แต่ยังนับในยอดและวิดเจ็ต",
  en: "Donations below it raise no alert, but still count in totals and widgets.",
};
const blocked = {
  th: "บรรทัดละหนึ่งคำหรือวลี โดเนทที่มีคำเหล่านี้ในชื่อหรือข้อความจะไม่แจ้งเตือน",
  en: "One word or phrase a line. A donation with one of them in its name or message raises no alert.",
};
const shorter = { th: "ต้องไม่น้อยกว่าเวลาแสดงอย่างน้อย", en: "Must not be less than the seconds at least." };
const aloud = { th: "อ่านชื่อ จำนวนเงิน และข้อความ", en: "Name, amount and message are spoken." };
