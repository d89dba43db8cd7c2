// POST /oauth/consent: the streamer's decision goes back to the application (RFC 6749 4.1.2).

import type { PageHandler } from "../http/pages.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import { formHandler, seeOther } from "./forms.ts";
import type { PageParts } from "./page-parts.ts";
import { outOfDatePage } from "./pages/refusals.ts";
import { answerUri, findRedirectUri } from "./return-address.ts";

export const consent = (parts: PageParts): PageHandler =>
  formHandler(parts, "consent", async ({ session: { streamer }, content: request, form }) => {
    const { site } = parts;
    const decision = form.get("decision");
    const isDecided = decision === "approve" || decision === "deny";
    if (!streamer || !isDecided || !(await isStillRegistered(parts, request))) return { status: 400, html: outOfDatePage(site) };
    const answer = decision === "approve" ? { code: await approve(parts, request, streamer.id) } : denied;
    return seeOther(answerUri(request.answerTo, site.baseUrl, answer));
  });

const denied = { error: "access_denied", error_description: "the streamer declined" };

/** The client may have been removed while the page was open. */
async function isStillRegistered({ clients }: PageParts, { clientId, redirectUri }: AuthorizationRequest): Promise<boolean> {
  const client = await clients.find(clientId);
  return client !== null && findRedirectUri(client, redirectUri ?? undefined) !== null;
}

function approve({ grants }: PageParts, request: AuthorizationRequest, streamerId: string): Promise<string> {
  const { clientId, scopes, resource, redirectUri, codeChallenge } = request;
  return grants.approve({ clientId, streamerId, scopes, resource, redirectUri, codeChallenge });
}
