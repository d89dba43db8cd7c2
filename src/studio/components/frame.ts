// The frame that all pages of the studio share.

import type { Site } from "../../http/base-url.ts";
import type { Account } from "../../ui/accounts.ts";
import { type Html, html } from "../../ui/html.ts";
import { bilingual, renderPage } from "../../ui/layout.ts";
import { type StreamerPage, streamerHeader } from "../../ui/streamer-pages.ts";
import type { Notice } from "../notices.ts";
import { paths } from "../paths.ts";

export type PageContext = Readonly<{ site: Site; account: Account; notice?: Notice | null }>;

type StudioPage = PageContext & Readonly<{ here: StreamerPage; title: Readonly<{ th: string; en: string }>; content: Html }>;

export function studioPage({ site, account, notice, here, title, content }: StudioPage): string {
  return renderPage({
    title,
    brand: site.brand,
    head: streamerHeader({ site, ...account }, here),
    script: site.path(paths.script),
    content: html`<h1>${bilingual(title)}</h1>
${notice && noticeLine(notice)}
${unreachable}
${content}`,
  });
}

/** What the script shows instead of sending a form while the server can't be reached. */
const unreachable = html`<template id="unreachable"><p class="wrong" role="alert">${bilingual({
  th: "ติดต่อเซิร์ฟเวอร์ไม่ได้ ยังไม่มีอะไรถูกบันทึก สิ่งที่กรอกยังอยู่ในหน้านี้ ลองอีกครั้งในอีกสักครู่",
  en: "Can't reach the server, so nothing was saved. What you typed in is still on this page: try again in a moment.",
})}</p></template>`;

function noticeLine({ good, words }: Notice): Html {
  return html`<p class="${good ? "right" : "wrong"}" role="status">${bilingual(words)}</p>`;
}
