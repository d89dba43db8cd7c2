// The page of a streamer's connected applications, with which they disconnect applications and log out.

import type { Site } from "../http/base-url.ts";
import type { Scope } from "../http/operations.ts";
import { type Html, html, postForm } from "../ui/html.ts";
import { type Bilingual, bilingual, isolated, renderPage } from "../ui/layout.ts";
import { scopeList } from "../ui/scope-names.ts";
import { type PageHandler, seeOther } from "../ui/serve-pages.ts";
import { type Account, pageTitle, streamerFrame } from "../ui/streamer-pages.ts";
import { formatLongDay } from "../ui/times.ts";
import { makeAccounts } from "./accounts/accounts.ts";
import { formHandler, type PageDeps } from "./forms.ts";
import type { Connection } from "./tokens/grants.ts";

/** An application with the scopes of all its grants; each approval of a streamer is a grant of its own. */
type ConnectedApplication = Readonly<{
  clientId: string;
  name: string;
  registeredBy: string | null;
  selfRegistered: boolean;
  scopes: readonly Scope[];
  since: Date;
}>;

type ConnectionsPage = Readonly<{
  site: Site;
  account: Account;
  applications: readonly ConnectedApplication[];
}>;

const path = "/oauth/connections";

const title = { th: "แอปที่เชื่อมต่อ", en: "Connected applications" };

/** GET /oauth/connections */
export const showConnections = (deps: PageDeps): PageHandler =>
  makeAccounts(deps).page(path, async ({ account }) => {
    const applications = groupByApplication(await deps.grants.connections(account.streamer.id));
    return { status: 200, html: connectionsPage({ site: deps.site, account, applications }) };
  });

/** POST /oauth/connections/disconnect */
export const disconnect = (deps: PageDeps): PageHandler =>
  makeAccounts(deps).form(path, async ({ account, form }) => {
    for (const id of await deps.grants.ofClient(account.streamer.id, form.get("client") ?? "")) await deps.grants.revoke(id);
    return seeOther(deps.site.path(path));
  });

/** POST /oauth/logout */
export const logout = (deps: PageDeps): PageHandler =>
  formHandler(deps, "logout", async ({ session, content }) => seeOther(content.to, [await deps.sessions.end(session)]));

/** `connections` are sorted newest first. */
function groupByApplication(connections: readonly Connection[]): ConnectedApplication[] {
  const groups = Map.groupBy(connections, ({ clientId }) => clientId);
  return [...groups].map(([clientId, group]) => {
    const scopes = new Set(group.flatMap((connection) => connection.scopes));
    const { name, registeredBy, selfRegistered, createdAt: since } = group.at(-1) as Connection;
    return { clientId, name, registeredBy, selfRegistered, scopes: [...scopes], since };
  });
}

function connectionsPage({ site, account, applications }: ConnectionsPage): string {
  const action = site.path("/oauth/connections/disconnect");
  const card = (application: ConnectedApplication) => html`<li>
<h2>${isolated(application.name)}</h2>
<p class="note">${since(application.since)}</p>
${application.selfRegistered && html`<p class="note">${bilingual(unverified)}</p>`}
${application.registeredBy !== null && html`<p class="note">${bilingual(registeredBy(application.registeredBy))}</p>`}
${scopeList(application.scopes)}
${postForm({ action, formToken: account.formToken, content: disconnectButton(application) })}
</li>`;
  return renderPage({
    title,
    brand: site.brand,
    frame: streamerFrame({ site, account, here: path }),
    content: html`${pageTitle(title)}
<section class="card">
${applications.length === 0 ? nothing : html`<ul class="cards">${applications.map(card)}</ul>`}
</section>`,
  });
}

const nothing = html`<p>${bilingual({ th: "ยังไม่มีแอปที่เชื่อมต่อกับช่องของคุณ", en: "No applications are connected to your channel yet." })}</p>`;

const unverified: Bilingual = {
  th: "ลงทะเบียนตัวเอง ยังไม่มีใครตรวจสอบชื่อ",
  en: "Unverified: it registered itself, and nobody has checked its name",
};

function registeredBy(handle: string): Bilingual {
  return { th: html`ลงทะเบียนโดย ${isolated(handle)}`, en: html`Registered by ${isolated(handle)}` };
}

function disconnectButton({ clientId, name }: ConnectedApplication): Html {
  return html`<input type="hidden" name="client" value="${clientId}">
<button class="danger" aria-label="${bilingual({ th: `ยกเลิกการเชื่อมต่อ ${name}`, en: `Disconnect ${name}` })}">${bilingual({ th: "ยกเลิกการเชื่อมต่อ", en: "Disconnect" })}</button>`;
}

function since(date: Date): Html {
  const { th, en } = formatLongDay(date);
  return html`<time datetime="${date.toISOString()}">${bilingual({ th: `เชื่อมต่อเมื่อ ${th}`, en: `Connected on ${en}` })}</time>`;
}
