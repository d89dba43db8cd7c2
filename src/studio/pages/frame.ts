// What all pages of the streamer have in common.

import type { Site } from "../../http/base-url.ts";
import { type Html, html } from "../../ui/html.ts";
import { inBoth, renderPage } from "../../ui/layout.ts";
import { type StreamerPage, streamerHead } from "../../ui/streamer-pages.ts";
import type { Notice } from "../notices.ts";
import { paths } from "../paths.ts";
import type { Account } from "../studio-deps.ts";

export type Framed = Readonly<{ site: Site; account: Account; notice?: Notice | null }>;

type Frame = Framed & Readonly<{ here: StreamerPage; title: Readonly<{ th: string; en: string }>; content: Html }>;

export function studioPage({ site, account, notice, here, title, content }: Frame): string {
  return renderPage({
    title,
    brand: site.brand,
    head: streamerHead({ site, ...account }, here),
    script: site.path(paths.script),
    content: html`<h1>${inBoth(title)}</h1>
${notice && noticeLine(notice)}
${content}`,
  });
}

function noticeLine({ good, words }: Notice): Html {
  return html`<p class="${good ? "right" : "wrong"}" role="status">${inBoth(words)}</p>`;
}
