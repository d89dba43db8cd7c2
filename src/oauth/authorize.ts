// GET /oauth/authorize (RFC 6749 4.1.1): shows the consent page, or the login page first, or redirects with an error. POST /oauth/consent: the
// decision goes back to the application (RFC 6749 4.1.2).

import type { Site } from "../http/base-url.ts";
import type { Handler, OperationReply, SentQuery } from "../http/operations.ts";
import { OAuthError } from "../http/problem.ts";
import { type Html, html, postForm } from "../ui/html.ts";
import { type Bilingual, bilingual, displayName, errorPage, isolated, renderPage } from "../ui/layout.ts";
import { scopeList } from "../ui/scope-names.ts";
import { type PageHandler, pageHeaders, seeOther } from "../ui/serve-pages.ts";
import { accountBar } from "../ui/streamer-pages.ts";
import { loginPage } from "./accounts/login.ts";
import type { Session, Streamer } from "./accounts/sessions.ts";
import { AuthorizationError, type AuthorizationRequest, readRequest } from "./authorization-request.ts";
import { isDocumentAddress } from "./clients/client-directory.ts";
import type { ClientFacts } from "./clients/clients.ts";
import { answerUri, findRedirectUri, formActionSource, onwardSource, type ReturnAddress, redirectHost } from "./clients/redirect-uris.ts";
import { formHandler, outOfDatePage, type PageDeps } from "./forms.ts";

type Reply = OperationReply<"authorize">;

export const authorize =
  (deps: PageDeps): Handler<"authorize"> =>
  async ({ query, sent, caller }) => {
    const { site, clients, sessions } = deps;
    const repeated = sent.repeated.find((name) => name === "client_id" || name === "redirect_uri");
    if (repeated !== undefined) return errorReply(site, `${repeated} must not be repeated.`);
    const client = query.client_id === undefined ? null : await clients.find(query.client_id, caller.address);
    if (!client) return errorReply(site, unknownClient);
    const redirectUri = findRedirectUri(client, query.redirect_uri);
    if (redirectUri === null) return errorReply(site, unknownRedirect);

    const answerTo: ReturnAddress = { redirectUri, state: query.state ?? null };
    try {
      const terms = readRequest({ query, sent }, client, site.baseUrl);
      const request = { clientId: client.id, answerTo, redirectUri: query.redirect_uri ?? null, ...terms };
      return consentOrLogin(deps, { session: await sessions.open(caller.cookie), client, request, sent });
    } catch (error) {
      if (!(error instanceof AuthorizationError || error instanceof OAuthError)) throw error;
      if (isUnchecked(client)) return errorReply(site, error.message);
      return redirectToClient(answerUri(answerTo, site.baseUrl, { error: error.code, error_description: error.message }));
    }
  };

/** Whether nobody but a stranger vouches for the client's redirect URIs. */
function isUnchecked({ id, registeredBy, selfRegistered }: ClientFacts): boolean {
  return isDocumentAddress(id) || registeredBy !== null || selfRegistered;
}

type ConsentStep = { session: Session; client: ClientFacts; request: AuthorizationRequest; sent: SentQuery };

/** The consent page, or the login page that leads back here with the query exactly as it was sent, so that no escape makes it longer. */
function consentOrLogin(deps: PageDeps, { session, client, request, sent }: ConsentStep): Reply {
  const { site, formTokens } = deps;
  const here = site.path(`/oauth/authorize?${sent.text}`);
  const { redirectUri } = request.answerTo;
  if (session.streamer) {
    const formToken = formTokens.seal("consent", session, request);
    const otherStreamer = formTokens.seal("logout", session, { to: here });
    const page = consentPage({ site, client, request, streamer: session.streamer, formToken, otherStreamer });
    return pageReply(page, [onwardSource(redirectUri)], session);
  }
  const formAction = [formActionSource(redirectUri)];
  const purpose = { to: here, application: client.name, formAction };
  return pageReply(loginPage(deps, session, { purpose }), formAction, session);
}

function pageReply(body: string, formAction: readonly string[], { cookies }: Session): Reply {
  const transport = { ...pageHeaders(formAction), ...(cookies.length > 0 && { "Set-Cookie": cookies }) };
  return { status: 200, transport, body };
}

/**
 * Answers with an error page instead of a redirect: for an unknown client or redirect URI (RFC 6749 4.1.2.1), and for a client that is known by
 * its document only or was registered by a streamer or itself. Otherwise a link to this server could lead anybody to any address (RFC 9700 4.11.2).
 */
function errorReply({ brand }: Site, detail: string): Reply {
  return { status: 400, transport: pageHeaders(), body: errorPage({ ...brokenLink, brand, detail }) };
}

function redirectToClient(location: string): Reply {
  return { status: 303, headers: { Location: location }, transport: pageHeaders() };
}

const brokenLink = {
  title: { th: "ลิงก์จากแอปนี้ใช้ไม่ได้", en: "This application's link doesn't work" },
  advice: {
    th: "เราไม่ได้ส่งข้อมูลใดๆ ออกไป โปรดแจ้งผู้พัฒนาแอป",
    en: "We sent no data anywhere. Please tell the application's developer.",
  },
};

const unknownClient = "client_id is missing or unknown.";
const unknownRedirect = "redirect_uri is not registered for this client. It may be left out only when exactly one is registered.";

type ConsentPage = Readonly<{
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

/** The client, which may have been removed while the page was open, or may have taken back the redirect URI that is answered to. */
async function registered({ clients }: PageDeps, { clientId, answerTo }: AuthorizationRequest, address: string) {
  const client = await clients.find(clientId, address);
  return client && findRedirectUri(client, answerTo.redirectUri) !== null ? client : null;
}

type Approved = { client: ClientFacts; request: AuthorizationRequest; streamerId: string };

async function approve({ clients, grants }: PageDeps, { client, request, streamerId }: Approved): Promise<string> {
  await clients.register(client);
  const { clientId, scopes, resource, redirectUri, codeChallenge } = request;
  return grants.approve({ clientId, streamerId, scopes, resource, redirectUri, codeChallenge });
}

function consentPage({ site, client, request, streamer, formToken, otherStreamer }: ConsentPage): string {
  const name = html`<strong>${isolated(client.name)}</strong>`;
  return renderPage({
    title: { th: "อนุญาตให้แอปเข้าถึง", en: "Approve an application" },
    brand: site.brand,
    content: html`<h1>${bilingual({ th: html`อนุญาตให้ ${name} เข้าถึงช่องของคุณไหม`, en: html`Let ${name} access your channel?` })}</h1>
${accountBar({ site, streamer, logoutToken: otherStreamer })}
${client.registeredBy !== null && html`<p class="wrong">${bilingual(unchecked(site, client.registeredBy))}</p>`}
${client.selfRegistered && html`<p class="wrong">${bilingual(unverified(site))}</p>`}
<p>${bilingual({ th: "แอปนี้จะทำสิ่งต่อไปนี้ได้", en: "It will be able to:" })}</p>
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

/** Anybody can register a client under any name, without an account. */
function unverified({ brand }: Site): Bilingual {
  const platform = displayName(brand);
  return {
    th: html`แอปนี้ลงทะเบียนตัวเอง และ ${platform} ไม่ได้ตรวจสอบ ชื่อของแอปอาจไม่เป็นความจริง อนุญาตเฉพาะเมื่อคุณเพิ่งเริ่มเชื่อมต่อเอง`,
    en: html`Unverified: it registered itself, and ${platform} has not checked it or its name. Approve it only if you have just started to connect it.`,
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
