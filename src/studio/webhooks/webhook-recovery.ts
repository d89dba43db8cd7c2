// The form that sends again what did not arrive at an endpoint.

import { postForm } from "../../ui/form.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual } from "../../ui/layout.ts";
import type { PageContext } from "../components/frame.ts";
import { paths } from "../paths.ts";
import type { Webhook } from "./webhook-labels.ts";

/** Hours before now. Deliveries are kept for 30 days, so nothing older can be sent again. */
const spans: Readonly<Record<number, { th: string; en: string }>> = {
  1: { th: "หนึ่งชั่วโมงที่ผ่านมา", en: "The last hour" },
  24: { th: "หนึ่งวันที่ผ่านมา", en: "The last day" },
  168: { th: "เจ็ดวันที่ผ่านมา", en: "The last seven days" },
  720: { th: "30 วันที่ผ่านมา", en: "The last 30 days" },
};

/** The hours that the form asks for; null when they are none of its choices. */
export function recoveryHoursOf(text: string | null): number | null {
  return text !== null && Object.hasOwn(spans, text) ? Number(text) : null;
}

/** Null for a disabled endpoint: nothing is sent to it. */
export function recoveryForm({ site, account, webhook }: PageContext & Readonly<{ webhook: Webhook }>): Html | null {
  if (!webhook.enabled) return null;
  const content = html`<input type="hidden" name="webhook" value="${webhook.id}">
<fieldset>
<legend>${bilingual({ th: "ตั้งแต่เมื่อไร", en: "Since when" })}</legend>
${Object.entries(spans).map(([hours, words]) => choice(hours, words))}
</fieldset>
<button>${bilingual({ th: "ส่งที่ยังไม่ถึง", en: "Send missed events" })}</button>`;
  return html`<details>
<summary>${bilingual({ th: "ส่งเหตุการณ์ที่พลาดไป…", en: "Send missed events…" })}</summary>
<p>${bilingual({
    th: "ส่งเหตุการณ์ที่ส่งไม่สำเร็จ หรือเกิดขึ้นระหว่างที่เว็บฮุกปิดอยู่ อีกครั้ง",
    en: "Sends events again of which every attempt failed, or that happened while the webhook was disabled.",
  })}</p>
${postForm({ action: site.path(paths.recover), formToken: account.formToken, content })}
</details>`;
}

const usual = "24";

function choice(hours: string, words: Bilingual): Html {
  const id = `field-hours-${hours}`;
  return html`<div class="check">
<input type="radio" name="hours" id="${id}" value="${hours}"${hours === usual && html` checked`}>
<label for="${id}">${bilingual(words)}</label>
</div>`;
}
