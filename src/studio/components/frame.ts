// The frame that all pages of the studio share, and what stands on several of them: facts, secrets, links to guides.

import type { Site } from "../../http/base-url.ts";
import { type Html, html, type PostForm, postForm } from "../../ui/html.ts";
import { type IconName, icon } from "../../ui/icons.ts";
import { type Bilingual, bilingual, renderPage, type Words } from "../../ui/layout.ts";
import type { StreamerPage } from "../../ui/navigation.ts";
import type { PageReply } from "../../ui/serve-pages.ts";
import { pageTitle, streamerFrame } from "../../ui/streamer-pages.ts";
import { formatDateTime, formatSince } from "../../ui/times.ts";
import type { Notice } from "../notices.ts";
import { overallOf, type StudioAccount } from "../overall.ts";
import { paths } from "../paths.ts";

/** `status`: of the answer, 200 by default. */
export type PageContext = Readonly<{ site: Site; account: StudioAccount; notice?: Notice | null; status?: number }>;

type StudioPage = PageContext &
  Pick<PageReply, "frames" | "audio"> &
  Readonly<{
    here: StreamerPage;
    title: Words;
    /** What the page is mostly for, as a button beside the title. */
    action?: Html;
    content: Html;
  }>;

export function studioPage({ site, account, notice, status = 200, here, title, action, content, frames, audio }: StudioPage): PageReply {
  const page = renderPage({
    title,
    brand: site.brand,
    frame: streamerFrame({ site, account, here, overall: overallOf(site, account) }),
    script: site.path(paths.script),
    content: html`${pageTitle(title, action)}
${notice && noticeLine(notice)}
${unreachable}
${content}`,
  });
  return { status, html: page, scripted: true, ...(frames && { frames }), ...(audio && { audio }) };
}

/** A form of the account's pages, which posts to a path of the studio. */
export function pageForm({ site, account }: PageContext, path: string, form: Omit<PostForm, "action" | "formToken">): Html {
  return postForm({ action: site.path(path), formToken: account.formToken, ...form });
}

/** A link as a button beside a page's title. */
export function mainAction(href: string, words: Bilingual, name: IconName = "plus"): Html {
  return html`<a class="button main" href="${href}">${icon(name)}${bilingual(words)}</a>`;
}

type BackLink = Readonly<{ here: string; to: string; words: Bilingual }>;

/** The link back, at the head of a page that is not in the navigation. `here`: the page's own address, which the script shows in the browser. */
export function backLink(site: Site, { here, to, words }: BackLink): Html {
  return html`<p data-here="${site.path(here)}"><a href="${site.path(to)}">${bilingual(words)}</a></p>`;
}

/** Instead of a list that is empty: what will stand here, and how it comes. */
export function emptyState(name: IconName, title: Bilingual, how: Html): Html {
  return html`<div class="empty">${icon(name)}<p><strong>${bilingual(title)}</strong></p><p>${how}</p></div>`;
}

/** What the script shows instead of sending a form while the server can't be reached. */
export const unreachable = html`<template id="unreachable"><p class="wrong" role="alert">${bilingual({
  th: "ติดต่อเซิร์ฟเวอร์ไม่ได้ ยังไม่มีอะไรถูกบันทึก สิ่งที่กรอกยังอยู่ในหน้านี้ ลองอีกครั้งในอีกสักครู่",
  en: "Can't reach the server, so nothing was saved. What you typed in is still on this page: try again in a moment.",
})}</p></template>`;

/** What the script shows while it can't refresh the live parts of a page. */
export const staleLine = html`<p class="wrong" id="stale" role="status" hidden>${bilingual({ th: "ติดต่อเซิร์ฟเวอร์ไม่ได้ กำลังลองใหม่", en: "Can't reach the server. Trying again." })}</p>`;

/** What has been done is a toast; why nothing was done stays above what is to be mended. */
export function noticeLine({ good, words }: Notice): Html {
  return html`<p class="${good ? "right" : "wrong"}" role="status">${bilingual(words)}</p>`;
}

export function fact(name: Bilingual, value: Html | string): Html {
  return html`<div><dt>${bilingual(name)}</dt><dd>${value}</dd></div>`;
}

/** When something happened; null when it did not. */
export function when(name: Bilingual, date: Date | null): Html | null {
  return date && fact(name, time(date));
}

/** When something happened, and how long ago that is. */
export function time(date: Date): Html {
  return html`<time datetime="${date.toISOString()}">${bilingual(formatDateTime(date))} · ${bilingual(formatSince(date))}</time>`;
}

const copyWords = { th: "คัดลอก", en: "Copy" };

/** The button that copies what the field or element with this id has. The script shows it. */
function copyButton(id: string, rank = ""): Html {
  return html`<button type="button" class="${rank}" data-copy="${id}" data-copied="✓ ${bilingual({ th: "คัดลอกแล้ว", en: "Copied" })}" hidden>${bilingual(copyWords)}</button>`;
}

/** A text for programs, with a button that copies it. */
export function copiedCode(id: string, text: string): Html {
  return html`<code id="${id}">${text}</code> ${copyButton(id, "quiet")}`;
}

/** `more`: beside the button that copies it. */
export function secretField({ id, label, value, more }: { id: string; label: Bilingual; value: string; more?: Html }): Html {
  return html`<div class="once">
<label for="${id}">${bilingual(label)}</label>
<input id="${id}" value="${value}" readonly spellcheck="false" autocomplete="off">
<div class="buttons">${copyButton(id)}${more}</div>
</div>`;
}

export const blurNote: Html = html`<p class="note">${bilingual({
  th: "เบลอไว้เผื่อคุณกำลังสตรีมอยู่ ชี้หรือแตะเพื่อดู",
  en: "Blurred in case you're live. Hover or tap to see it.",
})}</p>`;

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
  const path = guide === "studio" ? paths.help : `/docs/${guide}`;
  return html`<p><a href="${site.path(path)}">${bilingual(guides[guide])}</a></p>`;
}
