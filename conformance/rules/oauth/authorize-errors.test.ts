import { beforeEach, describe, test } from "vitest";
import {
  type AuthorizationRequest,
  authorizationPath,
  expectErrorPage,
  expectSentBack,
  loggedIn,
  requestAuthorization,
  webRedirectUri,
} from "../../suite/client/oauth/authorization.ts";
import { challengeOf, clientOf, needsClients } from "../../suite/client/oauth/oauth-client.ts";
import { newVisitor, visit } from "../../suite/client/page-visitor.ts";
import { target } from "../../suite/values/target.ts";

beforeEach(needsClients);

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
