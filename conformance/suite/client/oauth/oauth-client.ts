// The token and revocation endpoints, with every way in which a client authenticates.

import { createHash, randomBytes } from "node:crypto";
import { expect, type TestContext } from "vitest";
import type { Reply } from "../../contract/http-request.ts";
import { remember } from "../../values/redact.ts";
import { endAsNotRun } from "../../values/running.ts";
import { type Client, type ClientHolder, oauth, target } from "../../values/target.ts";
import { expectProblem, me } from "../api.ts";
import { send } from "../http-client.ts";
import { noteTokenOfOther } from "../protection/guard.ts";
import { type Approval, authorizationCode } from "./authorization.ts";

export type Encoding = "json" | "form";

/** How a client authenticates; public ones always in the body. */
type Way = "basic" | "body";

type How = { as?: Encoding; by?: Way; server?: string; headers?: Record<string, string> };

/** In a form, an array is a repeated parameter; undefined leaves one out. */
export type Parameters = Record<string, unknown>;

export type Tokens = { access_token: string; token_type: string; expires_in: number; refresh_token: string; scope: string };

export type OAuthPath = "/oauth/token" | "/oauth/revoke" | "/oauth/register";

export const encodings: Encoding[] = ["json", "form"];

/** Every way to send a request. */
export const ways = encodings.flatMap((as) => (["body", "basic"] as const).map((by) => ({ as, by })));

/** Skips the test with a reason where this run has no OAuth clients. */
export const needsClients = (context: TestContext): void =>
  void (target().oauth ?? context.skip("not run: --oauth-credentials is not given"));

/** The client; ends the rule as "not run" where this run has none of that kind. */
export const clientOf = (holder: ClientHolder): Client =>
  oauth().clients[holder] ?? endAsNotRun(`--oauth-credentials has no clients.${holder}`);

/** The issuer that the server names. Whether it is the base URL, one rule asks; the others compare with this. */
export const issuer = async (): Promise<string> =>
  ((await send({ path: "/.well-known/oauth-authorization-server", key: null })).body as { issuer: string }).issuer;

/** POST with these parameters and nothing else. */
export function post(path: OAuthPath, parameters: Parameters, { as = "json", server, headers }: How = {}): Promise<Reply> {
  const type = as === "json" ? "application/json" : "application/x-www-form-urlencoded";
  const body = as === "json" ? JSON.stringify(parameters) : formText(parameters);
  return postRaw(path, body, { server, headers: { "Content-Type": type, ...headers } });
}

/** POST with these bytes as the body. */
export const postRaw = (path: OAuthPath, body: string | Uint8Array, { server, headers }: How = {}): Promise<Reply> =>
  send({ method: "POST", path, key: null, server, headers, body });

/** POST by an authenticated client. */
export function postAs(client: Client, path: OAuthPath, parameters: Parameters, how: How = {}): Promise<Reply> {
  const { id: client_id, secret } = client;
  if (secret === null) return post(path, { client_id, ...parameters }, how);
  if (how.by !== "basic") return post(path, { client_id, client_secret: secret, ...parameters }, how);
  return post(path, parameters, { ...how, headers: { ...how.headers, Authorization: basic(client_id, secret) } });
}

/** RFC 6749 2.3.1: both are form-encoded before they are joined. */
export function basic(id: string, secret: string): string {
  const encoded = Buffer.from(`${formEncoded(id)}:${formEncoded(secret)}`).toString("base64");
  remember(encoded);
  return `Basic ${encoded}`;
}

export type CodeExchange = { code: string; verifier?: string; redirectUri?: string } & Parameters;

/** Exchanges a code. */
export function exchange(client: Client, { code, verifier, redirectUri, ...others }: CodeExchange, how: How = {}): Promise<Reply> {
  const redirect_uri = redirectUri ?? client.redirectUris[0];
  remember(verifier);
  const parameters = { grant_type: "authorization_code", code, redirect_uri, code_verifier: verifier, ...others };
  return postAs(client, "/oauth/token", parameters, how);
}

/** Exchanges a refresh token. */
export const refresh = (client: Client, token: string, others: Parameters = {}, how: How = {}): Promise<Reply> =>
  postAs(client, "/oauth/token", { grant_type: "refresh_token", refresh_token: token, ...others }, how);

export const revoke = (client: Client, token: string, others: Parameters = {}, how: How = {}): Promise<Reply> =>
  postAs(client, "/oauth/revoke", { token, ...others }, how);

/** Tokens of a new grant, with PKCE. */
export async function newGrant(client: Client, approval: Omit<Approval, "client" | "challenge"> = {}, how: How = {}): Promise<Tokens> {
  const verifier = newVerifier();
  const code = await authorizationCode({ ...approval, client, challenge: challengeOf(verifier) });
  const tokens = tokensOf(await exchange(client, { code, verifier, redirectUri: approval.redirectUri }, how));
  if (approval.handle === "other") noteTokenOfOther(tokens.access_token);
  return tokens;
}

/** A code with all parameters that its exchange needs. */
export async function newCode(client: Client, approval: Omit<Approval, "client" | "challenge"> = {}): Promise<CodeExchange> {
  const verifier = newVerifier();
  const code = await authorizationCode({ ...approval, client, challenge: challengeOf(verifier) });
  return { code, verifier, redirectUri: approval.redirectUri };
}

/** The tokens of an answer that grants some (RFC 6749 5.1). */
export function tokensOf(reply: Reply): Tokens {
  expect(reply.status, reply.text).toBe(200);
  expect(reply.headers["cache-control"]).toBe("no-store");
  const tokens = reply.body as Tokens;
  remember(tokens.access_token, tokens.refresh_token);
  return tokens;
}

/** Expects the request to be refused with this error (RFC 6749 5.2). */
export function expectError(reply: Reply, error: string, status = error === "invalid_client" ? 401 : 400): void {
  const body = reply.body as { error: string; error_description: string };
  expect([reply.status, body?.error], reply.text).toEqual([status, error]);
  expect(body.error_description).toMatch(/^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/);
  expect(reply.headers["cache-control"]).toBe("no-store");
  if (error === "invalid_client") expect(reply.headers["www-authenticate"]).toBeTruthy();
}

/** Expects the answer to a revocation, which is the same for an unknown token (RFC 7009 2.2). */
export function expectRevoked(reply: Reply): void {
  expect([reply.status, reply.text.trim(), reply.headers["cache-control"]]).toEqual([200, "{}", "no-store"]);
}

export const newVerifier = (length = 43): string => randomBytes(length).toString("base64url").slice(0, length);

/** RFC 7636 4.2, S256. */
export const challengeOf = (verifier: string): string => createHash("sha256").update(verifier, "ascii").digest("base64url");

const formEncoded = (text: string): string => new URLSearchParams([["", text]]).toString().slice(1);

function formText(parameters: Parameters): string {
  const pairs = Object.entries(parameters).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).filter((one) => one !== undefined).map((one): [string, string] => [name, String(one)]),
  );
  return new URLSearchParams(pairs).toString();
}

// Checks whether a grant's tokens are good or refused, by using them.

/** A client with a secret and one without. */
export const clientKinds: ClientHolder[] = ["confidential", "public"];

/** The scopes of a space-separated list, sorted. */
export const scopesIn = (scope: string | undefined): string[] => (scope ?? "").split(" ").sort();

/** The tokens that a refresh gives; expects it to succeed. */
export const refreshed = async (client: Client, { refresh_token }: Tokens): Promise<Tokens> =>
  tokensOf(await refresh(client, refresh_token));

/** Expects the access token to be good. */
export const expectAccess = async ({ access_token }: Pick<Tokens, "access_token">): Promise<void> =>
  expect((await me({ key: access_token })).status).toBe(200);

/** Expects the access token to be refused with token_revoked. */
export const expectAccessRevoked = async ({ access_token }: Pick<Tokens, "access_token">): Promise<void> =>
  expectProblem(await me({ key: access_token }), 401, "token_revoked");

/** Expects the refresh token to be refused with invalid_grant. */
export const expectRefreshRefused = async (client: Client, { refresh_token }: Tokens): Promise<void> =>
  expectError(await refresh(client, refresh_token), "invalid_grant");

/** Expects both tokens of the grant to be good; uses the refresh token. */
export async function expectGrantAlive(client: Client, tokens: Tokens): Promise<void> {
  await expectAccess(tokens);
  await refreshed(client, tokens);
}

/** Expects every token of the grant to be refused. */
export async function expectGrantRevoked(client: Client, ...all: Tokens[]): Promise<void> {
  for (const tokens of all) await expectAccessRevoked(tokens);
  for (const tokens of all) await expectRefreshRefused(client, tokens);
}
