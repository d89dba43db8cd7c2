import type { Site } from "../../http/base-url.ts";
import { postForm } from "../../ui/form.ts";
import { type Html, html } from "../../ui/html.ts";
import { foreign, inBoth, renderPage, type Words } from "../../ui/layout.ts";
import { scopeList } from "../../ui/scope-names.ts";
import { whoBar } from "../../ui/streamer-pages.ts";
import type { AuthorizationRequest } from "../authorization-request.ts";
import type { OAuthClient } from "../clients.ts";
import { redirectHost } from "../return-address.ts";
import type { Streamer } from "../sessions.ts";

export type ConsentPage = Readonly<{
  site: Site;
  client: Pick<OAuthClient, "name">;
  request: AuthorizationRequest;
  streamer: Streamer;
  transaction: string;
  /** Logs out and comes back here. */
  otherStreamer: string;
}>;

export function consentPage({ site, client, request, streamer, transaction, otherStreamer }: ConsentPage): string {
  const name = html`<strong>${foreign(client.name)}</strong>`;
  return renderPage({
    title: { th: "อนุญาตให้แอปเข้าถึง", en: "Approve an application" },
    brand: site.brand,
    content: html`<h1>${inBoth({ th: html`อนุญาตให้ ${name} เข้าถึงช่องของคุณไหม`, en: html`Let ${name} access your channel?` })}</h1>
${whoBar({ site, streamer, logout: otherStreamer, change: { th: "เปลี่ยนบัญชี", en: "Not you?" } })}
<p class="lead">${inBoth({ th: "แอปนี้จะทำสิ่งต่อไปนี้ได้", en: "It will be able to:" })}</p>
${scopeList(request.scopes)}
${postForm({ action: site.path("/oauth/consent"), transaction, content: decisions })}
<div class="details note">
<p>${inBoth(destination(request.answerTo.redirectUri))}</p>
<p>${inBoth(wayOut(site))}</p>
</div>`,
  });
}

const decisions: Html = html`<button class="main" name="decision" value="approve">${inBoth({ th: "อนุญาต", en: "Approve" })}</button>
<button class="other" name="decision" value="deny">${inBoth({ th: "ไม่อนุญาต", en: "Deny" })}</button>`;

function destination(redirectUri: string): Words {
  const { name, onDevice } = redirectHost(redirectUri);
  const shown = html`<strong>${foreign(name)}</strong>`;
  if (onDevice) return { th: html`จากนั้นคุณจะกลับไปที่แอปบนเครื่องนี้ (${shown})`, en: html`Then you return to an app on this device (${shown}).` };
  return { th: html`จากนั้นคุณจะกลับไปที่ ${shown}`, en: html`Then you return to ${shown}.` };
}

function wayOut(site: Site): Words {
  const link = (text: string) => html`<a href="${site.path("/oauth/connections")}">${text}</a>`;
  return {
    th: html`ยกเลิกได้ทุกเมื่อที่หน้า${link("แอปที่เชื่อมต่อ")}`,
    en: html`Disconnect it at any time under ${link("connected applications")}.`,
  };
}
