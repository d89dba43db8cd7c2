import { inOperation } from "../contract-edit.ts";
import { without } from "../meddlers.ts";
import type { Edit, Mutants } from "../mutant.ts";

const inAuthenticate = (from: string, to: string): Edit => ({ file: "src/auth/authenticate.ts", from, to });
const inToken = (from: string, to: string): Edit => ({ file: "src/auth/access-token.ts", from, to });
const inRouter = (from: string, to: string): Edit => ({ file: "src/http/router.ts", from, to });
const inGuards = (from: string, to: string): Edit => ({ file: "src/http/guards.ts", from, to });

/** As generated/openapi.json has it; the example of a 403 names the scope as well. */
const needing = (scope: string) => `"Credential": [\n              "${scope}"`;

export const credentials: Mutants = {
  "scope-unchecked": {
    broken: "any scope is good enough",
    edit: inRouter("!scopes.every((scope) => principal.scopes.includes(scope))", "principal.scopes.length === 0"),
    killedBy: [
      ["interface/authorization", /without write:donations/],
      ["derived/credentials", /without its scopes is 403/],
    ],
  },
  "scope-mistaken": {
    broken: "getDonation asks for read:alerts",
    edit: inOperation("/api/v1/donations/{donationId}", needing("read:donations"), needing("read:alerts")),
    killedBy: [
      ["transport/scopes", /^getDonation lets a key through whose only scope is read:donations/],
      ["transport/scopes", /^getDonation refuses keys without read:donations/],
    ],
  },
  "scopes-unnamed": {
    broken: "a missing scope is not named",
    edit: inGuards("requiredScopes: scopes,", ""),
    killedBy: [["transport/order-of-checks", /missing scope is named/]],
  },
  "secret-unchecked": {
    broken: "of an API key only the public part is looked at",
    edit: inAuthenticate(
      "(await apiKeys.find(parts.publicId));\n    if (!row || !timingSafeEqual(row.secret_hash, parts.hash)) throw",
      "(await apiKeys.find(parts.publicId));\n    if (!row) throw",
    ),
    killedBy: [["transport/credentials", /another secret is invalid_token/]],
  },
  "overlay-secret-unchecked": {
    broken: "of an overlay key only the public part is looked at",
    edit: inAuthenticate(
      "(await overlayKeys.find(parts.publicId));\n    if (!row || !timingSafeEqual(row.secret_hash, parts.hash)) throw",
      "(await overlayKeys.find(parts.publicId));\n    if (!row) throw",
    ),
    killedBy: [["overlay/overlay-keys", /another secret is invalid_token/]],
  },
  "any-scheme": {
    broken: "any scheme stands for Bearer, and none as well",
    edit: inAuthenticate("/^bearer +(.*)$/i", "/^(?:[a-z]+ +)?(.*)$/i"),
    killedBy: [["transport/credentials", /another scheme than Bearer/]],
  },
  "scheme-case": {
    broken: "Bearer must be written so",
    edit: inAuthenticate("/^bearer +(.*)$/i", "/^Bearer +(.*)$/"),
    killedBy: [["transport/credentials", /scheme's case does not matter/]],
  },
  "key-in-url": {
    broken: "a key may stand in the URL",
    edit: inGuards(
      "return await verify(authorization);",
      "const [inUrl] = /(?<==)[a-z]+_v1_\\w+/.exec(ctx.querystring) ?? [];\n    return await verify(authorization ?? (inUrl && `Bearer ${inUrl}`));",
    ),
    killedBy: [["transport/credentials", /a key in the URL is never accepted/]],
  },
  "overlay-key-elsewhere": {
    broken: "an overlay key opens what needs no scope",
    edit: inAuthenticate(
      "if (isOverlayKey(token)) throw notKnown();\n        return judge(await verify(token, verifyCredential), audience);",
      "return judge(await verify(token, isOverlayKey(token) ? verifyOverlayKey : verifyCredential), audience);",
    ),
    killedBy: [["derived/credentials", /credential of another kind/]],
  },
  "alg-none": {
    broken: "a token that says it needs no signature needs none",
    edit: inToken(
      "if (!key) return null;",
      'if (alg === "none") return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());\n    if (!key) return null;',
    ),
    killedBy: [["oauth/access-token-forged", /alg/]],
  },
  "typ-unchecked": {
    broken: "any token that was signed by the server is an access token",
    edit: inToken('typ === "at+jwt" && kid', "kid"),
    killedBy: [["oauth/access-token-forged", /is invalid_token/]],
  },
  "expired-for-a-minute": {
    broken: "what has expired is good for another minute",
    edit: inAuthenticate("expiresAt <= Date.now()", "expiresAt + 60_000 <= Date.now()"),
    killedBy: [["oauth/access-token-forged", /expires while it is in use/]],
  },
  "any-audience": {
    broken: "a token for another resource is good here",
    edit: inAuthenticate("(token.audience === baseUrl || token.audience === audience)", "token.audience.startsWith(baseUrl)"),
    killedBy: [["oauth/issue-token-resource", /no good on \/api\/v1/]],
  },
  "revoked-for-long": {
    broken: "a revoked access token is good until it expires",
    edit: inAuthenticate("if (revoked || token?.ids.some(denials.has))", "if (revoked)"),
    killedBy: [["oauth/access-token", /revoked it is 401/]],
  },
  "revoked-for-a-moment": {
    broken: "a revoked token is good until the process reads the list again",
    edit: { file: "src/auth/denials.ts", from: "denied.has(id) || own.has(id)", to: "denied.has(id)" },
    killedBy: [["oauth/revoke-token", /refuses the token from then on/]],
  },
  "bare-challenge": {
    broken: "the challenge for a missing credential has no parameter",
    edit: inAuthenticate(
      'const headers = { "WWW-Authenticate": `Bearer realm="${realm}"` };',
      'const headers = { "WWW-Authenticate": "Bearer" };',
    ),
    killedBy: [["derived/credentials", /at least one parameter/]],
  },
  "first-of-two-headers": {
    broken: "of two Authorization headers the first counts",
    edit: { file: "src/http/server.ts", from: "joinDuplicateHeaders: true,", to: "" },
    killedBy: [["transport/credentials", /two Authorization headers/]],
  },
  "no-challenge": {
    broken: "401 comes without WWW-Authenticate",
    meddler: without("www-authenticate"),
    killedBy: [["transport/credentials", /missing_credentials, and a challenge/]],
  },
  "body-before-credential": {
    broken: "the body is looked at before the credential",
    edit: inRouter(
      "const principal = await authorise(operation, ctx, guards);\n    const body = await readIt(operation, ctx, principal);",
      "const body = await readIt(operation, ctx, nobody);\n    const principal = await authorise(operation, ctx, guards);",
    ),
    killedBy: [["transport/order-of-checks", /without a credential is 401/]],
  },
};
