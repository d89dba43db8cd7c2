// The page of a streamer's connected applications.

import type { Site } from "../../http/base-url.ts";
import { type Html, html, postForm } from "../../ui/html.ts";
import { type Bilingual, bilingual, isolated, renderPage } from "../../ui/layout.ts";
import { scopeList } from "../../ui/scope-names.ts";
import { type Account, streamerHeader } from "../../ui/streamer-pages.ts";
import { formatLongDay } from "../../ui/times.ts";
import type { ConnectedApplication } from "../connections.ts";

export type ConnectionsPage = Readonly<{
  site: Site;
  account: Account;
  applications: readonly ConnectedApplication[];
}>;

const title = { th: "แอปที่เชื่อมต่อ", en: "Connected applications" };

export function connectionsPage({ site, account, applications }: ConnectionsPage): string {
  const action = site.path("/oauth/connections/disconnect");
  const card = (application: ConnectedApplication) => html`<li>
<h2>${isolated(application.name)}</h2>
<p class="note">${since(application.since)}</p>
${application.registeredBy !== null && html`<p class="note">${bilingual(registeredBy(application.registeredBy))}</p>`}
${scopeList(application.scopes)}
${postForm({ action, formToken: account.formToken, content: disconnectButton(application) })}
</li>`;
  return renderPage({
    title,
    brand: site.brand,
    head: streamerHeader({ site, ...account }, "/oauth/connections"),
    content: html`<h1>${bilingual(title)}</h1>
<section class="card">
${applications.length === 0 ? nothing : html`<ul class="cards">${applications.map(card)}</ul>`}
</section>`,
  });
}

const nothing = html`<p>${bilingual({ th: "ยังไม่มีแอปที่เชื่อมต่อกับช่องของคุณ", en: "No applications are connected to your channel yet." })}</p>`;

function registeredBy(handle: string): Bilingual {
  return { th: html`ลงทะเบียนโดย ${isolated(handle)}`, en: html`Registered by ${isolated(handle)}` };
}

function disconnectButton({ clientId, name }: ConnectedApplication): Html {
  return html`<input type="hidden" name="client" value="${clientId}">
<button aria-label="${bilingual({ th: `ยกเลิกการเชื่อมต่อ ${name}`, en: `Disconnect ${name}` })}">${bilingual({ th: "ยกเลิกการเชื่อมต่อ", en: "Disconnect" })}</button>`;
}

function since(date: Date): Html {
  const { th, en } = formatLongDay(date);
  return html`<time datetime="${date.toISOString()}">${bilingual({ th: `เชื่อมต่อเมื่อ ${th}`, en: `Connected on ${en}` })}</time>`;
}
