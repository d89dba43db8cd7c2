// The page of the alert settings.

import type { Fault } from "../../http/problem.ts";
import { type Html, html, postForm } from "../../ui/html.ts";
import { bilingual } from "../../ui/layout.ts";
import { describedField, fieldOf, labelsOf, splitLines } from "../components/described-form.ts";
import { type FieldFaults, faultSummary, positionOf } from "../components/fields.ts";
import { type PageContext, studioPage } from "../components/frame.ts";
import { listenButton, speaks, type Voices, voiceField } from "../components/voice-field.ts";
import { paths } from "../paths.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { type SettingsForm, settingsForm } from "./settings-form.ts";

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
    content: html`${faultSummary(page.faults, labelsOf(settingsForm))}
${postForm({ action: site.path(paths.settings), formToken: account.formToken, content: fields(page) })}`,
  });
}

function fields({ site, typed, note, faults, bounds, voices }: SettingsPage): Html {
  const shown = { form: settingsForm, typed, faults, bounds };
  const field = (name: keyof SettingsForm) => describedField(shown, name);
  const words = splitLines(typed.blockedWords);
  const subject = (fault: Fault) => words[positionOf(fault) ?? -1] ?? null;
  return html`<input type="hidden" name="shown" value="${note}">
<section class="card" aria-labelledby="which">
<h2 id="which">${bilingual({ th: "แจ้งเตือนใดบ้าง", en: "Which alerts" })}</h2>
${field("minimumAmount")}
${describedField(shown, "blockedWords", { subject })}
${field("blockedWordAction")}
</section>
<section class="card" aria-labelledby="approval">
<h2 id="approval">${bilingual({ th: "อนุมัติก่อนแสดง", en: "Approval" })}</h2>
${field("approval")}
<div class="pair">
${field("approvalSeconds")}
${field("onTimeout")}
</div>
</section>
<section class="card" aria-labelledby="how">
<h2 id="how">${bilingual({ th: "เสียงและเวลา", en: "Sound and time" })}</h2>
${field("speech")}
${field("speechMinimumAmount")}
<div class="pair">
${field("volume")}
${field("speechVolume")}
</div>
<div class="pair">
${voiceField({ ...fieldOf(shown, "voice"), unset: serversVoice }, voices, faults)}
${field("speechSpeed")}
</div>
${speaks(voices) && listenButton({ site, voice: typed.voice, inherits: false, sample: "short", speed: 1, volume: 100 })}
<div class="pair">
${field("minimumSeconds")}
${field("maximumSeconds")}
</div>
</section>
<section class="card" aria-labelledby="queue">
<h2 id="queue">${bilingual({ th: "คิว", en: "Queue" })}</h2>
${field("pauseSeconds")}
${field("fasterFrom")}
${field("askFrom")}
</section>
<section class="card" aria-labelledby="goal">
<h2 id="goal">${bilingual({ th: "เป้าหมาย", en: "Goal" })}</h2>
<p class="note">${bilingual({ th: "เว้นชื่อและยอดว่างไว้ถ้าไม่มีเป้าหมาย", en: "Leave title and target empty if you have no goal." })}</p>
${field("goal.title")}
<div class="pair">
${field("goal.target")}
${field("goal.from")}
${field("goal.to")}
</div>
</section>
<div class="buttons save"><button class="main">${bilingual({ th: "บันทึก", en: "Save" })}</button></div>`;
}

const serversVoice = { th: "เสียงของเซิร์ฟเวอร์", en: "the server's voice" };
