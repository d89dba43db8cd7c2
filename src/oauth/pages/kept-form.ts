// The page on which a streamer sends a form again whose session had ended.

import type { Site } from "../../http/base-url.ts";
import { html, postForm } from "../../ui/html.ts";
import { bilingual, isolated, renderPage } from "../../ui/layout.ts";
import type { Streamer } from "../accounts/sessions.ts";
import type { KeptForm } from "../kept-form.ts";

export type KeptFormPage = Readonly<{ site: Site; streamer: Streamer; formToken: string; kept: KeptForm }>;

export function keptFormPage({ site, streamer, formToken, kept }: KeptFormPage): string {
  const title = { th: "ส่งอีกครั้งไหม", en: "Send it again?" };
  const name = isolated(streamer.handle);
  const content = html`${kept.fields.map(([field, value]) => html`<input type="hidden" name="${field}" value="${value}">`)}
<button class="main">${bilingual({ th: "ส่งสิ่งที่กรอกไว้", en: "Send what you typed in" })}</button>`;
  return renderPage({
    title,
    brand: site.brand,
    content: html`<h1>${bilingual(title)}</h1>
<p>${bilingual({
      th: html`คุณถูกนำออกจากระบบก่อนที่จะบันทึก ยังไม่มีอะไรเปลี่ยน สิ่งที่คุณกรอกยังอยู่ จะส่งในชื่อ ${name}`,
      en: html`You were logged out before this was saved, so nothing has changed yet. What you typed in is kept, and will be sent as ${name}.`,
    })}</p>
${postForm({ action: site.path(kept.action), formToken, content })}
<p class="note"><a href="${site.path("/studio")}">${bilingual({ th: "ไม่ส่ง กลับไปที่สตูดิโอ", en: "Don't send it, go to the studio" })}</a></p>`,
  });
}
