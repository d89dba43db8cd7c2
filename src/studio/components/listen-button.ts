// A button that speaks a sample with the voice, speed and volume that are typed; without a script, a player of what was saved or sent.

import type { Site } from "../../http/base-url.ts";
import { type Html, html } from "../../ui/html.ts";
import { bilingual } from "../../ui/layout.ts";
import { historyAddress, paths } from "../paths.ts";

/**
 * `voice`: as it is typed. `inherits`: an empty voice is that of the settings, else the server's. `speed`, `volume`: where the form has no field
 * for them, or nothing sound in it.
 */
type Listening = Readonly<{ site: Site; voice: string; inherits: boolean; sample: string; speed: number; volume: number }>;

export function listenButton({ site, voice, inherits, sample, speed, volume }: Listening): Html {
  const query = historyAddress({ sample, voice }, paths.listen);
  const address = site.path(voice === "" && !inherits ? `${query}&voice=` : query);
  const words = html` data-stop="${bilingual({ th: "หยุด", en: "Stop" })}" data-waits="${bilingual({ th: "กำลังเตรียมเสียง", en: "Preparing …" })}" data-limited="${bilingual({ th: "ฟังบ่อยเกินไป รอสักครู่แล้วลองใหม่", en: "Too often. Try again in a moment." })}" data-failed="${bilingual({ th: "ตอนนี้อ่านไม่ได้ ลองใหม่ในอีกสักครู่", en: "It can't be read aloud right now. Try again in a moment." })}"`;
  return html`<div class="field listen">
<button type="button" id="listen" data-listen="${site.path(paths.listen)}" data-speed="${speed}" data-volume="${volume}"${inherits && html` data-inherits`}${words} aria-describedby="listen-state" hidden>${bilingual({ th: "ลองฟังเสียง", en: "Listen" })}</button>
<small id="listen-state" role="status"></small>
<noscript><p class="note">${bilingual({ th: "เสียงอ่านของข้อความตัวอย่าง", en: "The sample text, read aloud" })}</p>
<audio controls preload="none" src="${address}"></audio></noscript>
</div>`;
}
