// Clients, streamers and grants on a fresh database, for unit tests.

import { hash, randomBytes } from "node:crypto";
import { uuidv7 } from "uuidv7";
import { type Denials, loadDenials } from "../auth/revocations.ts";
import { loadSigningKeys, type SigningKeys } from "../auth/signing-keys.ts";
import { batchedReads } from "../db/batched-reads.ts";
import type { Database } from "../db/database.ts";
import { makeSealer } from "../db/secrets.ts";
import { type TemporaryServer, temporaryServer } from "../db/testing.ts";
import type { Handler, OperationRequest, Principal, Schemas, Scope } from "../http/operations.ts";
import { type OAuthCode, OAuthError } from "../http/problem.ts";
import { type Limits, noLimits } from "../http/rate-limits/rate-limits.ts";
import { clientAuthentication, noThrottle } from "./clients/client-authentication.ts";
import { type ClientStore, clientStore, type NewClient } from "./clients/clients.ts";
import { type Codes, codeStore } from "./tokens/authorization-code.ts";
import { type Approval, type GrantStore, grantStore } from "./tokens/grants.ts";
import { newRefreshToken, type RefreshTokens, refreshTokenStore } from "./tokens/refresh-token.ts";
import { issueToken } from "./tokens/token.ts";

export const baseUrl = "https://donations.example";
export const callback = "https://client.example/callback";
export const granted: Scope[] = ["write:donations", "read:donations"];

/** A client as its owner knows it. */
export type TestClient = Readonly<{ client_id: string; client_secret?: string | undefined }>;

/** What the token half needs, on a database of its own. */
export type OAuthFixture = {
  database: Database;
  clients: ClientStore;
  grants: GrantStore;
  codes: Codes;
  refreshTokens: RefreshTokens;
  denials: Denials;
  signingKeys: SigningKeys;
  /** What handlers are made with. */
  deps: { brand: string; baseUrl: string } & Pick<
    OAuthFixture,
    "clients" | "grants" | "codes" | "refreshTokens" | "denials" | "signingKeys"
  > & {
      authenticateClient: ReturnType<typeof clientAuthentication>;
      limits: Limits;
    };
  streamer: () => Promise<string>;
  client: (settings?: Partial<NewClient>) => Promise<TestClient>;
  /** A code for the client. Without settings: no PKCE, `callback`, the scopes `granted`, no resource, a new streamer. */
  approve: (client: TestClient, settings?: Partial<Approval>) => Promise<string>;
  useCode: ReturnType<typeof usesOf>;
  rotate: ReturnType<typeof rotationsOf>;
  close: () => Promise<void>;
};

export async function openOAuthFixture(): Promise<OAuthFixture> {
  const server: TemporaryServer = await temporaryServer();
  const database = await server.migratedDatabase();
  const { knex } = database;
  const denials = await loadDenials(knex);
  const signingKeys = await loadSigningKeys(knex, makeSealer(null));
  const clients = clientStore(knex);
  const grants = grantStore(knex, denials);
  const codes = codeStore(knex);
  const refreshTokens = refreshTokenStore({ knex, reads: batchedReads(knex), rotations: knex }, grants);
  const authenticateClient = clientAuthentication(noThrottle);

  const streamer = async () => {
    const id = uuidv7();
    await knex("streamers").insert({ id });
    await knex("streamer_handles").insert({ handle: id, streamer_id: id });
    return id;
  };
  const client = async (settings: Partial<NewClient> = {}) => {
    const fresh = { name: "Test client", redirectUris: [callback], public: false, scopes: granted, ...settings };
    const { clientId, clientSecret } = await clients.create(fresh);
    return { client_id: clientId, client_secret: clientSecret ?? undefined };
  };
  const approve = async ({ client_id }: TestClient, settings: Partial<Approval> = {}) => {
    const streamerId = settings.streamerId ?? (await streamer());
    const usual = { scopes: granted, resource: null, redirectUri: callback, codeChallenge: null };
    return grants.approve({ clientId: client_id, ...usual, ...settings, streamerId });
  };
  const close = async () => {
    await database.close();
    await server.remove();
  };
  const deps = {
    brand: "namjai",
    baseUrl,
    clients,
    grants,
    codes,
    refreshTokens,
    denials,
    signingKeys,
    authenticateClient,
    limits: noLimits,
  };
  return {
    database,
    clients,
    grants,
    codes,
    refreshTokens,
    denials,
    signingKeys,
    deps,
    streamer,
    client,
    approve,
    close,
    useCode: usesOf(codes),
    rotate: rotationsOf(refreshTokens),
  };
}

/** Uses a code, and returns the first refresh token of its grant; null when the code was used. */
export function usesOf(codes: Codes) {
  return async (code: string, use: { grantId: string; resource: string | null }): Promise<string | null> => {
    const token = newRefreshToken("namjai");
    return (await codes.use(code, { ...use, token })) ? token : null;
  };
}

/** Rotates a refresh token, and returns its successor; null when the token can no longer be used. */
export function rotationsOf(refreshTokens: RefreshTokens) {
  return async (used: string, client: { public: boolean }): Promise<string | null> => {
    const next = newRefreshToken("namjai");
    return (await refreshTokens.rotate({ used, next }, client)) ? next : null;
  };
}

/** A PKCE pair (RFC 7636 4.1, 4.2). */
export function pkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: hash("sha256", verifier, "base64url") };
}

type Answers = { issueToken: Schemas["TokenResponse"]; revokeToken: Schemas["EmptyObject"]; registerClient: Schemas["RegisteredClient"] };

type Outcome<Answer> = { error: null; body: Answer } | { error: OAuthCode; body: undefined };

/** What a handler answers to a body: its answer's body, or the code of an OAuth error. Other errors go through. */
export async function ask<Id extends keyof Answers>(
  handler: Handler<Id>,
  body: OperationRequest<Id>["body"],
): Promise<Outcome<Answers[Id]>> {
  try {
    const reply = await handler(requestWith<Id>(body), {} as Principal);
    return { error: null, body: (reply as unknown as { body: Answers[Id] }).body };
  } catch (error) {
    if (error instanceof OAuthError) return { error: error.code, body: undefined };
    throw error;
  }
}

/** A request as the router passes it on. */
export function requestWith<Id extends keyof Answers>(body: OperationRequest<Id>["body"]): OperationRequest<Id> {
  const caller = { authorization: undefined, cookie: undefined, origin: undefined, host: undefined, address: "192.0.2.1" };
  const sent = { method: "POST", headers: { "content-type": "application/json" } };
  return { caller, path: {}, query: {}, given: [], sent, body } as unknown as OperationRequest<Id>;
}

/** Grants of a database as they are. */
export async function grantStates(fixture: OAuthFixture, clientId: string): Promise<("active" | "revoked")[]> {
  const rows = await fixture.database.knex("oauth_grants").where({ client_id: clientId }).orderBy("created_at").select("id", "revoked_at");
  for (const { id, revoked_at } of rows) if ((revoked_at !== null) !== fixture.denials.has(id)) throw new Error("revoked, but not denied");
  return rows.map(({ revoked_at }) => (revoked_at === null ? "active" : "revoked"));
}

/** Lets time pass for the codes and refresh tokens of a client. */
export async function passTime(fixture: OAuthFixture, clientId: string, interval: string): Promise<void> {
  const { knex } = fixture.database;
  const theirs = knex("oauth_grants").where({ client_id: clientId }).select("id");
  const earlier = (column: string) => knex.raw("?? - ?::interval", [column, interval]);
  await knex("oauth_codes")
    .whereIn("grant_id", theirs)
    .update({ expires_at: earlier("expires_at"), used_at: earlier("used_at") });
  await knex("oauth_refresh_tokens")
    .whereIn("grant_id", theirs)
    .update({ expires_at: earlier("expires_at"), rotated_at: earlier("rotated_at") });
  await knex("oauth_grants")
    .where({ client_id: clientId })
    .update({ expires_at: earlier("expires_at") });
}

type Body = Parameters<typeof ask<"issueToken">>[1];

/** Requests to the token endpoint. */
export function tokenRequests(fixture: () => OAuthFixture) {
  const exchange = (client: TestClient, code: string, parameters: Partial<Body> = {}) =>
    ask(issueToken(fixture().deps), { grant_type: "authorization_code", redirect_uri: callback, ...client, code, ...parameters });

  const refresh = (client: TestClient, token: string, parameters: Partial<Body> = {}) =>
    ask(issueToken(fixture().deps), { grant_type: "refresh_token", refresh_token: token, ...client, ...parameters });

  /** A client with the tokens of a new grant. */
  const connected = async (approval: Partial<Approval> = {}, owner?: TestClient) => {
    const client = owner ?? (await fixture().client());
    const { verifier, challenge } = pkce();
    const code = await fixture().approve(client, { codeChallenge: challenge, ...approval });
    const { body } = await exchange(client, code, { code_verifier: verifier });
    if (!body) throw new Error("no tokens");
    return { client, code, tokens: body };
  };

  return { exchange, refresh, connected };
}
