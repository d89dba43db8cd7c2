// Renders the page with the settings of a key's widget.

import type { OverlayKeyEntry } from "../../auth/overlay-keys.ts";
import { postForm } from "../../ui/form.ts";
import { type Html, html } from "../../ui/html.ts";
import { bilingual, isolated } from "../../ui/layout.ts";
import type { FieldFaults } from "../components/field-faults.ts";
import { enterButton, faultSummary } from "../components/fields.ts";
import { type PageContext, studioPage } from "../components/frame.ts";
import { paths, widgetSettingsAddress } from "../paths.ts";
import { widgetFields, widgetPreview } from "./widget-fields.ts";
import type { WidgetForm } from "./widget-form.ts";
import { kindLabels, parameterLabels } from "./widget-labels.ts";

export type WidgetSettingsPage = PageContext &
  Readonly<{
    key: OverlayKeyEntry;
    form: WidgetForm;
    faults: FieldFaults;
    /** Names the settings that are replaced. */
    version: string;
    /** The form shows what was typed, and not what is stored. */
    isTyped: boolean;
  }>;

export function widgetSettingsPage(page: WidgetSettingsPage): string {
  const { site, account } = page;
  const content = fields(page);
  return studioPage({
    ...page,
    here: "/studio/overlay",
    title: { th: "การตั้งค่าวิดเจ็ต", en: "Widget settings" },
    content: html`${postForm({ action: site.path(paths.widgetSettings), formToken: account.formToken, content })}
<p><a href="${site.path(paths.overlay)}">${bilingual({ th: "กลับไปหน้าคีย์ทั้งหมด", en: "Back to all keys" })}</a></p>`,
  });
}

const save = { th: "บันทึก", en: "Save" };

function fields(page: WidgetSettingsPage): Html {
  const { site, key, form, faults, version, isTyped } = page;
  const address = widgetSettingsAddress(key.id, isTyped ? { version, ...form.values } : {});
  return html`${enterButton(save)}
<input type="hidden" name="key" value="${key.id}">
<input type="hidden" name="version" value="${version}">
<div class="columns" data-here="${site.path(address)}">
<section class="card" aria-labelledby="settings">
<h2 id="settings">${bilingual(kindLabels[form.kind])}</h2>
<p class="note">${bilingual({ th: html`คีย์ ${isolated(key.name)}`, en: html`Key ${isolated(key.name)}` })}</p>
${faultSummary(faults, parameterLabels)}
${widgetFields(page)}
</section>
${widgetPreview(page, paths.widgetSettings, html`<p class="note">${bilingual(whatFollows)}</p>`)}
</div>
<div class="buttons save"><button class="main">${bilingual(save)}</button></div>`;
}

const whatFollows = {
  th: "บันทึกแล้ววิดเจ็ตที่เปิดอยู่จะเปลี่ยนตาม ยกเว้นค่าที่อยู่ในลิงก์เอง (หลัง ?) ซึ่งใช้ก่อนเสมอ",
  en: "When you save, the open widget follows, except for values in its link itself (after ?), which come first.",
};
