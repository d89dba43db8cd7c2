// Wrong answers of the OAuth server: grants, tokens, revocation, documents and pages.

import { at, changeJson, type Mutants, set, type WrongAnswer, wrong } from "../mutant.ts";

/** A token answer that was never given: a server that accepts what it must refuse. */
const tokens = {
  access_token: "eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.e30.c2ln",
  token_type: "Bearer",
  expires_in: 3_600,
  refresh_token: "namjai_r1_u8Tq2Lz7Rk4Xn9VbZx0vT9b2kQ7nR4mW",
  scope: "read:donations",
};

/** The members of a token request, from a form or JSON. */
function fieldsOf({ body }: { body: Buffer }): Record<string, string> {
  try {
    return JSON.parse(body.toString());
  } catch {
    return Object.fromEntries(new URLSearchParams(body.toString()));
  }
}

/** The request with another token, in a form or JSON. */
function withToken<T extends { body: Buffer }>(request: T, token: string): T {
  const text = request.body.toString();
  const body = text.startsWith("{")
    ? changeJson(request.body, (fields) => ({ ...(fields as object), token }))
    : Buffer.from(text.replace(/(^|&)token=[^&]*/, `$1token=${token}`));
  return { ...request, body };
}

const claimsOf = (header: string | undefined): Record<string, unknown> => {
  try {
    return JSON.parse(Buffer.from(String(header).split(".")[1] ?? "", "base64url").toString());
  } catch {
    return {};
  }
};

const api = /^\w+ \/api\/v1\//;

/** A server that takes a credential which it must refuse for the last one that it accepted. */
const forgiven = (isMeant: (token: string) => boolean): Pick<WrongAnswer, "on" | "instead"> => ({
  on: api,
  instead: async (request, send, memory) => {
    const token = String(request.headers.authorization).replace(/^Bearer /, "");
    const answer = await send(request);
    if (answer.status < 300) memory.set("accepted", { ...answer, headers: { authorization: `Bearer ${token}` } });
    const { authorization } = memory.get("accepted")?.headers ?? {};
    return answer.status === 401 && authorization && isMeant(token)
      ? send({ ...request, headers: { ...request.headers, authorization: String(authorization) } })
      : answer;
  },
});

export const oauthAnswers: Mutants = {
  "alg-none": wrong({
    broken: "an access token with the algorithm none is accepted without a signature",
    ...forgiven((token) => /"alg":"none"/i.test(Buffer.from(token.split(".")[0] ?? "", "base64url").toString())),
    killedBy: [["oauth/access-token-forged", /a token with alg none is refused/]],
  }),
  "any-audience": wrong({
    broken: "an access token for another resource is accepted",
    ...forgiven((token) => String(claimsOf(token).aud).endsWith("/mcp")),
    killedBy: [["oauth/issue-token", /refused on \/api\/v1/]],
  }),
  "revoked-for-long": wrong({
    broken: "a revoked access token is accepted until it expires",
    ...forgiven((token) => "scope" in claimsOf(token)),
    killedBy: [["oauth/access-token", /listAlertFiles .* a revoked access token is refused with 401/]],
  }),
  "code-burnt-by-another-client": wrong({
    broken: "an authorization code that another client has tried is used up",
    on: "issueToken",
    instead: async (request, send, memory) => {
      const { code } = fieldsOf(request);
      const known = code === undefined ? undefined : memory.get(code);
      const answer = known ?? (await send(request));
      if (code !== undefined && answer.status === 400) memory.set(code, answer);
      return answer;
    },
    killedBy: [["oauth/issue-token-code", /has tried is still good for its own client/]],
  }),
  "unknown-code": wrong({
    broken: "an unknown code is accepted",
    on: "issueToken",
    when: ({ status }, request) => status === 400 && fieldsOf(request).code !== undefined,
    status: 200,
    answer: () => tokens,
    killedBy: [["oauth/issue-token-code", /an unknown code is refused with invalid_grant/]],
  }),
  "redirect-uri-of-none": wrong({
    broken: "a code whose authorization request had no redirect_uri is exchanged with any",
    on: "issueToken",
    instead: async (request, send) => {
      const { redirect_uri, ...fields } = fieldsOf(request);
      const again = {
        ...request,
        headers: { ...request.headers, "content-type": "application/json" },
        body: Buffer.from(JSON.stringify(fields)),
      };
      const [answer, other] = [await send(request), redirect_uri === undefined ? null : again];
      return other && answer.status === 400 ? send(other) : answer;
    },
    killedBy: [["oauth/issue-token-code", /which the authorization request left out, is refused/]],
  }),
  "pkce-unneeded": wrong({
    broken: "an exchange without the verifier of its challenge is accepted",
    on: "issueToken",
    when: ({ status }, request) => status === 400 && !fieldsOf(request).code_verifier,
    status: 200,
    answer: () => tokens,
    killedBy: [["oauth/issue-token-code", /without the verifier of its challenge is refused/]],
  }),
  "refresh-again": wrong({
    broken: "a used refresh token is answered with the same tokens again",
    on: "issueToken",
    instead: async (request, send, memory) => {
      const { refresh_token: token } = fieldsOf(request);
      const known = token === undefined ? undefined : memory.get(token);
      const answer = known ?? (await send(request));
      if (token !== undefined && answer.status === 200) memory.set(token, answer);
      return answer;
    },
    killedBy: [["oauth/issue-token-refresh", /public client that uses a refresh token twice loses the grant/]],
  }),
  "refresh-for-more": wrong({
    broken: "the scopes of a refresh are those that it asks for",
    on: "issueToken",
    when: (_answer, request) => fieldsOf(request).grant_type === "refresh_token" && fieldsOf(request).scope !== undefined,
    status: 200,
    answer: (value, request) => ({
      ...tokens,
      ...(value as object),
      error: undefined,
      error_description: undefined,
      scope: fieldsOf(request).scope,
    }),
    killedBy: [["oauth/issue-token", /for more scopes than the grant has is refused .*: "admin"/]],
  }),
  "expires-in-milliseconds": wrong({
    broken: "expires_in is in milliseconds",
    on: "issueToken",
    answer: at<number>("expires_in", (seconds) => seconds * 1_000),
    killedBy: [["oauth/issue-token", /expires_in and scope/]],
  }),
  "grant-type-invalid": wrong({
    broken: "an unsupported grant type is refused with invalid_request",
    on: "issueToken",
    answer: at<string>("error", (error) => (error === "unsupported_grant_type" ? "invalid_request" : error)),
    killedBy: [["oauth/issue-token", /grant_type "implicit" is refused with unsupported_grant_type/]],
  }),
  "client-of-any-secret": wrong({
    broken: "a client with a wrong secret is accepted",
    on: "issueToken",
    when: ({ status }) => status === 401 || status === 403,
    status: 200,
    answer: () => tokens,
    killedBy: [["interface/oauth", /token refuses a client with a wrong secret/]],
  }),
  "basic-refused-400": wrong({
    broken: "a client with a wrong secret is refused with invalid_grant",
    on: "issueToken",
    answer: at<string>("error", (error) => (error === "invalid_client" ? "invalid_grant" : error)),
    killedBy: [["oauth/client-authentication", /token > as json > a wrong client secret is refused .*: another secret/]],
  }),
  "grant-type-unneeded": wrong({
    broken: "a token request without grant_type is accepted",
    on: "issueToken",
    when: ({ status }, request) => status >= 400 && fieldsOf(request)?.grant_type === undefined,
    status: 200,
    answer: () => tokens,
    killedBy: [["interface/oauth", /token refuses a request without grant_type/]],
  }),
  "revoked-by-strangers": wrong({
    broken: "a client with a wrong secret may revoke",
    on: "revokeToken",
    status: { 401: 200, 403: 200 },
    answer: () => ({}),
    killedBy: [["interface/oauth", /revoke refuses a client with a wrong secret/]],
  }),
  "revocation-without-effect": wrong({
    broken: "revoking is answered and has no effect",
    on: "revokeToken",
    instead: (request, send) => send(withToken(request, "unknown")),
    killedBy: [["oauth/revoke-token", /refuses the token from then on/]],
  }),
  "access-tokens-stay": wrong({
    broken: "revoking an access token is answered and has no effect",
    on: "revokeToken",
    instead: (request, send) => (fieldsOf(request).token?.startsWith("ey") ? send(withToken(request, "unknown")) : send(request)),
    killedBy: [["oauth/any-order", /leave good exactly the tokens that a plain model says/]],
  }),
  "repeated-in-forms": wrong({
    broken: "of a repeated parameter of a form the last counts",
    on: "issueToken revokeToken",
    bytes: (body, { headers }) =>
      /form/.test(headers["content-type"] ?? "")
        ? Buffer.from(new URLSearchParams(Object.fromEntries(new URLSearchParams(body.toString()))).toString())
        : body,
    killedBy: [["oauth/token-body", /a repeated scope is refused/]],
  }),
  "state-lost": wrong({
    broken: "the redirect to the client has another state",
    on: /^(GET|POST) \/(oauth|login|consent)/,
    headers: { location: (location) => location?.replace(/([?&]state=)[^&]+/, "$1other") ?? null },
    killedBy: [["oauth/authorize", /comes back as it was sent|any state comes back/]],
  }),
  "iss-lost": wrong({
    broken: "a redirect with an error has no iss",
    on: /^(GET|POST) \/(oauth|login|consent)/,
    headers: { location: (location) => (location?.includes("error=") ? location.replace(/[?&]iss=[^&]+/, "") : (location ?? null)) },
    killedBy: [["oauth/authorize", /an unknown scope is sent back/]],
  }),
  "redirect-prefix": wrong({
    broken: "a redirect URI that begins with a registered one is accepted",
    on: "authorize",
    when: ({ status }) => status === 400,
    status: 303,
    headers: { location: "https://client.invalid/" },
    killedBy: [["oauth/authorize-redirect-uri", /an unregistered redirect_uri gets an error page and no redirect: "https:\/\/evil/]],
  }),
  "metadata-of-plain": wrong({
    broken: "the server metadata says that PKCE plain is supported",
    on: "getServerMetadata",
    answer: set("", { code_challenge_methods_supported: ["S256", "plain"] }),
    killedBy: [["oauth/published-metadata", /lists what is supported/]],
  }),
  "resource-of-another": wrong({
    broken: "the resource metadata lacks a scope",
    on: "getResourceMetadata",
    answer: at<string[]>("scopes_supported", (scopes) => scopes.slice(1)),
    killedBy: [["oauth/published-metadata", /names every scope that a tool needs/]],
  }),
  "registered-for-more": wrong({
    broken: "an application that registers itself gets a scope that it has not named",
    on: "registerClient",
    sent: set("", { scope: "read:donations write:donations" }),
    killedBy: [["oauth/register-client", /is told what was registered/]],
  }),
  "signing-keys-renamed": wrong({
    broken: "the published signing keys have other ids than those in tokens",
    on: "getSigningKeys",
    answer: at<string>("keys.*.kid", (kid) => `${kid}x`),
    killedBy: [["oauth/published-metadata", /can be verified with the published signing keys alone/]],
  }),
  "token-type-lost": wrong({
    broken: "the answer to a token request lacks token_type",
    on: "issueToken",
    answer: set("", { token_type: undefined }),
    killedBy: [["oauth/oauth-clients", /oauth4webapi completes a grant's life/]],
  }),
  "scopes-by-any-blank": wrong({
    broken: "the scopes of a refresh may have any white space between them",
    on: "issueToken",
    sent: at<unknown>("scope", (scope) => (typeof scope === "string" ? scope.replace(/\s/g, " ") : scope)),
    killedBy: [["oauth/issue-token", /for granted scopes with "\\t" between them/]],
  }),
  "registered-in-milliseconds": wrong({
    broken: "client_id_issued_at is in milliseconds",
    on: "registerClient",
    answer: at<number>("client_id_issued_at", (seconds) => seconds * 1000),
    killedBy: [["oauth/register-client", /is told what was registered/]],
  }),
  "scope-of-public-clients": wrong({
    broken: "a public client that asks for fewer scopes at a refresh gets all of the grant's",
    on: "issueToken",
    sent: (body) => (body && typeof body === "object" && !("client_secret" in body) ? { ...body, scope: undefined } : body),
    killedBy: [["oauth/issue-token", /may ask for fewer scopes.*: public client/]],
  }),
  "refresh-tokens-trimmed": wrong({
    broken: "blanks around a refresh token are passed over",
    on: "issueToken",
    sent: at<unknown>("refresh_token", (token) => (typeof token === "string" ? token.trim() : token)),
    killedBy: [["oauth/issue-token-refresh", /only nearly one/]],
  }),
  "revoked-tokens-trimmed": wrong({
    broken: "blanks around a token that is to be revoked are passed over",
    on: "revokeToken",
    sent: at<unknown>("token", (token) => (typeof token === "string" ? token.trim() : token)),
    killedBy: [["oauth/revoke-token", /has a blank before or behind it/]],
  }),
};
