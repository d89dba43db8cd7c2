import type { Edit, Mutants } from "../mutant.ts";

const inOAuth = (file: string, from: string, to: string): Edit => ({ file: `src/oauth/${file}.ts`, from, to });

export const oauth: Mutants = {
  "code-replay-forgiven": {
    broken: "a code that is used again is refused, and that is all",
    edit: inOAuth("token", 'if (state === "used") await grants.revoke(grant.id);', ""),
    killedBy: [["oauth/issue-token-code", /used again.* revokes the grant/]],
  },
  "code-used-twice-at-once": {
    broken: "a code is good for all who use it at once",
    edit: inOAuth("grants", "return used > 0;", "return used >= 0;"),
    killedBy: [["oauth/issue-token-code", /several uses at once exactly one wins/]],
  },
  "code-of-another-client": {
    broken: "a code is good for any client",
    edit: inOAuth(
      "token",
      'if (stored?.grant.clientId !== client.id) throw badGrant("This client has no such code.");',
      'if (!stored) throw badGrant("no such code");',
    ),
    killedBy: [["oauth/issue-token-code", /belongs to its client/]],
  },
  "code-for-two-minutes": {
    broken: "a code is good for two minutes",
    edit: inOAuth("grants", "interval '60 seconds'", "interval '120 seconds'"),
    killedBy: [["oauth/lifetimes", /invalid_grant after 60 seconds/]],
  },
  "pkce-plain": {
    broken: "the challenge method plain is taken",
    edit: inOAuth("authorization-request", 'if (method !== "S256")', 'if (method !== "S256" && method !== "plain")'),
    killedBy: [["oauth/authorize", /plain/]],
  },
  "pkce-forgotten": {
    broken: "who sends no verifier needs none",
    edit: inOAuth(
      "oauth2-server-adapter",
      "codeChallenge: code?.codeChallenge ?? undefined",
      "codeChallenge: (parameters.code_verifier && code?.codeChallenge) ?? undefined",
    ),
    killedBy: [["oauth/issue-token-pkce", /needs its verifier.* none is invalid_grant/]],
  },
  "redirect-prefix": {
    broken: "a redirect URI only has to begin like the registered one",
    edit: inOAuth("return-address", "registered === sent ||", "sent.startsWith(registered) ||"),
    killedBy: [["oauth/authorize", /gets a page, and the browser goes nowhere/]],
  },
  "redirect-any-at-token": {
    broken: "the token endpoint takes any redirect URI",
    edit: inOAuth(
      "oauth2-server-adapter",
      "const redirectUri = code?.redirectUri ??",
      "const redirectUri = parameters.redirect_uri ?? code?.redirectUri ??",
    ),
    killedBy: [["oauth/issue-token-code", /redirect URI.*is invalid_grant/]],
  },
  "redirect-to-strangers": {
    broken: "the errors of a client that only its document names are told by redirect",
    edit: inOAuth("authorize", "if (isDocumentAddress(client.id)) return refuse(faultyRequestPage(site, error.message));", ""),
    killedBy: [["oauth/client-documents", /never a redirect/]],
  },
  "public-clients-share-a-limit": {
    broken: "a public client's token requests are counted together, wherever they come from",
    edit: inOAuth("token", "return isPublic ? `${id} ${network(address)}` : id;", "return id;"),
    killedBy: [["transport/rate-limits", /counts for each address alone/]],
  },
  "empty-is-not-repeated": {
    broken: "a parameter may be repeated after an empty one",
    edit: { file: "src/http/parameters.ts", from: "seen.add(name);", to: 'if (value !== "") seen.add(name);' },
    killedBy: [
      ["oauth/token-body", /whatever its values and their order/],
      ["oauth/authorize", /whatever its values and their order/],
    ],
  },
  "repeated-in-json": {
    broken: "of two JSON members at the token endpoint the last wins",
    edit: { file: "src/http/body.ts", from: "return memberNames(text).map(", to: "return [...new Set(memberNames(text))].map(" },
    killedBy: [["oauth/token-body", /in JSON > .*whatever its values and their order/]],
  },
  "state-grows": {
    broken: "the way back from the login is written anew, with more escapes",
    edit: inOAuth("authorize", "${sent.text}", "${new URLSearchParams(sent.text)}"),
    killedBy: [["oauth/authorize", /6,000 characters comes back/]],
  },
  "state-lost": {
    broken: "the state does not come back",
    edit: inOAuth("return-address", "...(state !== null && { state }), ", ""),
    killedBy: [["oauth/authorize", /any state comes back/]],
  },
  "refresh-reused": {
    broken: "a refresh token that was used is good again and again",
    edit: inOAuth("grants", "else 'reused' end as kind", "else 'first' end as kind"),
    killedBy: [["oauth/issue-token-refresh", /public client that uses one twice loses the grant/]],
  },
  "refresh-of-another-client": {
    broken: "a refresh token is good for any client",
    edit: inOAuth(
      "token",
      'if (stored?.grant.clientId !== client.id) throw badGrant("This client has no such refresh token.");',
      'if (!stored) throw badGrant("no such refresh token");',
    ),
    killedBy: [["oauth/issue-token-refresh", /belongs to its client/]],
  },
  "refresh-for-more": {
    broken: "a refresh may ask for any scope",
    edit: inOAuth("token", "asked.every((one) => scopes.some((granted) => granted === one))", "true"),
    killedBy: [["oauth/issue-token-scopes", /for more than the grant has is invalid_scope/]],
  },
  "secret-of-a-client-unchecked": {
    broken: "any secret is a client's",
    edit: inOAuth("client-authentication", "return secret !== null && clients.verifySecret(client.id, secret);", "return secret !== null;"),
    killedBy: [["oauth/client-authentication", /is invalid_client/]],
  },
  "revoked-by-another": {
    broken: "a client may revoke the tokens of others",
    edit: inOAuth("revoke", "if (found && found.clientId !== client.id) throw", "if (found?.clientId === null) throw"),
    killedBy: [["oauth/revoke-token", /another client's token is invalid_grant/]],
  },
  "grant-outlives-refresh-token": {
    broken: "revoking a refresh token revokes nothing",
    edit: inOAuth("revoke", "revoke: () => grants.revoke(stored.grant.id)", "revoke: async () => {}"),
    killedBy: [["oauth/revoke-token", /takes its grant with it/]],
  },
};
