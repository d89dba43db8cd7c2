// Mistakes of other people's servers that the suite once did not notice.

import type { Mutants } from "../mutant.ts";

export const otherServers: Mutants = {
  "scope-of-an-exchange": {
    broken: "the exchange of a code grants the scopes that it asks for, approved or not",
    edit: {
      file: "src/oauth/tokens/token.ts",
      from: "  const sign = accessTokenSigner(deps, { client, grant: checked.grant, audience });\n  return exchangeGrant(deps.grants, { ...checked, client, resource, sign });",
      to: '  const scopes = (body.scope?.split(" ") ?? checked.grant.scopes) as Grant["scopes"];\n  const grant = { ...checked.grant, scopes };\n  const sign = accessTokenSigner(deps, { client, grant, audience });\n  return exchangeGrant(deps.grants, { ...checked, grant, client, resource, sign });',
    },
    killedBy: [["oauth/issue-token-scopes", /an exchange of a code with more scopes/]],
  },
  "oauth-parameters-in-the-url": {
    broken: "the OAuth endpoints also read parameters in the URL",
    edit: {
      file: "src/http/router.ts",
      from: "validateOAuth(operation, ctx, body as Pairs | undefined)",
      to: "validateOAuth(operation, ctx, body && [...(body as Pairs), ...new URLSearchParams(ctx.querystring)])",
    },
    killedBy: [["oauth/token-body", /parameters in the URL are never read/]],
  },
  "basic-split-at-every-colon": {
    broken: "what stands behind a second colon of HTTP Basic is not read",
    edit: { file: "src/oauth/clients/client-authentication.ts", from: "/^([^:]*):(.*)$/s", to: "/^([^:]*):([^:]*)/s" },
    killedBy: [["oauth/client-authentication", /HTTP Basic with a colon too many/]],
  },
  "codes-are-trimmed": {
    broken: "blanks around a code are ignored",
    edit: {
      file: "src/oauth/tokens/grants.ts",
      from: 'return hash("sha256", secret, "buffer");',
      to: 'return hash("sha256", secret.trim(), "buffer");',
    },
    killedBy: [["oauth/issue-token-code", /a code that is nearly the right one/]],
  },
  "expired-token-is-revoked-with-an-error": {
    broken: "revoking an access token that has expired is an error",
    edit: {
      file: "src/oauth/tokens/revoke.ts",
      from: "  if (!claims) return null;",
      to: '  if (claims && claims.exp * 1000 < Date.now()) throw new OAuthError("invalid_request", "The token has expired.");\n  if (!claims) return null;',
    },
    killedBy: [["oauth/revoke-token", /revoking an access token that has expired/]],
  },
};
