import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { holds } from "../../suite/client/holds.ts";
import { send } from "../../suite/client/http-client.ts";
import {
  type AuthorizationRequest,
  approve,
  authorizationPath,
  decide,
  expectErrorPage,
  expectSentBack,
  loggedIn,
  logIn,
  newLogin,
  requestAuthorization,
  webRedirectUri,
} from "../../suite/client/oauth/authorization.ts";
import { challengeOf, clientOf, exchange, issuer, needsClients, tokensOf } from "../../suite/client/oauth/oauth-client.ts";
import { formTo, newVisitor, submit, visit } from "../../suite/client/page-visitor.ts";
import { target } from "../../suite/values/target.ts";
import { text } from "../../suite/values/text.ts";

beforeEach(needsClients);

describe("approved", () => {
  test("an approval sends the browser to the redirect URI with code, state and iss (RFC 6749 4.1.2, RFC 9207)", async () => {
    const location = await approve(authorizationPath(clientOf("confidential"), { state: "a/b?c=d&e" }));
    expect(`${location.origin}${location.pathname}`).toBe(webRedirectUri);
    expect([...location.searchParams.keys()].sort()).toEqual(["code", "iss", "state"]);
    expect([location.searchParams.get("state"), location.searchParams.get("iss")]).toEqual(["a/b?c=d&e", await issuer()]);
    expect(location.hash).toBe("");
  });

  test("any state comes back as it was sent", () =>
    holds(
      text(1, 100),
      async (state) => {
        const location = await approve(authorizationPath(clientOf("confidential"), { state }));
        expect(location.searchParams.get("state")).toBe(state);
      },
      { runs: 20, concurrency: 4 },
    ));

  test("a request without a state gets none back", async () => {
    const location = await approve(authorizationPath(clientOf("confidential"), { state: undefined }));
    expect([...location.searchParams.keys()].sort()).toEqual(["code", "iss"]);
  });

  test("codes differ from each other and cannot be guessed", async () => {
    const codes = [];
    for (let count = 0; count < 5; count += 1)
      codes.push(String((await approve(authorizationPath(clientOf("confidential")))).searchParams.get("code")));
    expect(new Set(codes).size).toBe(5);
    for (const code of codes) expect(code, "printable ASCII (RFC 6749 A.11), of 128 bits at least").toMatch(/^[\x20-\x7e]{22,}$/);
  });

  test("two authorizations in two tabs of one browser can both be completed", async () => {
    const visitor = await loggedIn();
    const [first, second] = [
      await visit(visitor, authorizationPath(clientOf("confidential"), { state: "first" })),
      await visit(visitor, authorizationPath(clientOf("second"), { state: "second" })),
    ];
    for (const [page, state] of [
      [second, "second"],
      [first, "first"],
    ] as const)
      expect((await decide(visitor, page, "approve")).location?.searchParams.get("state")).toBe(state);
  });
});

test("a denial sends the browser back with access_denied", async () => {
  const visitor = await loggedIn();
  expectSentBack(await decide(visitor, await requestAuthorization(clientOf("confidential")), "deny"), "access_denied");
});

test("unknown parameters of an authorization request are ignored (RFC 6749 3.1)", async () => {
  const location = await approve(authorizationPath(clientOf("confidential"), { prompt: "none", nonce: "x", "": "y", user_id: "z" }));
  expect(location.searchParams.has("code")).toBe(true);
});

test("an empty parameter of an authorization request counts as left out (RFC 6749 3.1)", async () => {
  const empty = { scope: "", resource: "", code_challenge: "", code_challenge_method: "", state: "" };
  const location = await approve(authorizationPath(clientOf("confidential"), empty));
  tokensOf(await exchange(clientOf("confidential"), { code: String(location.searchParams.get("code")) }));
});

test("an authorization request with any text in any parameter is answered without a server error", () =>
  holds(
    fc.tuple(
      fc.constantFrom(
        "response_type",
        "client_id",
        "redirect_uri",
        "scope",
        "state",
        "code_challenge",
        "code_challenge_method",
        "resource",
      ),
      text(0, 200),
    ),
    async ([name, value]) => {
      const page = await requestAuthorization(clientOf("confidential"), { [name]: value });
      expect(page.reply.status).toBeOneOf([200, 303, 400]);
      if (page.location) expect(page.location.origin).toBe("https://client.example");
    },
    { runs: 60 },
  ));

test("scripts of other sites can neither read nor prepare an authorization request: no CORS (RFC 9700 2.6)", async () => {
  const Origin = "https://evil.example";
  const path = authorizationPath(clientOf("confidential"));
  const asked = { Origin, "Access-Control-Request-Method": "GET" };
  const replies = [
    await send({ method: "OPTIONS", path, key: null, headers: asked }),
    await send({ method: "POST", path, key: null, headers: { Origin } }),
    await send({ path, key: null, headers: { Origin } }),
    await send({ path: authorizationPath(clientOf("confidential"), { scope: "admin" }), key: null, headers: { Origin } }),
    await send({ path: authorizationPath(clientOf("confidential"), { client_id: "x" }), key: null, headers: { Origin } }),
  ];
  for (const { status, headers } of replies)
    expect([status, Object.keys(headers).filter((name) => name.startsWith("access-control-"))]).toEqual([status, []]);
});

const withState = (state: string): string => `${authorizationPath(clientOf("confidential"), { state: undefined })}&state=${state}`;

test("a state of 6,000 characters comes back as it was sent, with a login on the way, whatever the characters are", async () => {
  for (const letter of ["~", "/", "x", "!", "'"]) {
    const visitor = newVisitor();
    const consent = await logIn(visitor, await visit(visitor, withState(letter.repeat(6_000))));
    const { location, reply } = await decide(visitor, consent, "approve");
    expect(location?.searchParams.get("state"), reply.text).toBe(letter.repeat(6_000));
    expect(reply.headers.location?.length).toBeLessThan(7_000);
  }
});

test("a state of 6,000 characters comes back as it was sent after a change of the account", async () => {
  const visitor = await newLogin();
  const login = await submit(visitor, formTo(await visit(visitor, withState("~".repeat(6_000))), "/oauth/logout"));
  const { location } = await decide(visitor, await logIn(visitor, login, "other"), "approve");
  expect(location?.searchParams.get("state")).toBe("~".repeat(6_000));
});

test.each([7_000, 8_000, 9_000, 12_000, 14_500])(
  "a state of %d characters is refused at once or comes through the login",
  async (length) => {
    const visitor = newVisitor();
    const first = await visit(visitor, withState("~".repeat(length)));
    if (first.reply.status !== 200) return expectSentBack(first, "invalid_request", webRedirectUri, "~".repeat(length));
    expect((await logIn(visitor, first)).forms.map(({ action }) => action)).toContain("/oauth/consent");
  },
);

test("an authorization URL of many kilobytes is answered without harm", async () => {
  const reply = await send({ path: authorizationPath(clientOf("confidential"), { state: "x".repeat(60_000) }), key: null });
  expect(reply.status).toBeOneOf([200, 303, 400, 414, 431]);
});

describe("the client", () => {
  test.each<[string, AuthorizationRequest]>([
    ["left out", { client_id: undefined }],
    ["empty", { client_id: "" }],
    ["unknown", { client_id: "unknown" }],
    ["something like SQL", { client_id: "' or '1'='1" }],
    ["NUL", { client_id: "\u0000" }],
  ])("a client_id that is %s gets an error page and no redirect", async (_, parameters) =>
    expectErrorPage(await requestAuthorization(clientOf("confidential"), parameters)),
  );
});

describe("what else is wrong is told to the client", () => {
  const challenge = challengeOf("x".repeat(43));
  const cases: [string, string, AuthorizationRequest][] = [
    ["no response_type", "invalid_request", { response_type: undefined }],
    ["an empty response_type", "invalid_request", { response_type: "" }],
    ["response_type token", "unsupported_response_type", { response_type: "token" }],
    ["response_type code token", "unsupported_response_type", { response_type: "code token" }],
    ["response_type CODE", "unsupported_response_type", { response_type: "CODE" }],
    ["an unknown scope", "invalid_scope", { scope: "admin" }],
    ["a scope in capitals", "invalid_scope", { scope: "READ:DONATIONS" }],
    ["scopes with a comma", "invalid_scope", { scope: "read:donations,write:donations" }],
    ["PKCE plain", "invalid_request", { code_challenge: "x".repeat(43), code_challenge_method: "plain" }],
    ["PKCE without a method, which is plain", "invalid_request", { code_challenge: challenge }],
    ["PKCE s256", "invalid_request", { code_challenge: challenge, code_challenge_method: "s256" }],
    ["PKCE S512", "invalid_request", { code_challenge: challenge, code_challenge_method: "S512" }],
    ["a challenge that is too short", "invalid_request", { code_challenge: challenge.slice(1), code_challenge_method: "S256" }],
    ["a challenge that is too long", "invalid_request", { code_challenge: `${challenge}A`, code_challenge_method: "S256" }],
    ["a padded challenge", "invalid_request", { code_challenge: `${challenge}=`, code_challenge_method: "S256" }],
    ["a challenge in plain base64", "invalid_request", { code_challenge: `+/${challenge.slice(2)}`, code_challenge_method: "S256" }],
    ["another resource", "invalid_target", { resource: "https://evil.example/" }],
    ["a resource below ours", "invalid_target", { resource: "/mcp" }],
  ];

  test.each(cases)("an authorization request with %s is sent back with %s", async (_, error, parameters) => {
    const page = await requestAuthorization(clientOf("confidential"), parameters);
    expectSentBack(page, error);
    const stranger = await visit(newVisitor(), authorizationPath(clientOf("confidential"), { ...parameters, state: undefined }));
    expectSentBack(stranger, error, webRedirectUri, null);
  });

  test.each<[string, AuthorizationRequest]>([
    ["no challenge", {}],
    ["an empty challenge", { code_challenge: "", code_challenge_method: "S256" }],
    ["a method alone", { code_challenge_method: "S256" }],
    ["plain", { code_challenge: "x".repeat(43), code_challenge_method: "plain" }],
    ["no method", { code_challenge: challenge }],
  ])("an authorization request of a public client with %s is sent back with invalid_request", async (_, parameters) =>
    expectSentBack(await requestAuthorization(clientOf("public"), parameters), "invalid_request"),
  );

  test("a scope that the client did not register is sent back with invalid_scope", async () => {
    expectSentBack(await requestAuthorization(clientOf("readOnly"), { scope: "write:donations" }), "invalid_scope");
  });

  test.each(["response_type", "scope", "state", "code_challenge", "code_challenge_method", "resource"])(
    "a repeated %s is sent back with invalid_request, whatever its values and their order (RFC 6749 3.1)",
    async (name) => {
      const pkce = { code_challenge: challenge, code_challenge_method: "S256", scope: "read:donations", resource: target().url };
      const given = new URLSearchParams(authorizationPath(clientOf("confidential"), pkce).split("?")[1]);
      const value = given.get(name) ?? "";
      given.delete(name);
      const repetitions = [
        [value, value],
        [value, "x"],
        [value, ""],
        ["", value],
      ];
      for (const [first = "", second = ""] of repetitions) {
        const path = `/oauth/authorize?${new URLSearchParams({ [name]: first })}&${given}&${new URLSearchParams({ [name]: second })}`;
        for (const visitor of [await loggedIn(), newVisitor()]) expectSentBack(await visit(visitor, path), "invalid_request");
      }
    },
  );
});

test.each(["client_id", "redirect_uri"])("a repeated %s gets an error page and no redirect", async (name) => {
  const path = authorizationPath(clientOf("confidential"));
  for (const value of [webRedirectUri, "https://evil.example/", clientOf("confidential").id, clientOf("second").id, ""]) {
    const again = new URLSearchParams({ [name]: value });
    for (const repeated of [`${path}&${again}`, path.replace("?", `?${again}&`)])
      for (const others of ["", "&response_type=wrong", "&state="]) expectErrorPage(await visit(await loggedIn(), repeated + others));
  }
});
