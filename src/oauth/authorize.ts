// GET /oauth/authorize (RFC 6749 4.1.1): shows the consent page, or the login page first, or redirects with an error.

import type { Site } from "../http/base-url.ts";
import type { Handler, OperationReply, SentQuery } from "../http/operations.ts";
import { OAuthError } from "../http/problem.ts";
import { errorPage } from "../ui/layout.ts";
import { pageHeaders } from "../ui/serve-pages.ts";
import { loginPage } from "./accounts/login.ts";
import type { Session } from "./accounts/sessions.ts";
import { AuthorizationError, type AuthorizationRequest, readRequest } from "./authorization-request.ts";
import { isDocumentAddress } from "./clients/client-directory.ts";
import type { ClientFacts } from "./clients/clients.ts";
import { answerUri, findRedirectUri, formActionSource, onwardSource, type ReturnAddress } from "./clients/redirect-uris.ts";
import { consentPage } from "./consent.ts";
import type { PageDeps } from "./page-deps.ts";

type Reply = OperationReply<"authorize">;

export const authorize =
  (deps: PageDeps): Handler<"authorize"> =>
  async ({ query, sent, caller }) => {
    const { site, clients, sessions } = deps;
    const repeated = sent.repeated.find((name) => name === "client_id" || name === "redirect_uri");
    if (repeated !== undefined) return errorReply(repeatedPage(site, repeated));
    const client = query.client_id === undefined ? null : await clients.find(query.client_id, caller.address);
    if (!client) return errorReply(unknownClientPage(site));
    const redirectUri = findRedirectUri(client, query.redirect_uri);
    if (redirectUri === null) return errorReply(unknownRedirectPage(site));

    const answerTo: ReturnAddress = { redirectUri, state: query.state ?? null };
    try {
      const terms = readRequest({ query, sent }, client, site.baseUrl);
      const request = { clientId: client.id, answerTo, redirectUri: query.redirect_uri ?? null, ...terms };
      return consentOrLogin(deps, { session: await sessions.open(caller.cookie), client, request, sent });
    } catch (error) {
      if (!(error instanceof AuthorizationError || error instanceof OAuthError)) throw error;
      if (isUnchecked(client)) return errorReply(faultyRequestPage(site, error.message));
      return redirectToClient(answerUri(answerTo, site.baseUrl, { error: error.code, error_description: error.message }));
    }
  };

/** Whether nobody but a stranger vouches for the client's redirect URIs. */
function isUnchecked({ id, registeredBy }: ClientFacts): boolean {
  return isDocumentAddress(id) || registeredBy !== null;
}

type ConsentStep = { session: Session; client: ClientFacts; request: AuthorizationRequest; sent: SentQuery };

/** The consent page, or the login page that leads back here with the query exactly as it was sent, so that no escape makes it longer. */
function consentOrLogin({ site, formTokens }: PageDeps, { session, client, request, sent }: ConsentStep): Reply {
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
  return pageReply(loginPage({ site, purpose, formToken: formTokens.seal("login", session, purpose) }), formAction, session);
}

function pageReply(body: string, formAction: readonly string[], { cookies }: Session): Reply {
  const transport = { ...pageHeaders(formAction), ...(cookies.length > 0 && { "Set-Cookie": cookies }) };
  return { status: 200, transport, body };
}

/**
 * Answers with an error page instead of a redirect: for an unknown client or redirect URI (RFC 6749 4.1.2.1), and for a client that is
 * known by its document only or was registered by a streamer, because otherwise a link to this server could lead anybody to any address (RFC 9700 4.11.2).
 */
function errorReply(body: string): Reply {
  return { status: 400, transport: pageHeaders(), body };
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

function unknownClientPage({ brand }: Site): string {
  return errorPage({ ...brokenLink, brand, detail: "client_id is missing or unknown." });
}

function unknownRedirectPage({ brand }: Site): string {
  return errorPage({
    ...brokenLink,
    brand,
    detail: "redirect_uri is not registered for this client. It may be left out only when exactly one is registered.",
  });
}

function repeatedPage({ brand }: Site, name: string): string {
  return errorPage({ ...brokenLink, brand, detail: `${name} must not be repeated.` });
}

/** For the errors that a client is told by redirect, where the browser must not be sent. */
function faultyRequestPage({ brand }: Site, detail: string): string {
  return errorPage({ ...brokenLink, brand, detail });
}
