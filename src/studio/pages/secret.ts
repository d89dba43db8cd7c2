// Something that is shown once, to be copied. Blurred until it is pointed at: whoever reads this page may be on stream.

import { type Html, html } from "../../ui/html.ts";
import { inBoth, type Words } from "../../ui/layout.ts";

export function secretField({ id, label, value }: { id: string; label: Words; value: string }): Html {
  return html`<div class="once">
<label for="${id}">${inBoth(label)}</label>
<input id="${id}" value="${value}" readonly spellcheck="false" autocomplete="off">
<button type="button" data-copy="${id}" data-copied="✓ คัดลอกแล้ว Copied" hidden>${inBoth({ th: "คัดลอก", en: "Copy" })}</button>
</div>`;
}

export const blurred: Html = html`<p class="note">${inBoth({
  th: "เบลอไว้เผื่อคุณกำลังสตรีมอยู่ ชี้หรือแตะเพื่อดู",
  en: "Blurred in case you are on stream. Point at it or tap it to see it.",
})}</p>`;
