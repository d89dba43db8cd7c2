// GET /oauth/authorize: RFC 6749 4.1.1, step by step.

import { OAuthError } from "../http/oauth-error.ts";
import type { Handler, OperationReply, SentQuery } from "../http/operations.ts";
import { pageHeaders } from "../ui/serve-pages.ts";
import { AuthorizationError, type AuthorizationRequest, readRequest } from "./authorization-request.ts";
import { isDocumentAddress } from "./client-document.ts";
import type { ClientFacts } from "./clients.ts";
import type { PageParts } from "./page-deps.ts";
import { consentPage } from "./pages/consent.ts";
import { loginPage } from "./pages/login.ts";
import { faultyRequestPage, repeatedPage, unknownClientPage, unknownRedirectPage } from "./pages/refusals.ts";
import { answerUri, findRedirectUri, formActionSource, onwardSource, type ReturnAddress } from "./return-address.ts";
import type { Session } from "./sessions.ts";

type AuthorizeParts = Pick<PageParts, "site" | "clients" | "sessions" | "transactions">;
type Reply = OperationReply<"authorize">;

export const authorize =
  (parts: AuthorizeParts): Handler<"authorize"> =>
  async ({ query, sent, caller }) => {
    const { site, clients, sessions } = parts;
    const repeated = sent.repeated.find((name) => name === "client_id" || name === "redirect_uri");
    if (repeated !== undefined) return refuse(repeatedPage(site, repeated));
    const client = query.client_id === undefined ? null : await clients.find(query.client_id, caller.address);
    if (!client) return refuse(unknownClientPage(site));
    const redirectUri = findRedirectUri(client, query.redirect_uri);
    if (redirectUri === null) return refuse(unknownRedirectPage(site));

    const answerTo: ReturnAddress = { redirectUri, state: query.state ?? null };
    try {
      const asked = readRequest({ query, sent }, client, site.baseUrl);
      const request = { clientId: client.id, answerTo, redirectUri: query.redirect_uri ?? null, ...asked };
      return putToStreamer(parts, { session: await sessions.open(caller.cookie), client, request, sent });
    } catch (error) {
      if (!(error instanceof AuthorizationError || error instanceof OAuthError)) throw error;
      if (isDocumentAddress(client.id)) return refuse(faultyRequestPage(site, error.message));
      return sendBack(answerUri(answerTo, site.baseUrl, { error: error.code, error_description: error.message }));
    }
  };

type Asked = { session: Session; client: ClientFacts; request: AuthorizationRequest; sent: SentQuery };

/** The consent page, or the login page that leads back here: with the query as it was sent, which arrived and so will again. */
function putToStreamer({ site, transactions }: AuthorizeParts, { session, client, request, sent }: Asked): Reply {
  const here = site.path(`/oauth/authorize?${sent.text}`);
  const { redirectUri } = request.answerTo;
  if (session.streamer) {
    const transaction = transactions.seal("consent", session, request);
    const otherStreamer = transactions.seal("logout", session, { to: here });
    const page = consentPage({ site, client, request, streamer: session.streamer, transaction, otherStreamer });
    return show(page, [onwardSource(redirectUri)], session);
  }
  const formAction = [formActionSource(redirectUri)];
  const purpose = { to: here, application: client.name, formAction };
  return show(loginPage({ site, purpose, transaction: transactions.seal("login", session, purpose) }), formAction, session);
}

function show(body: string, formAction: readonly string[], { cookies }: Session): Reply {
  const transport = { ...pageHeaders(formAction), ...(cookies.length > 0 && { "Set-Cookie": cookies }) };
  return { status: 200, transport, body };
}

/**
 * A client or address that we don't know is never redirected to (RFC 6749 4.1.2.1). Nor is one that a stranger's document named, before
 * a streamer has decided: a link to us would lead anybody anywhere (RFC 9700 4.11.2).
 */
function refuse(body: string): Reply {
  return { status: 400, transport: pageHeaders(), body };
}

function sendBack(location: string): Reply {
  return { status: 303, headers: { Location: location }, transport: pageHeaders() };
}
