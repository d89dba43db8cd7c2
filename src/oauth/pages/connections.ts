import type { Site } from "../../http/base-url.ts";
import { postForm } from "../../ui/form.ts";
import { type Html, html } from "../../ui/html.ts";
import { foreign, inBoth, renderPage } from "../../ui/layout.ts";
import { scopeList } from "../../ui/scope-names.ts";
import { streamerHead } from "../../ui/streamer-pages.ts";
import type { ConnectedApplication } from "../connections.ts";
import type { Streamer } from "../sessions.ts";

export type ConnectionsPage = Readonly<{
  site: Site;
  streamer: Streamer;
  applications: readonly ConnectedApplication[];
  /** Sealed transactions of the two kinds of form. */
  disconnect: string;
  logout: string;
}>;

const title = { th: "แอปที่เชื่อมต่อ", en: "Connected applications" };

export function connectionsPage({ site, streamer, applications, disconnect, logout }: ConnectionsPage): string {
  const action = site.path("/oauth/connections/disconnect");
  const card = (application: ConnectedApplication) => html`<li>
<h2>${foreign(application.name)}</h2>
<p class="note">${since(application.since)}</p>
${scopeList(application.scopes)}
${postForm({ action, transaction: disconnect, content: disconnectButton(application) })}
</li>`;
  return renderPage({
    title,
    brand: site.brand,
    head: streamerHead({ site, streamer, logout }, "/oauth/connections"),
    content: html`<h1>${inBoth(title)}</h1>
<section class="card">
${applications.length === 0 ? nothing : html`<ul class="cards">${applications.map(card)}</ul>`}
</section>`,
  });
}

const nothing = html`<p>${inBoth({ th: "ยังไม่มีแอปที่เชื่อมต่อกับช่องของคุณ", en: "No application is connected to your channel." })}</p>`;

function disconnectButton({ clientId, name }: ConnectedApplication): Html {
  return html`<input type="hidden" name="client" value="${clientId}">
<button aria-label="${`ยกเลิกการเชื่อมต่อ ${name} – Disconnect ${name}`}">${inBoth({ th: "ยกเลิกการเชื่อมต่อ", en: "Disconnect" })}</button>`;
}

function since(date: Date): Html {
  const [th, en] = ["th-TH", "en-GB"].map((locale) =>
    new Intl.DateTimeFormat(locale, { dateStyle: "long", timeZone: "Asia/Bangkok" }).format(date),
  );
  return html`<time datetime="${date.toISOString()}">${inBoth({ th: `เชื่อมต่อเมื่อ ${th}`, en: `Connected on ${en}` })}</time>`;
}
