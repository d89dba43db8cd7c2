// Shows the secret of an endpoint that was just created or whose secret was rotated.

import { html } from "../../ui/html.ts";
import { bilingual, isolated } from "../../ui/layout.ts";
import { type PageContext, studioPage } from "../components/frame.ts";
import { blurNote, secretField } from "../components/secret.ts";
import { paths, webhookAddress } from "../paths.ts";
import { nameOf, type WebhookWithSecret } from "./webhook-labels.ts";

type SecretPage = PageContext & Readonly<{ webhook: WebhookWithSecret; isNew: boolean }>;

const created = {
  th: "สร้างเว็บฮุกแล้ว คัดลอกรหัสลับตอนนี้เลย เพราะจะแสดงเพียงครั้งเดียว",
  en: "Your webhook has been created. Copy its secret now: it won't be shown again.",
};

const rotated = {
  th: "เปลี่ยนรหัสลับแล้ว คัดลอกตอนนี้เลย เพราะจะแสดงเพียงครั้งเดียว รหัสเดิมยังใช้ได้อีก 24 ชั่วโมง",
  en: "The secret has been replaced. Copy it now: it won't be shown again. The previous one works for another 24 hours.",
};

export function webhookSecretPage(page: SecretPage): string {
  const { site, webhook, isNew } = page;
  return studioPage({
    ...page,
    here: paths.webhooks,
    title: { th: "เว็บฮุก", en: "Webhooks" },
    content: html`<section class="card" data-here="${site.path(webhookAddress(webhook.id))}">
<p class="right" role="status">${bilingual(isNew ? created : rotated)}</p>
<p>${bilingual({
      th: "ปลายทางใช้รหัสนี้ตรวจว่าคำขอมาจากที่นี่จริง",
      en: "The endpoint uses it to check that a request really comes from here.",
    })}</p>
${blurNote}
${secretField({ id: "secret", label: { th: html`รหัสลับของ ${isolated(nameOf(webhook))}`, en: "Secret" }, value: webhook.secret })}
<p><a href="${site.path(webhookAddress(webhook.id))}">${bilingual({ th: "เก็บรหัสแล้ว ไปที่เว็บฮุกนี้", en: "I've saved the secret. Go to the webhook" })}</a></p>
</section>`,
  });
}
