// Mutants of the OAuth endpoints.

import type { Edit, Mutants } from "../mutant.ts";

const inOAuth = (file: string, from: string, to: string): Edit => ({ file: `src/oauth/${file}.ts`, from, to });

export const oauth: Mutants = {
  "code-replay-forgiven": {
    broken: "an authorization code that is used again is refused, but its grant is not revoked",
    edit: inOAuth("tokens/token", 'if (state === "used") await grants.revoke(grant.id, "code_reused");', ""),
    killedBy: [["oauth/issue-token-code", /used again.* revokes the grant/]],
  },
  "code-used-twice-at-once": {
    broken: "an authorization code that is used twice at once is accepted both times",
    edit: inOAuth("tokens/grants", "return used > 0;", "return used >= 0;"),
    killedBy: [["oauth/issue-token-code", /several times concurrently is exchanged exactly once/]],
  },
  "code-of-another-client": {
    broken: "an authorization code is accepted from any client",
    edit: inOAuth(
      "tokens/token",
      'if (stored?.grant.clientId !== client.id) throw invalidGrant("This client has no such code.");',
      'if (!stored) throw invalidGrant("no such code");',
    ),
    killedBy: [["oauth/issue-token-code", /belongs to its client/]],
  },
  "code-burnt-by-another-client": {
    broken: "an authorization code that another client has tried is used up",
    edit: inOAuth(
      "tokens/token",
      'if (stored?.grant.clientId !== client.id) throw invalidGrant("This client has no such code.");',
      'if (stored?.grant.clientId !== client.id) await grants.useCode(code, { grantId: stored?.grant.id, resource: null });\n  if (stored?.grant.clientId !== client.id) throw invalidGrant("no such code");',
    ),
    killedBy: [["oauth/issue-token-code", /has tried is still good for its own client/]],
  },
  "second-query-of-a-redirect-uri": {
    broken: "a redirect URI with a query is given a second question mark",
    edit: inOAuth("return-address", 'redirectUri.includes("?") ? "&" : "?"', '"?"'),
    killedBy: [["oauth/authorize-redirect-uri", /added to the query that a registered redirect URI has/]],
  },
  "code-for-two-minutes": {
    broken: "an authorization code is valid for two minutes",
    edit: inOAuth("tokens/grants", "interval '60 seconds'", "interval '120 seconds'"),
    killedBy: [["oauth/lifetimes", /invalid_grant after 60 seconds/]],
  },
  "pkce-plain": {
    broken: "the PKCE challenge method plain is accepted",
    edit: inOAuth("authorization-request", 'if (method !== "S256")', 'if (method !== "S256" && method !== "plain")'),
    killedBy: [["oauth/authorize-errors", /plain/]],
  },
  "pkce-forgotten": {
    broken: "a token request without a PKCE verifier is accepted",
    edit: inOAuth(
      "tokens/oauth2-server-adapter",
      "codeChallenge: code?.codeChallenge ?? undefined",
      "codeChallenge: (parameters.code_verifier && code?.codeChallenge) ?? undefined",
    ),
    killedBy: [["oauth/issue-token-pkce", /without the verifier of its challenge is refused/]],
  },
  "redirect-prefix": {
    broken: "a redirect URI that only begins with the registered one is accepted",
    edit: inOAuth("return-address", "registered === sent ||", "sent.startsWith(registered) ||"),
    killedBy: [["oauth/authorize-redirect-uri", /gets an error page and no redirect/]],
  },
  "redirect-any-at-token": {
    broken: "the token endpoint accepts any redirect URI",
    edit: inOAuth(
      "tokens/oauth2-server-adapter",
      "const redirectUri = code?.redirectUri ??",
      "const redirectUri = parameters.redirect_uri ?? code?.redirectUri ??",
    ),
    killedBy: [["oauth/issue-token-code", /redirect URI.* refused with invalid_grant/]],
  },
  "redirect-to-strangers": {
    broken: "authorization errors are sent by redirect to a client that nobody has checked",
    edit: inOAuth("authorize", "if (isUnchecked(client)) return errorReply(faultyRequestPage(site, error.message));", ""),
    killedBy: [["oauth/client-documents", /never a redirect/]],
  },
  "public-clients-share-a-limit": {
    broken: "the token requests of a public client share one rate limit for all addresses",
    edit: inOAuth("tokens/token", "return isPublic ? `${id} ${network(address)}` : id;", "return id;"),
    killedBy: [["transport/rate-limits", /counts for each address alone/]],
  },
  "empty-is-not-repeated": {
    broken: "a parameter that is repeated after an empty one is accepted",
    edit: { file: "src/http/contract/parameters.ts", from: "seen.add(name);", to: 'if (value !== "") seen.add(name);' },
    killedBy: [
      ["oauth/token-body", /whatever its values and their order/],
      ["oauth/authorize-errors", /whatever its values and their order/],
    ],
  },
  "repeated-in-json": {
    broken: "a member that is repeated in JSON at the token endpoint is accepted with its last value",
    edit: { file: "src/http/body/body.ts", from: "return memberNames(text).map(", to: "return [...new Set(memberNames(text))].map(" },
    killedBy: [["oauth/token-body", /in JSON > .*whatever its values and their order/]],
  },
  "state-grows": {
    broken: "the address to return to after login is serialised again, with more escapes",
    edit: inOAuth("authorize", "${sent.text}", "${new URLSearchParams(sent.text)}"),
    killedBy: [["oauth/authorize", /6,000 characters comes back/]],
  },
  "state-lost": {
    broken: "the redirect to the client lacks its state",
    edit: inOAuth("return-address", "...(state !== null && { state }), ", ""),
    killedBy: [["oauth/authorize", /any state comes back/]],
  },
  "refresh-reused": {
    broken: "a used refresh token is accepted again",
    edit: inOAuth("tokens/grants", "isConfidential: !client.public }", "isConfidential: true }"),
    killedBy: [["oauth/issue-token-refresh", /public client that uses a refresh token twice loses the grant/]],
  },
  "refresh-of-another-client": {
    broken: "a refresh token is accepted from any client",
    edit: inOAuth(
      "tokens/token",
      'if (refreshToken?.grant.clientId !== client.id) throw invalidGrant("This client has no such refresh token.");',
      'if (!refreshToken) throw invalidGrant("no such refresh token");',
    ),
    killedBy: [["oauth/issue-token-refresh", /belongs to its client/]],
  },
  "refresh-for-more": {
    broken: "a refresh may request scopes that the grant does not have",
    edit: inOAuth("tokens/token", "requested.every((one) => scopes.some((granted) => granted === one))", "true"),
    killedBy: [["oauth/issue-token-scopes", /for more scopes than the grant has is refused/]],
  },
  "secret-of-a-client-unchecked": {
    broken: "a client is authenticated with any secret",
    edit: inOAuth("clients/client-authentication", "return secret !== null && isSecretOf(found, secret);", "return secret !== null;"),
    killedBy: [["oauth/client-authentication", /a wrong client secret is refused with invalid_client/]],
  },
  "revoked-by-another": {
    broken: "a client may revoke another client's tokens",
    edit: inOAuth("tokens/revoke", "if (token && token.clientId !== client.id) throw", "if (token?.clientId === null) throw"),
    killedBy: [["oauth/revoke-token", /another client's token is refused with invalid_grant/]],
  },
  "grant-outlives-refresh-token": {
    broken: "revoking a refresh token does not revoke its grant",
    edit: inOAuth("tokens/revoke", "revoke: () => grants.revoke(stored.grant.id)", "revoke: async () => {}"),
    killedBy: [["oauth/revoke-token", /revoking a refresh token revokes its grant/]],
  },
};
