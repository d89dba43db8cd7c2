// Grants and tokens: faults that no single wrong answer shows, as edits of the sources.

import type { Mutants } from "../mutant.ts";

export const oauth: Mutants = {
  "code-replay-forgiven": {
    broken: "an authorization code that is used again is refused, but its grant is not revoked",
    edit: {
      file: "src/oauth/tokens/authorization-code.ts",
      from: 'if (state === "used") await grants.revoke(grant.id, "code_reused");',
      to: "",
    },
    killedBy: [["oauth/issue-token-code", /used again.* revokes the grant/]],
  },
  "code-used-twice-at-once": {
    broken: "an authorization code that is used twice at once is accepted both times",
    edit: { file: "src/oauth/tokens/authorization-code.ts", from: "return used > 0;", to: "return used >= 0;" },
    killedBy: [["oauth/issue-token-code", /several times concurrently is exchanged exactly once/]],
  },
  "code-of-another-client": {
    broken: "an authorization code is accepted from any client",
    edit: {
      file: "src/oauth/tokens/token.ts",
      from: "...compared, ...ownerOf(stored.grant) }",
      to: "...compared, ...ownerOf(stored.grant), client }",
    },
    killedBy: [["oauth/issue-token-code", /belongs to its client/]],
  },
  "code-for-two-minutes": {
    broken: "an authorization code is valid for two minutes",
    edit: { file: "src/oauth/tokens/grants.ts", from: "interval '60 seconds'", to: "interval '120 seconds'" },
    killedBy: [["oauth/lifetimes", /invalid_grant after 60 seconds/]],
  },
  "pkce-forgotten": {
    broken: "a token request without a PKCE verifier is accepted",
    edit: {
      file: "src/oauth/tokens/token.ts",
      from: "codeChallengeMethod: challengeMethod, expiresAt: endOfTime }",
      to: "codeChallengeMethod: challengeMethod, expiresAt: endOfTime, ...(!body.code_verifier && { codeChallenge: null }) }",
    },
    killedBy: [["oauth/issue-token-pkce", /without the verifier of its challenge is refused/]],
  },
  "redirect-to-strangers": {
    broken: "authorization errors are sent by redirect to a client that nobody has checked",
    edit: {
      file: "src/oauth/authorize.ts",
      from: "if (isUnchecked(client)) return errorReply(faultyRequestPage(site, error.message));",
      to: "",
    },
    killedBy: [["oauth/client-documents", /never a redirect/]],
  },
  "public-clients-share-a-limit": {
    broken: "the token requests of a public client share one rate limit for all addresses",
    edit: { file: "src/oauth/tokens/token.ts", from: "return isPublic ? `${id} ${network(address)}` : id;", to: "return id;" },
    killedBy: [["transport/rate-limits", /counts for each address alone/]],
  },
  "refresh-reused": {
    broken: "a used refresh token is accepted again",
    edit: { file: "src/oauth/tokens/refresh-token.ts", from: "isConfidential: !client.public }", to: "isConfidential: true }" },
    killedBy: [["oauth/issue-token-refresh", /public client that uses a refresh token twice loses the grant/]],
  },
  "grant-outlives-refresh-token": {
    broken: "revoking a refresh token does not revoke its grant",
    edit: { file: "src/oauth/tokens/revoke.ts", from: "revoke: () => grants.revoke(stored.grant.id)", to: "revoke: async () => {}" },
    killedBy: [["oauth/revoke-token", /revoking a refresh token revokes its grant/]],
  },
  "used-token-revokes-nothing": {
    broken: "revoking a refresh token that was used leaves its grant as it is",
    edit: {
      file: "src/oauth/tokens/refresh-token.ts",
      from: 'where t.hash = ${bind(digest(token), "bytea")}`',
      to: 'where t.rotated_at is null and t.hash = ${bind(digest(token), "bytea")}`',
    },
    killedBy: [["oauth/revoke-token", /a refresh token that was used revokes its grant/]],
  },
  "access-token-takes-grant": {
    broken: "revoking an access token ends the other access tokens of its grant",
    edit: {
      file: "src/oauth/tokens/revoke.ts",
      from: "denials.denyToken(jti, { streamerId, client: clientId })",
      to: "denials.deny([jti, claims.grant_id])",
    },
    killedBy: [["oauth/revoke-token", /an access token ends it alone/]],
  },
};
