// POST /oauth/register: applications register themselves (RFC 7591), always as public clients.

import { network } from "../../http/addresses.ts";
import { allScopes } from "../../http/contract/published.ts";
import type { Handler } from "../../http/operations.ts";
import { OAuthError } from "../../http/problem.ts";
import { grantTypes } from "../tokens/token.ts";
import type { FailureThrottle } from "./client-authentication.ts";
import { namesHostFirst, readableName } from "./client-names.ts";
import type { ClientStore } from "./clients.ts";
import { brokenRule, redirectHost } from "./redirect-uris.ts";
import { readScopes } from "./requested-scopes.ts";

type RegistrationDeps = Readonly<{
  /** Whether the operator allows it. */
  isOn: boolean;
  clients: Pick<ClientStore, "registerItself">;
  /** Counts registrations of each network. */
  throttle: FailureThrottle;
  onRegistered: () => void;
}>;

export const registerClient =
  ({ isOn, clients, throttle, onRegistered }: RegistrationDeps): Handler<"registerClient"> =>
  async ({ body, caller }) => {
    if (!isOn) throw new OAuthError("invalid_request", "Applications cannot register themselves on this server.");
    const redirectUris = [...new Set(body.redirect_uris)];
    for (const uri of redirectUris) requireServable(uri);
    requireListed("grant_types", body.grant_types, "authorization_code");
    requireListed("response_types", body.response_types, "code");
    const given = readableName(body.client_name ?? "");
    const name = given === null || namesHostFirst(given) ? redirectHost(redirectUris[0] ?? "").name : given;
    const scopes = readScopes(body.scope, allScopes, (rule) => new OAuthError("invalid_client_metadata", rule));
    await throttle.count(network(caller.address));
    const id = await clients.registerItself({ name, public: true, redirectUris, scopes });
    onRegistered();
    return {
      status: 201,
      body: {
        client_id: id,
        client_id_issued_at: Math.floor(Date.now() / 1_000),
        client_name: name,
        redirect_uris: redirectUris,
        token_endpoint_auth_method: "none",
        grant_types: [...grantTypes],
        response_types: ["code"],
        scope: scopes.join(" "),
      },
    };
  };

/** Schemes of apps are left out: any app on a device can claim one. */
function requireServable(uri: string): void {
  const broken = /^https?:/i.test(uri) ? brokenRule(uri, { public: true }) : "must use https, or http on this machine";
  if (broken) throw new OAuthError("invalid_redirect_uri", `A redirect URI ${broken}.`);
}

/** A list that is left out means what this server does in any case. */
function requireListed(member: string, values: readonly string[] | undefined, value: string): void {
  if (values && !values.includes(value)) throw new OAuthError("invalid_client_metadata", `${member} must include ${value}.`);
}
