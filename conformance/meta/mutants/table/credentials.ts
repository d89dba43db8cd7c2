// Mutants of credentials and scopes.

import { inOperation } from "../contract-edit.ts";
import { removeHeader } from "../interceptors.ts";
import type { Edit, Mutants } from "../mutant.ts";

const inAuthenticate = (from: string, to: string): Edit => ({ file: "src/auth/authenticate.ts", from, to });
const inVerify = (from: string, to: string): Edit => ({ file: "src/auth/verify-credential.ts", from, to });
const inBearer = (from: string, to: string): Edit => ({ file: "src/auth/bearer.ts", from, to });
const inToken = (from: string, to: string): Edit => ({ file: "src/auth/access-token.ts", from, to });
const inRouter = (from: string, to: string): Edit => ({ file: "src/http/router.ts", from, to });
const inGuards = (from: string, to: string): Edit => ({ file: "src/http/guards.ts", from, to });

/** As generated/openapi.json has it; the example of a 403 names the scope as well. */
const needing = (scope: string) => `"Credential": [\n              "${scope}"`;

export const credentials: Mutants = {
  "scope-unchecked": {
    broken: "a credential with any scope may call every operation",
    edit: inRouter("!hasScopes(principal, operation)", "principal.scopes.length === 0"),
    killedBy: [
      ["interface/authorization", /without write:donations/],
      ["derived/credentials", /without its scopes with 403/],
    ],
  },
  "scope-mistaken": {
    broken: "getDonation requires read:alerts",
    edit: inOperation("/api/v1/donations/{donationId}", needing("read:donations"), needing("read:alerts")),
    killedBy: [
      ["transport/scopes", /^getDonation lets a key through whose only scope is read:donations/],
      ["transport/scopes", /^getDonation refuses keys without read:donations/],
    ],
  },
  "scopes-unnamed": {
    broken: "a refusal for a missing scope does not name the scope",
    edit: inGuards("requiredScopes: scopes,", ""),
    killedBy: [["transport/order-of-checks", /missing scope is named/]],
  },
  "secret-unchecked": {
    broken: "only the public part of an API key is checked",
    edit: inVerify(
      "(await apiKeys.find(parts.publicId));\n  if (!row || !timingSafeEqual(row.secret_hash, parts.hash)) throw",
      "(await apiKeys.find(parts.publicId));\n  if (!row) throw",
    ),
    killedBy: [["transport/credentials", /another secret is refused with invalid_token/]],
  },
  "overlay-secret-unchecked": {
    broken: "only the public part of an overlay key is checked",
    edit: inVerify(
      "(await overlayKeys.find(parts.publicId));\n  if (!row || !timingSafeEqual(row.secret_hash, parts.hash)) throw",
      "(await overlayKeys.find(parts.publicId));\n  if (!row) throw",
    ),
    killedBy: [["overlay/overlay-keys", /another secret is refused with invalid_token/]],
  },
  "any-scheme": {
    broken: "a credential is accepted with any authentication scheme, and without one",
    edit: inBearer("/^bearer +(.*)$/i", "/^(?:[a-z]+ +)?(.*)$/i"),
    killedBy: [["transport/credentials", /of another scheme than Bearer/]],
  },
  "scheme-case": {
    broken: "the scheme Bearer is accepted in this case only",
    edit: inBearer("/^bearer +(.*)$/i", "/^Bearer +(.*)$/"),
    killedBy: [["transport/credentials", /scheme Bearer is accepted in any case/]],
  },
  "key-in-url": {
    broken: "a key in the URL is accepted",
    edit: inGuards(
      "return await verify(authorization);",
      "const [inUrl] = /(?<==)[a-z]+_v1_\\w+/.exec(ctx.querystring) ?? [];\n    return await verify(authorization ?? (inUrl && `Bearer ${inUrl}`));",
    ),
    killedBy: [["transport/credentials", /a key in the URL is never accepted/]],
  },
  "overlay-key-elsewhere": {
    broken: "an overlay key is accepted by operations of the API that need no scope",
    edit: inAuthenticate(
      "accepts: (token) => !isOverlayKey(token), verify: (token) => verifyKeyOrToken(deps, token)",
      "accepts: () => true, verify: (token) => (isOverlayKey(token) ? verifyOverlayKey : verifyKeyOrToken)(deps, token)",
    ),
    killedBy: [["derived/credentials", /credential of another kind/]],
  },
  "alg-none": {
    broken: "an access token with the algorithm none is accepted without a signature",
    edit: inToken(
      "if (!key) return null;",
      'if (alg === "none") return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());\n    if (!key) return null;',
    ),
    killedBy: [["oauth/access-token-forged", /alg/]],
  },
  "token-spelled-otherwise": {
    broken: "an access token may have padding, and other spellings of the same bytes",
    edit: inToken("if (!token.split(", "if (token === '' && token.split("),
    killedBy: [["oauth/access-token-forged", /no base64url without padding/]],
  },
  "typ-unchecked": {
    broken: "any token that the server signed is accepted as an access token",
    edit: inToken('typ === "at+jwt" && kid', "kid"),
    killedBy: [["oauth/access-token-forged", /is refused with invalid_token/]],
  },
  "expired-for-a-minute": {
    broken: "an expired access token is accepted for another minute",
    edit: inAuthenticate("expiresAt <= Date.now()", "expiresAt + 60_000 <= Date.now()"),
    killedBy: [["oauth/access-token-forged", /expires while it is in use/]],
  },
  "any-audience": {
    broken: "an access token for another resource is accepted",
    edit: inAuthenticate("(token.audience === baseUrl || token.audience === audience)", "token.audience.startsWith(baseUrl)"),
    killedBy: [["oauth/issue-token-resource", /refused on \/api\/v1/]],
  },
  "revoked-for-long": {
    broken: "a revoked access token is accepted until it expires",
    edit: inAuthenticate("if (revoked || token?.ids.some(deps.denials.has))", "if (revoked)"),
    killedBy: [["oauth/access-token", /revoked access token is refused with 401/]],
  },
  "revoked-for-a-moment": {
    broken: "a revoked access token is accepted until the process reads the list of revocations again",
    edit: { file: "src/auth/denials.ts", from: "denied.has(id) || own.has(id)", to: "denied.has(id)" },
    killedBy: [["oauth/revoke-token", /refuses the token from then on/]],
  },
  "bare-challenge": {
    broken: "WWW-Authenticate for a missing credential has no parameter",
    edit: inBearer(
      'const headers = { "WWW-Authenticate": `Bearer realm="${realm}"` };',
      'const headers = { "WWW-Authenticate": "Bearer" };',
    ),
    killedBy: [["derived/credentials", /at least one parameter/]],
  },
  "first-of-two-headers": {
    broken: "a request with two Authorization headers is accepted by the first one",
    edit: { file: "src/http/server/server.ts", from: "joinDuplicateHeaders: true,", to: "" },
    killedBy: [["transport/credentials", /two Authorization headers/]],
  },
  "no-challenge": {
    broken: "an answer 401 has no WWW-Authenticate header",
    interceptor: removeHeader("www-authenticate"),
    killedBy: [["transport/credentials", /missing_credentials, and a challenge/]],
  },
  "body-before-credential": {
    broken: "the body is checked before the credential",
    edit: inRouter(
      "const principal = await authorise(operation, ctx, guards);\n    const body = await readIt(operation, ctx, principal);",
      "const body = await readIt(operation, ctx, nobody);\n    const principal = await authorise(operation, ctx, guards);",
    ),
    killedBy: [["transport/order-of-checks", /no credential is refused with 401/]],
  },
};
