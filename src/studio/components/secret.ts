// A secret that is shown once, to be copied. It is blurred until the pointer is on it, because the streamer may be live.

import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual } from "../../ui/layout.ts";

export function secretField({ id, label, value }: { id: string; label: Bilingual; value: string }): Html {
  return html`<div class="once">
<label for="${id}">${bilingual(label)}</label>
<input id="${id}" value="${value}" readonly spellcheck="false" autocomplete="off">
<button type="button" data-copy="${id}" data-copied="✓ ${bilingual({ th: "คัดลอกแล้ว", en: "Copied" })}" hidden>${bilingual({ th: "คัดลอก", en: "Copy" })}</button>
</div>`;
}

export const blurNote: Html = html`<p class="note">${bilingual({
  th: "เบลอไว้เผื่อคุณกำลังสตรีมอยู่ ชี้หรือแตะเพื่อดู",
  en: "Blurred in case you're live. Hover or tap to see it.",
})}</p>`;
