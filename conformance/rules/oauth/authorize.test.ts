import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { send } from "../../harness/client/http-client.ts";
import { formTo, newVisitor, type Page, submit, visit } from "../../harness/client/page-visitor.ts";
import { holds } from "../../harness/generators/holds.ts";
import { text } from "../../harness/generators/text.ts";
import {
  type AuthorizationRequest,
  approve,
  authorizationPath,
  decide,
  loggedIn,
  logIn,
  newLogin,
} from "../../harness/oauth/authorization.ts";
import { challengeOf, clientOf, exchange, expectError, needsClients, newVerifier, tokensOf } from "../../harness/oauth/oauth-client.ts";
import { type Client, target } from "../../harness/server/target.ts";

beforeEach(needsClients);

const web = "https://client.example/callback";
const ask = async (client: Client, parameters: AuthorizationRequest = {}): Promise<Page> =>
  visit(await loggedIn(), authorizationPath(client, parameters));

/** The page says what is wrong, and leads nowhere. */
function expectErrorPage({ reply, location }: Page): void {
  expect([reply.status, location, reply.headers.location, reply.headers["set-cookie"]]).toEqual([400, null, undefined, undefined]);
  expect(reply.headers["content-type"]).toMatch(/^text\/html/);
}

/** The client is told by redirect (RFC 6749 4.1.2.1), with state and iss. */
function expectSentBack({ reply, location }: Page, error: string, redirectUri = web, state: string | null = "xyz"): void {
  expect(reply.status, reply.text).toBe(303);
  const parameters = location?.searchParams;
  expect(`${location?.origin}${location?.pathname}`).toBe(redirectUri);
  expect([parameters?.get("error"), parameters?.get("state"), parameters?.get("iss")]).toEqual([error, state, target().url]);
  expect(parameters?.get("error_description") ?? "").toMatch(/^[\x20-\x21\x23-\x5B\x5D-\x7E]*$/);
  expect(parameters?.has("code")).toBe(false);
}

describe("approved", () => {
  test("the browser goes to the redirect URI with code, state and iss (RFC 6749 4.1.2, RFC 9207)", async () => {
    const location = await approve(authorizationPath(clientOf("confidential"), { state: "a/b?c=d&e" }));
    expect(`${location.origin}${location.pathname}`).toBe(web);
    expect([...location.searchParams.keys()].sort()).toEqual(["code", "iss", "state"]);
    expect([location.searchParams.get("state"), location.searchParams.get("iss")]).toEqual(["a/b?c=d&e", target().url]);
    expect(location.hash).toBe("");
  });

  test("any state comes back as it was sent", () =>
    holds(
      text(1, 100),
      async (state) => {
        const location = await approve(authorizationPath(clientOf("confidential"), { state }));
        expect(location.searchParams.get("state")).toBe(state);
      },
      { runs: 20, atOnce: 4 },
    ));

  test("without a state there is none", async () => {
    const location = await approve(authorizationPath(clientOf("confidential"), { state: undefined }));
    expect([...location.searchParams.keys()].sort()).toEqual(["code", "iss"]);
  });

  test("codes are unlike each other, and cannot be guessed", async () => {
    const codes = [];
    for (let count = 0; count < 5; count += 1)
      codes.push(String((await approve(authorizationPath(clientOf("confidential")))).searchParams.get("code")));
    expect(new Set(codes.map((code) => code.slice(0, 12))).size).toBe(5);
    for (const code of codes) expect(code).toMatch(/^[A-Za-z0-9_~.-]{22,}$/);
  });

  test("two authorizations in two tabs of one browser both come to their end", async () => {
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

test("denied, the client is told access_denied", async () => {
  const visitor = await loggedIn();
  expectSentBack(await decide(visitor, await ask(clientOf("confidential")), "deny"), "access_denied");
});

describe("the client", () => {
  test.each<[string, AuthorizationRequest]>([
    ["left out", { client_id: undefined }],
    ["empty", { client_id: "" }],
    ["unknown", { client_id: "unknown" }],
    ["something like SQL", { client_id: "' or '1'='1" }],
    ["NUL", { client_id: "\u0000" }],
  ])("%s gets a page, and the browser goes nowhere", async (_, parameters) =>
    expectErrorPage(await ask(clientOf("confidential"), parameters)),
  );
});

describe("the redirect URI is a registered one, to the letter", () => {
  const variants = [
    "https://evil.example/callback",
    "https://client.example/callback/",
    "https://client.example/Callback",
    "https://CLIENT.example/callback",
    "HTTPS://client.example/callback",
    "http://client.example/callback",
    "https://client.example:443/callback",
    "https://client.example:8443/callback",
    "https://user@client.example/callback",
    "https://client.example@evil.example/callback",
    "https://client.example/callback#",
    "https://client.example/callback#x",
    "https://client.example/callback?",
    "https://client.example/callback?x=1",
    "https://client.example//callback",
    "https://client.example/x/../callback",
    "https://client.example/x/%2e%2e/callback",
    "https://client.example/%2E/callback",
    "https://client.example/%63allback",
    "https://client.example/callback%00",
    "https://client.example/callback%2f",
    "https://client.example/callback\\",
    "https://client.example\\@evil.example/callback",
    "https://client.example.evil.example/callback",
    "https://evil.example/https://client.example/callback",
    "https://client.example./callback",
    "https://xclient.example/callback",
    "https://client.example/",
    "https://client.example",
    "//client.example/callback",
    "/callback",
    "callback",
    " https://client.example/callback",
    "https://client.example/callback ",
    "https://client.example/callback\r\nSet-Cookie: x=y",
    "javascript:alert(1)//https://client.example/callback",
    "data:text/html,x",
    "urn:ietf:wg:oauth:2.0:oob",
    "https://client.example/callback,https://evil.example/",
    "https://client.example/callback https://evil.example/",
  ];

  test.each(variants)("%j gets a page, and the browser goes nowhere", async (redirect_uri) => {
    expectErrorPage(await ask(clientOf("confidential"), { redirect_uri }));
    expectErrorPage(await ask(clientOf("confidential"), { redirect_uri, response_type: "wrong" }));
  });

  test.each([
    "http://127.0.0.1/",
    "http://127.0.0.1:4000/other",
    "http://127.0.0.1:4000/callback/",
    "https://127.0.0.1/callback",
    "https://127.0.0.1:4000/callback",
    "http://127.0.0.1:99999999/callback",
    "http://127.0.0.1:x/callback",
    "http://127.0.0.1:/callback?",
    "http://127.0.0.1:4000@evil.example/callback",
    "http://127.0.0.1.evil.example/callback",
    "http://127.0.0.1:4000.evil.example/callback",
    "http://127.0.0.2:4000/callback",
    "http://2130706433:4000/callback",
    "http://0x7f.0.0.1:4000/callback",
    "http://localhost:4000/callback",
    "http://[::1]:4000/callback",
    "http://user@127.0.0.1:4000/callback",
  ])("of a loopback address the port alone is free (RFC 8252 7.3): not %s", async (redirect_uri) =>
    expectErrorPage(await ask(clientOf("public"), { redirect_uri })),
  );

  test.each(["http://127.0.0.1/callback", "http://127.0.0.1:1024/callback", "http://127.0.0.1:65535/callback"])(
    "of a loopback address the port is free (RFC 8252 7.3): %s",
    async (redirect_uri) => {
      const client = clientOf("public");
      const verifier = newVerifier();
      const pkce = { code_challenge: challengeOf(verifier), code_challenge_method: "S256" };
      const location = await approve(authorizationPath(client, { redirect_uri, ...pkce }));
      expect(`${location.origin}${location.pathname}`).toBe(redirect_uri);
      const code = String(location.searchParams.get("code"));
      tokensOf(await exchange(client, { code, verifier, redirectUri: redirect_uri }));
    },
  );

  test("left out, it is the registered one of a client that has one alone", async () => {
    const location = await approve(authorizationPath(clientOf("readOnly"), { redirect_uri: undefined }));
    expect(`${location.origin}${location.pathname}`).toBe(web);
    for (const redirect_uri of [undefined, ""]) expectErrorPage(await ask(clientOf("confidential"), { redirect_uri }));
  });

  test("one that another client registered is none", async () =>
    expectErrorPage(await ask(clientOf("readOnly"), { redirect_uri: "http://127.0.0.1/callback" })));
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
    ["an unknown scope beside a known one", "invalid_scope", { scope: "read:donations admin" }],
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

  test.each(cases)("%s: %s", async (_, error, parameters) => {
    const page = await ask(clientOf("confidential"), parameters);
    expectSentBack(page, error);
    const stranger = await visit(newVisitor(), authorizationPath(clientOf("confidential"), { ...parameters, state: undefined }));
    expectSentBack(stranger, error, web, null);
  });

  test.each<[string, AuthorizationRequest]>([
    ["no challenge", {}],
    ["an empty challenge", { code_challenge: "", code_challenge_method: "S256" }],
    ["a method alone", { code_challenge_method: "S256" }],
    ["plain", { code_challenge: "x".repeat(43), code_challenge_method: "plain" }],
    ["no method", { code_challenge: challenge }],
  ])("a public client with %s: invalid_request", async (_, parameters) =>
    expectSentBack(await ask(clientOf("public"), parameters), "invalid_request"),
  );

  test("a scope that the client did not register: invalid_scope", async () => {
    for (const scope of ["write:donations", "read:donations write:donations"])
      expectSentBack(await ask(clientOf("readOnly"), { scope }), "invalid_scope");
  });

  test.each(["response_type", "scope", "state", "code_challenge", "code_challenge_method", "resource"])(
    "a repeated %s: invalid_request, whatever its values and their order (RFC 6749 3.1)",
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

test.each(["client_id", "redirect_uri"])("a repeated %s gets a page, and the browser goes nowhere", async (name) => {
  const path = authorizationPath(clientOf("confidential"));
  for (const value of [web, "https://evil.example/", clientOf("confidential").id, clientOf("second").id, ""]) {
    const again = new URLSearchParams({ [name]: value });
    for (const repeated of [`${path}&${again}`, path.replace("?", `?${again}&`)])
      for (const others of ["", "&response_type=wrong", "&state="]) expectErrorPage(await visit(await loggedIn(), repeated + others));
  }
});

test("unknown parameters are ignored (RFC 6749 3.1)", async () => {
  const location = await approve(authorizationPath(clientOf("confidential"), { prompt: "none", nonce: "x", "": "y", user_id: "z" }));
  expect(location.searchParams.has("code")).toBe(true);
});

test("an empty parameter counts as left out (RFC 6749 3.1)", async () => {
  const empty = { scope: "", resource: "", code_challenge: "", code_challenge_method: "", state: "" };
  const location = await approve(authorizationPath(clientOf("confidential"), empty));
  tokensOf(await exchange(clientOf("confidential"), { code: String(location.searchParams.get("code")) }));
});

test("any text in any parameter is answered, and never our fault", () =>
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
      const page = await ask(clientOf("confidential"), { [name]: value });
      expect(page.reply.status).toBeOneOf([200, 303, 400]);
      if (page.location) expect(page.location.origin).toBe("https://client.example");
    },
    { runs: 60 },
  ));

test("no other site's script may read or prepare a request: no CORS (RFC 9700 2.6)", async () => {
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
    if (first.reply.status !== 200) return expectSentBack(first, "invalid_request", web, "~".repeat(length));
    expect((await logIn(visitor, first)).forms.map(({ action }) => action)).toContain("/oauth/consent");
  },
);

test("a URL of many kilobytes is refused without harm", async () => {
  const reply = await send({ path: authorizationPath(clientOf("confidential"), { state: "x".repeat(60_000) }), key: null });
  expect(reply.status).toBe(431);
});

test("a code for one redirect URI is no good with another", async () => {
  const client = clientOf("confidential");
  const location = await approve(authorizationPath(client, { redirect_uri: "http://127.0.0.1:4000/callback" }));
  expectError(await exchange(client, { code: String(location.searchParams.get("code")), redirectUri: web }), "invalid_grant");
});
