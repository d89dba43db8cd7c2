// Wrong answers to what all operations share: credentials, scopes, problems, headers, methods.

import { publicLength } from "../../../suite/servers/credentials.ts";
import { at, type Mutants, set, wrong } from "../mutant.ts";

const api = /^\w+ \/api\/v1\//;
/** The header of a bearer credential with the scheme as it is. */
const bearer = (pattern: RegExp, instead: string) => ({
  authorization: (header: string | undefined) => header?.replace(pattern, instead) ?? null,
});

export const protocol: Mutants = {
  cacheable: wrong({
    broken: "answers of /api carry no Cache-Control that keeps caches from storing them",
    on: api,
    headers: { "cache-control": null },
    killedBy: [["transport/protocol", /^getMe is not to be stored by caches|^listDonations is not to be stored/]],
  }),
  "request-id-of-donations": wrong({
    broken: "the answer to a recorded donation has a request id of its own, although the caller has sent one",
    on: "createDonation",
    when: ({ status }) => status < 300,
    headers: { "x-request-id": () => crypto.randomUUID() },
    killedBy: [["transport/protocol", /echoed when a donation is recorded/]],
  }),
  "request-id-of-oauth": wrong({
    broken: "answers of OAuth have request ids of their own, although the caller has sent one",
    on: "issueToken revokeToken",
    headers: { "x-request-id": () => crypto.randomUUID() },
    killedBy: [["transport/protocol", /echoed when issueToken refuses/]],
  }),
  "exposed-headers-few": wrong({
    broken: "scripts of other origins may not read the headers that say how much of a rate limit is left",
    on: api,
    headers: { "access-control-expose-headers": (names) => names?.replace(/RateLimit(-Policy)?, /g, "") ?? null },
    killedBy: [["transport/protocol", /let browsers read them/]],
  }),
  "cors-of-answers-alone": wrong({
    broken: "refusals lack the headers that let browsers of other origins read them, but for a missing credential",
    on: api,
    when: ({ status }) => status >= 400 && status !== 401,
    headers: { "access-control-allow-origin": null },
    killedBy: [["transport/protocol", /let browsers read them/]],
  }),
  "no-cors": wrong({
    broken: "answers lack the headers that let browsers of other origins read them",
    on: api,
    headers: { "access-control-allow-origin": null },
    killedBy: [["transport/protocol", /let browsers read them/]],
  }),
  "method-override": wrong({
    broken: "a header changes the method of a request",
    on: /^\w+ /,
    instead: (request, send) => send({ ...request, method: String(request.headers["x-http-method-override"] ?? request.method) }),
    killedBy: [["transport/protocol", /X-HTTP-Method-Override does not change the method/]],
  }),
  "instance-of-another": wrong({
    broken: "the instance of a problem has another request's path",
    on: api,
    answer: at("instance", () => "/api/v1/me"),
    killedBy: [["transport/problems", /problem 404 of no operation: its members say/]],
  }),
  "problem-type-relative": wrong({
    broken: "the type of a problem is a path",
    on: api,
    answer: at("type", (type) => String(type).replace(/^https?:\/\/[^/]+/, "")),
    killedBy: [["transport/problems", /problem 422: its type is an absolute URL/]],
  }),
  "problem-as-json": wrong({
    broken: "a problem with status 400 has the type application/json whatever Accept says",
    on: api,
    when: ({ status }) => status === 400,
    headers: { "content-type": "application/json; charset=utf-8" },
    killedBy: [["transport/problems", /problem 400 of a broken rule has the type/]],
  }),
  "refusal-cacheable": wrong({
    broken: "caches may store the refusal of a reused idempotency key for a minute",
    on: api,
    when: ({ status }) => status === 422,
    headers: { "cache-control": "max-age=60" },
    killedBy: [["transport/problems", /problem 422: its members/]],
  }),
  "no-allow": wrong({
    broken: "an answer 405 has no Allow header",
    on: api,
    when: ({ status }) => status === 405,
    headers: { allow: null },
    killedBy: [["derived/requests", /^\/api\/v1\/donations refuses other methods/]],
  }),
  "no-challenge": wrong({
    broken: "an answer 401 has no WWW-Authenticate header",
    on: api,
    headers: { "www-authenticate": null },
    killedBy: [["transport/credentials", /missing_credentials, and a challenge/]],
  }),
  "bare-challenge": wrong({
    broken: "WWW-Authenticate for a missing credential has no parameter",
    on: api,
    headers: { "www-authenticate": (challenge) => (challenge === undefined ? null : "Bearer") },
    killedBy: [["derived/credentials", /listAlertFiles: a 401 .* at least one parameter/]],
  }),
  "any-scheme": wrong({
    broken: "a key is accepted without a scheme",
    on: api,
    asked: bearer(/^(?=\w+$)/, "Bearer "),
    killedBy: [["transport/credentials", /a key without the scheme is refused/]],
  }),
  "scheme-case": wrong({
    broken: "the scheme Bearer is accepted in this case only",
    on: api,
    asked: bearer(/^(?:bearer|BEARER|bEARER|BeArEr) /, "Nothing "),
    killedBy: [["transport/credentials", /scheme Bearer is accepted in any case/]],
  }),
  "word-behind-the-key": wrong({
    broken: "a word behind the key is ignored",
    on: api,
    asked: bearer(/^(bearer \S+) .*$/i, "$1"),
    killedBy: [["interface/authorization", /with a blank and a word behind it/]],
  }),
  "key-in-url": wrong({
    broken: "a key in the URL is accepted",
    on: api,
    instead: (request, send) => {
      const url = new URL(request.path, "http://server");
      const [name, key] = [...url.searchParams].find(([, value]) => /^namjai_/.test(value)) ?? [];
      if (name) url.searchParams.delete(name);
      return send(
        name ? { ...request, path: url.pathname + url.search, headers: { ...request.headers, authorization: `Bearer ${key}` } } : request,
      );
    },
    killedBy: [["transport/credentials", /a key in the URL is never accepted/]],
  }),
  "secret-unchecked": wrong({
    broken: "only the public part of an API key is checked",
    on: api,
    instead: async (request, send, memory) => {
      const header = String(request.headers.authorization);
      const publicPart = header.slice(0, "Bearer namjai_v1_".length + publicLength);
      const answer = await send(request);
      if (answer.status < 300) memory.set(publicPart, { ...answer, headers: { authorization: header } });
      const { authorization } = memory.get(publicPart)?.headers ?? {};
      return answer.status === 401 && authorization
        ? send({ ...request, headers: { ...request.headers, authorization: String(authorization) } })
        : answer;
    },
    killedBy: [["transport/credentials", /another secret is refused with invalid_token/]],
  }),
  "scope-unchecked": wrong({
    broken: "a donation is answered as recorded although the key may not write donations",
    on: "createDonation",
    status: { 403: 201 },
    killedBy: [["interface/authorization", /without write:donations/]],
  }),
  "scope-mistaken": wrong({
    broken: "getDonation requires another scope than the contract says",
    on: "getDonation",
    status: 403,
    killedBy: [["transport/credentials", /^getDonation lets a key through whose only scope is read:donations/]],
  }),
  "scopes-unnamed": wrong({
    broken: "a refusal for a missing scope does not name the scope",
    on: api,
    when: ({ status }) => status === 403,
    headers: { "www-authenticate": 'Bearer error="insufficient_scope"' },
    answer: set("", { detail: "The credential may not do this." }),
    killedBy: [["transport/problems", /missing scope is named/]],
  }),
  "body-before-credential": wrong({
    broken: "the body is checked before the credential",
    on: "createDonation",
    when: ({ status }, { body }) => status === 401 && body.length > 0,
    status: 400,
    killedBy: [["transport/problems", /an invalid body and no credential is refused with 401/]],
  }),
  "moderator-clears": wrong({
    broken: "a moderator's key may clear the queue",
    on: "clearAlerts",
    forgives: { status: 403, as: 200, read: () => "/api/v1/alerts" },
    killedBy: [["alerts/moderator-keys", /refused clearAlerts with insufficient_scope/]],
  }),
  "overlay-key-of-any-secret": wrong({
    broken: "an overlay key with any secret is accepted",
    on: "streamOverlay startPlayback endPlayback getSpeech",
    status: { 401: 200 },
    killedBy: [["overlay/overlay-keys", /an overlay key with another secret is refused/]],
  }),
  "if-match-ignored": wrong({
    broken: "settings are changed whatever If-Match says",
    on: "updateAlertSettings",
    asked: { "if-match": null },
    killedBy: [["alerts/get-alert-settings", /changes nothing/]],
  }),
  "settings-tag-kept": wrong({
    broken: "the ETag of the settings stays when they change",
    on: "getAlertSettings updateAlertSettings",
    headers: { etag: '"1"' },
    killedBy: [["alerts/get-alert-settings", /same until something is changed/]],
  }),
};
