// Shows the secret of an application that was just registered or whose secret was rotated.

import { html } from "../../ui/html.ts";
import { bilingual, isolated } from "../../ui/layout.ts";
import { type PageContext, studioPage } from "../components/frame.ts";
import { blurNote, secretField } from "../components/secret.ts";
import { appAddress, paths } from "../paths.ts";

type AppSecretPage = PageContext & Readonly<{ name: string; clientId: string; clientSecret: string; isNew: boolean }>;

const created = {
  th: "ลงทะเบียนแอปแล้ว คัดลอกรหัสลับตอนนี้เลย เพราะจะแสดงเพียงครั้งเดียว",
  en: "Your application has been registered. Copy its secret now: it won't be shown again.",
};

const rotated = {
  th: "เปลี่ยนรหัสลับแล้ว คัดลอกตอนนี้เลย เพราะจะแสดงเพียงครั้งเดียว รหัสเดิมยังใช้ได้จนกว่าจะเปลี่ยนครั้งถัดไป",
  en: "There is a new secret. Copy it now: it won't be shown again. The previous one works until the next rotation.",
};

export function appSecretPage(page: AppSecretPage): string {
  const { site, name, clientId, clientSecret, isNew } = page;
  return studioPage({
    ...page,
    here: paths.apps,
    title: { th: "แอปของฉัน", en: "My apps" },
    content: html`<section class="card" data-here="${site.path(appAddress(clientId))}">
<p class="right" role="status">${bilingual(isNew ? created : rotated)}</p>
<p>${bilingual({ th: html`client_id ของ ${isolated(name)}`, en: html`The client_id of ${isolated(name)}` })}: <code>${clientId}</code></p>
${blurNote}
${secretField({ id: "secret", label: { th: "รหัสลับ (client_secret)", en: "Secret (client_secret)" }, value: clientSecret })}
<p><a href="${site.path(appAddress(clientId))}">${bilingual({ th: "เก็บรหัสแล้ว ไปที่แอปนี้", en: "I've saved the secret. Go to the application" })}</a></p>
</section>`,
  });
}
