// What a new streamer does first, as a list that ticks itself. It goes when all is done, or when the streamer hides it.

import type { Knex } from "knex";
import type { Site } from "../../http/base-url.ts";
import { type Html, html } from "../../ui/html.ts";
import { icon } from "../../ui/icons.ts";
import { type Bilingual, bilingual } from "../../ui/layout.ts";
import { type PageHandler, seeOther } from "../../ui/serve-pages.ts";
import { type PageContext, pageForm } from "../components/frame.ts";
import { paths } from "../paths.ts";
import { readAlertSettings } from "../streamer-client.ts";
import type { StudioDeps } from "../studio-deps.ts";

type Step = keyof typeof steps;

const steps = {
  overlay: {
    page: paths.overlay,
    name: { th: "ใส่หน้าแจ้งเตือนใน OBS", en: "Put the overlay into OBS" },
    how: { th: "สร้างลิงก์ แล้ววางเป็น Browser source", en: "Make a link and paste it as a browser source." },
  },
  test: {
    page: `${paths.alerts}#test`,
    name: { th: "ส่งแจ้งเตือนทดสอบ", en: "Send a test alert" },
    how: { th: "ดูว่าขึ้นบนสตรีมอย่างไร ไม่นับในยอดใด", en: "See it on your stream. It counts in no total." },
  },
  design: {
    page: paths.designer,
    name: { th: "ออกแบบแจ้งเตือน", en: "Design your alert" },
    how: { th: "เลือกธีม ภาพ เสียง และตัวอักษร", en: "Choose theme, picture, sound and typeface." },
  },
  speech: {
    page: paths.settings,
    name: { th: "เลือกเสียงอ่าน", en: "Choose the voice" },
    how: { th: "ฟังตัวอย่าง ตั้งความเร็วและยอดขั้นต่ำที่อ่าน", en: "Listen to it; set its speed and from which amount it reads." },
  },
  key: {
    page: paths.keys,
    name: { th: "ให้คีย์กับโปรแกรม", en: "Share a key" },
    how: { th: "โปรแกรมที่มีคีย์ส่งโดเนทเข้ามาได้", en: "A program that has one can send you donations." },
  },
  past: {
    page: paths.imports,
    name: { th: "นำเข้าโดเนทเก่า", en: "Import your past" },
    how: { th: "จากไฟล์ของที่เดิม เป็น CSV หรือ XLSX", en: "From the files of where you were, CSV or XLSX." },
  },
} as const satisfies Record<string, { page: string; name: Bilingual; how: Bilingual }>;

const names = Object.keys(steps) as readonly Step[];

export function openFirstSteps(knex: Knex): StudioDeps["firstSteps"] {
  return {
    areOver: async (streamerId) => (await knex("first_steps").where({ streamer_id: streamerId }).first("streamer_id")) !== undefined,
    end: async (streamerId) => knex("first_steps").insert({ streamer_id: streamerId }).onConflict("streamer_id").ignore(),
  };
}

/** The steps that the streamer has taken; null when the list is over. It is over once all of them are. */
export async function readSteps(deps: StudioDeps, streamerId: string, isConnected: boolean): Promise<ReadonlySet<Step> | null> {
  if (await deps.firstSteps.areOver(streamerId)) return null;
  const { client, overlayKeys, apiKeys, imports } = deps;
  const [keys, tests, settings, programs, files] = await Promise.all([
    overlayKeys.list(streamerId),
    client.call(streamerId, "listDonations", { query: { source: ["test"], limit: 1 } }),
    readAlertSettings(client, streamerId),
    apiKeys.list(streamerId),
    imports.list(streamerId),
  ]);
  const { speech, speechMinimumAmount, speechVolume, speechSpeed, voice } = settings;
  const taken: Record<Step, boolean> = {
    overlay: isConnected || keys.some(({ lastUsedAt }) => lastUsedAt !== null),
    test: tests.body.data.length > 0,
    design: settings.variations.length > 0,
    speech: !speech || speechMinimumAmount > 0 || speechVolume !== null || speechSpeed !== 1 || voice !== null,
    key: programs.length > 0,
    past: files.length > 0,
  };
  const done = new Set(names.filter((name) => taken[name]));
  if (done.size < names.length) return done;
  await deps.firstSteps.end(streamerId);
  return null;
}

/** POST /studio/home/steps: hides the list for good. */
export const hideSteps = ({ accounts, firstSteps }: StudioDeps): PageHandler =>
  accounts.form(paths.home, async ({ account }) => {
    await firstSteps.end(account.streamer.id);
    return seeOther(accounts.site.path(paths.home));
  });

/** The form of the button that hides the list. */
export function stepsForm(page: PageContext): Html {
  return pageForm(page, paths.homeSteps, { id: "hide-steps" });
}

export function stepsCard(site: Site, done: ReadonlySet<Step>): Html {
  const share = (100 * done.size) / names.length;
  const count = { th: `ทำแล้ว ${done.size} จาก ${names.length}`, en: `${done.size} of ${names.length} done` };
  return html`<section class="card" aria-labelledby="first">
<div class="titled"><h2 id="first">${bilingual({ th: "เริ่มต้น", en: "First steps" })} <small>${bilingual(count)}</small></h2><button class="quiet" id="steps-hide" form="hide-steps">${bilingual({ th: "ซ่อนรายการนี้", en: "Hide this list" })}</button></div>
<svg class="share" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><rect class="whole" width="100" height="1"/><rect width="${share}" height="1"/></svg>
<ol class="ticks">${names.map((name, place) => stepItem(site, name, { place, isDone: done.has(name) }))}</ol>
</section>`;
}

function stepItem(site: Site, name: Step, { place, isDone }: { place: number; isDone: boolean }): Html {
  const { page, name: words, how } = steps[name];
  const mark = isDone ? html`${icon("check")}<span class="unseen">${bilingual({ th: "ทำแล้ว", en: "Done" })}</span>` : place + 1;
  return html`<li${isDone && html` class="done"`}><span class="mark">${mark}</span><span><a id="step-${name}" href="${site.path(page)}">${bilingual(words)}</a><small>${bilingual(how)}</small></span></li>`;
}
