// Links from the studio to the guides that explain how a program uses what a page gives.

import type { Site } from "../../http/base-url.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual } from "../../ui/layout.ts";

const guides = {
  studio: { th: "คู่มือ: แต่ละหน้าของสตูดิโอทำอะไรได้บ้าง", en: "Guide: what each page of the studio does" },
  quickstart: { th: "คู่มือ: ส่งโดเนทด้วยคีย์จากโปรแกรมของคุณ", en: "Guide: send donations with a key from your own program" },
  webhooks: { th: "คู่มือ: รับและตรวจสอบเหตุการณ์ที่ปลายทาง", en: "Guide: receive and verify events" },
  "authentication#oauth-for-applications": {
    th: "คู่มือ: ให้สตรีมเมอร์คนอื่นเชื่อมต่อแอปของคุณ",
    en: "Guide: let other streamers connect your application",
  },
} as const satisfies Record<string, Bilingual>;

/** A line of its own. */
export function guideLink(site: Site, guide: keyof typeof guides): Html {
  return html`<p><a href="${site.path(`/docs/${guide}`)}">${bilingual(guides[guide])}</a></p>`;
}
