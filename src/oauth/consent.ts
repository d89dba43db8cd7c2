// POST /oauth/consent: the streamer's decision goes back to the application (RFC 6749 4.1.2).

import { type PageHandler, seeOther } from "../ui/serve-pages.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import type { ClientFacts } from "./clients/clients.ts";
import { formHandler } from "./forms.ts";
import type { PageDeps } from "./page-deps.ts";
import { outOfDatePage } from "./pages/error-pages.ts";
import { answerUri, findRedirectUri } from "./return-address.ts";

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
