// The dock for OBS: the live parts of the alerts page in a narrow, dark page without a header.

import { html } from "../../ui/html.ts";
import { bilingual, languageSwitch, renderPage } from "../../ui/layout.ts";
import { noticeLine, type PageContext, pageForm, staleLine, unreachable } from "../components/frame.ts";
import { paths } from "../paths.ts";
import type { TestForm } from "./alerts-page.ts";
import { clearQueue, type LiveAlerts, ownTab, partsOf } from "./live-alerts.ts";

/** `test`: what the test alert says. */
type DockPage = PageContext & LiveAlerts & Readonly<{ test: TestForm }>;

const title = { th: "แผงใน OBS", en: "Dock for OBS" };

export function dockPage(page: DockPage): string {
  const { site, notice, test } = page;
  const part = partsOf(page);
  const back = html`<input type="hidden" name="back" value="dock">`;
  const form = (id: string, path: string) => pageForm(page, path, { content: back, id });
  const testAlert = html`${back}${Object.entries(test).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button>${bilingual({ th: "ส่งแจ้งเตือนทดสอบ", en: "Send a test alert" })}</button>`;
  return renderPage({
    title,
    brand: site.brand,
    isDock: true,
    script: site.path(paths.script),
    content: html`<h1>${bilingual(title)}</h1>
${notice && noticeLine(notice)}
${unreachable}
${form("controls", paths.control)}${form("replays", paths.replay)}${form("decide", paths.decide)}${form("lead", paths.lead)}
<div data-source="${site.path(paths.dockQueue)}" data-here="${site.path(paths.dock)}">
${staleLine}
<div class="hands">
${part.status}
<div class="buttons">
${part.toggle}
${part.skip}
${part.hide}
</div>
</div>
${part.playing}
${part.asking}
${part.held}
<h2>${bilingual({ th: "รอคิว", en: "Waiting" })}</h2>
${part.waiting}
${clearQueue(part.clear)}
<h2>${bilingual({ th: "โดเนทล่าสุด", en: "Latest donations" })}</h2>
${part.latest}
<h2>${bilingual({ th: "โอเวอร์เลย์", en: "Overlay" })}</h2>
${part.overlays}
${pageForm(page, paths.test, { content: testAlert })}
</div>
<noscript><p><a href="${site.path(paths.dock)}" aria-current="page">${bilingual({ th: "โหลดหน้านี้ใหม่", en: "Refresh" })}</a></p></noscript>
<p><a href="${site.path(paths.alerts)}"${ownTab}>${bilingual({ th: "เปิดสตูดิโอ", en: "Open the studio" })}</a></p>
<p><a href="${site.path("/docs/overlay#a-dock-in-obs")}"${ownTab}>${bilingual({ th: "วิธีเพิ่มใน OBS", en: "How to add it to OBS" })}</a></p>
${languageSwitch}`,
  });
}
