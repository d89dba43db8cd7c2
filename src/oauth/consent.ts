// The page on which a streamer grants an application access, and POST /oauth/consent: the decision goes back to the application (RFC 6749 4.1.2).

import type { Site } from "../http/base-url.ts";
import { type Html, html, postForm } from "../ui/html.ts";
import { type Bilingual, bilingual, displayName, isolated, renderPage } from "../ui/layout.ts";
import { scopeList } from "../ui/scope-names.ts";
import { type PageHandler, seeOther } from "../ui/serve-pages.ts";
import { accountBar } from "../ui/streamer-pages.ts";
import type { Streamer } from "./accounts/sessions.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import type { ClientFacts } from "./clients/clients.ts";
import { answerUri, findRedirectUri, redirectHost } from "./clients/redirect-uris.ts";
import { formHandler, outOfDatePage } from "./forms.ts";
import type { PageDeps } from "./page-deps.ts";

export type ConsentPage = Readonly<{
  site: Site;
  client: ClientFacts;
  request: AuthorizationRequest;
  streamer: Streamer;
  formToken: string;
  /** Logs out and comes back here. */
  otherStreamer: string;
}>;

export const consent = (deps: PageDeps): PageHandler =>
  formHandler(deps, "consent", async ({ session: { streamer }, content: request, form, address }) => {
    const { site } = deps;
    const decision = form.get("decision");
    const isDecided = decision === "approve" || decision === "deny";
    const client = streamer && isDecided ? await registered(deps, request, address) : null;
    if (!streamer || !client) return { status: 400, html: outOfDatePage(site) };
    const answer = decision === "approve" ? { code: await approve(deps, { client, request, streamerId: streamer.id }) } : denied;
    return seeOther(answerUri(request.answerTo, site.baseUrl, answer));
  });

const denied = { error: "access_denied", error_description: "the streamer declined" };

/** The client, which may have been removed while the page was open. */
async function registered({ clients }: PageDeps, { clientId, redirectUri }: AuthorizationRequest, address: string) {
  const client = await clients.find(clientId, address);
  return client && findRedirectUri(client, redirectUri ?? undefined) !== null ? client : null;
}

type Approved = { client: ClientFacts; request: AuthorizationRequest; streamerId: string };

async function approve({ clients, grants }: PageDeps, { client, request, streamerId }: Approved): Promise<string> {
  await clients.register(client);
  const { clientId, scopes, resource, redirectUri, codeChallenge } = request;
  return grants.approve({ clientId, streamerId, scopes, resource, redirectUri, codeChallenge });
}

export function consentPage({ site, client, request, streamer, formToken, otherStreamer }: ConsentPage): string {
  const name = html`<strong>${isolated(client.name)}</strong>`;
  return renderPage({
    title: { th: "อนุญาตให้แอปเข้าถึง", en: "Approve an application" },
    brand: site.brand,
    content: html`<h1>${bilingual({ th: html`อนุญาตให้ ${name} เข้าถึงช่องของคุณไหม`, en: html`Let ${name} access your channel?` })}</h1>
${accountBar({ site, streamer, logoutToken: otherStreamer, change: { th: "เปลี่ยนบัญชี", en: "Switch account" } })}
${client.registeredBy !== null && html`<p class="wrong">${bilingual(unchecked(site, client.registeredBy))}</p>`}
<p class="lead">${bilingual({ th: "แอปนี้จะทำสิ่งต่อไปนี้ได้", en: "It will be able to:" })}</p>
${scopeList(request.scopes)}
${postForm({ action: site.path("/oauth/consent"), formToken, content: decisions })}
<div class="details note">
<p>${bilingual(destination(request.answerTo.redirectUri))}</p>
<p>${bilingual(wayOut(site))}</p>
</div>`,
  });
}

const decisions: Html = html`<button class="main" name="decision" value="approve">${bilingual({ th: "อนุญาต", en: "Approve" })}</button>
<button class="other" name="decision" value="deny">${bilingual({ th: "ไม่อนุญาต", en: "Deny" })}</button>`;

/** Whom the streamer would trust: anybody with an account can register a client. */
function unchecked({ brand }: Site, handle: string): Bilingual {
  const owner = html`<strong>${isolated(handle)}</strong>`;
  const platform = displayName(brand);
  return {
    th: html`แอปนี้ลงทะเบียนโดย ${owner} และ ${platform} ไม่ได้ตรวจสอบ อนุญาตเฉพาะเมื่อคุณไว้ใจ ${owner}`,
    en: html`Registered by ${owner}, not checked by ${platform}. Approve it only if you trust ${owner}.`,
  };
}

function destination(redirectUri: string): Bilingual {
  const { name, onDevice } = redirectHost(redirectUri);
  const shown = html`<strong>${isolated(name)}</strong>`;
  if (onDevice)
    return { th: html`จากนั้นคุณจะกลับไปที่แอปบนเครื่องนี้ (${shown})`, en: html`You'll then return to an app on this device (${shown}).` };
  return { th: html`จากนั้นคุณจะกลับไปที่ ${shown}`, en: html`You'll then return to ${shown}.` };
}

function wayOut(site: Site): Bilingual {
  const link = (text: string) => html`<a href="${site.path("/oauth/connections")}">${text}</a>`;
  return {
    th: html`ยกเลิกได้ทุกเมื่อที่หน้า${link("แอปที่เชื่อมต่อ")}`,
    en: html`You can disconnect it at any time under ${link("connected applications")}.`,
  };
}
