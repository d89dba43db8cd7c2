// Refresh tokens (RFC 6749 6): what a token is checked for, and its rotation. All SQL about them.

import { setTimeout as sleep } from "node:timers/promises";
import type { Knex } from "knex";
import { randomBase62 } from "../../auth/keys.ts";
import { resultWithin } from "../../base/async.ts";
import { type BatchedReads, batchedReads } from "../../db/batched-reads.ts";
import { isOutcomeUnknown } from "../../db/failures.ts";
import { preparedQuery } from "../../db/prepared-query.ts";
import { OAuthError, Problem } from "../../http/problem.ts";
import { type ClientWithSecrets, digest, isKnownClient, type OAuthClient, selectedClient } from "../clients/clients.ts";
import { type Grant, type GrantStore, requireResource } from "./grants.ts";

/** A refresh token of any generation. Only `rotate` decides whether the token itself can still be used. */
export type StoredRefreshToken = Readonly<{ grant: Grant; isGrantActive: boolean }>;

/** `refreshToken`: of any generation and any client; null when there is no such token, or none was sent. */
export type ClientAndToken = ClientWithSecrets & Readonly<{ refreshToken: StoredRefreshToken | null }>;

export type RefreshTokens = ReturnType<typeof refreshTokenStore>;

/** `rotations`: a pool of one connection, on which uses of refresh tokens share a commit. */
type Pools = Readonly<{ knex: Knex; reads: BatchedReads; rotations: Knex }>;

/** What a request with a refresh token asks for. `resource`: as `aud` would have it; null: what the grant is for. */
type Asked = Readonly<{ scope: string | undefined; resource: string | null; baseUrl: string }>;

/** The token that is used, and the one that follows it. */
type Rotation = Readonly<{ used: string; next: string }>;

const tokenLength = 40;

/** Checks a client's own token. Throws invalid_grant, invalid_target, and invalid_scope for scopes that the grant has not (RFC 6749 6). */
export function requireUsableToken({ grant, isGrantActive }: StoredRefreshToken, { scope, resource, baseUrl }: Asked): void {
  if (!isGrantActive) throw new OAuthError("invalid_grant", "The grant was revoked.");
  requireResource(resource, grant.resource ?? baseUrl);
  const granted: readonly string[] = grant.scopes;
  const requested = scope?.split(" ").filter(Boolean) ?? granted;
  if (requested.length === 0 || !requested.every((one) => granted.includes(one)))
    throw new OAuthError("invalid_scope", `The grant has the scopes ${granted.join(" ")}.`);
}

export function refreshTokenStore({ knex, reads, rotations }: Pools, grants: GrantStore) {
  const together = batchedReads(rotations, 1);
  return {
    /** A refresh token of any generation; null when there is no such token. */
    find: (token: string): Promise<StoredRefreshToken | null> => findToken(reads, token),

    /** The client with the hashes of its secrets, and the refresh token that it sent. Null when the client is unknown or removed. */
    findWithClient: (clientId: string, token: string | undefined): Promise<ClientAndToken | null> => findWithClient(reads, clientId, token),

    /**
     * Exchanges a refresh token for its successor (RFC 9700 4.14.2). Returns false when the token can no longer be used. Using a rotated
     * token again revokes the grant for good, with one exception: a confidential client may repeat its last token within 30 seconds
     * while the successor is unused, because the answer may have been lost or two of its workers refreshed at once. The unused
     * successor then stops working.
     */
    rotate: async ({ used, next }: Rotation, client: { public: boolean }): Promise<boolean> => {
      const hashes = { used: digest(used), next: digest(next), isConfidential: !client.public };
      const outcome = await rotate(knex, together, hashes);
      const grantId = outcome === "reused" ? await findGrantId(knex, hashes.used) : null;
      if (grantId !== null) await grants.revoke(grantId, "token_reused");
      return outcome === "rotated";
    },
  };
}

/** The prefix of every refresh token. */
export function refreshTokenPrefix(brand: string): string {
  return `${brand}_r1_`;
}

export function newRefreshToken(brand: string): string {
  return `${refreshTokenPrefix(brand)}${randomBase62(tokenLength)}`;
}

async function findToken(reads: BatchedReads, token: string): Promise<StoredRefreshToken | null> {
  const [row] = await reads<Grant & { isGrantActive: boolean }>(
    (bind) =>
      `select g.id, g.client_id as "clientId", g.streamer_id as "streamerId", g.scopes, g.resource, g.revoked_at is null as "isGrantActive"
       from oauth_refresh_tokens t join oauth_grants g on g.id = t.grant_id where t.hash = ${bind(digest(token), "bytea")}`,
  );
  if (!row) return null;
  const { id, clientId, streamerId, scopes, resource, isGrantActive } = row;
  return { grant: { id, clientId, streamerId, scopes, resource }, isGrantActive };
}

type ClientRow = OAuthClient & {
  secretHashes: Buffer[];
  /** These are null when there is no such token. */
  grantId: string | null;
  grantClientId: string;
  streamerId: string;
  grantScopes: Grant["scopes"];
  resource: string | null;
  isGrantActive: boolean;
};

/** One statement for both: a statement costs more than the rows that it reads by their keys. */
async function findWithClient(reads: BatchedReads, clientId: string, token: string | undefined): Promise<ClientAndToken | null> {
  const hash = token === undefined ? null : digest(token);
  const [row] = await reads<ClientRow>(
    (bind) =>
      `select ${selectedClient}, g.id as "grantId", g.client_id as "grantClientId", g.streamer_id as "streamerId", g.scopes as "grantScopes",
         g.resource, g.revoked_at is null as "isGrantActive"
       from oauth_clients c
       join applications a on a.id = c.application_id
       left join oauth_refresh_tokens t on t.hash = ${bind(hash, "bytea")}
       left join oauth_grants g on g.id = t.grant_id
       where c.id = ${bind(clientId, "text")} and ${isKnownClient}`,
  );
  if (!row) return null;
  const { id, applicationId, name, public: isPublic, redirectUris, scopes, secretHashes } = row;
  return { client: { id, applicationId, name, public: isPublic, redirectUris, scopes }, secretHashes, refreshToken: tokenOf(row) };
}

function tokenOf({ grantId, grantClientId, streamerId, grantScopes, resource, isGrantActive }: ClientRow): StoredRefreshToken | null {
  if (grantId === null) return null;
  return { grant: { id: grantId, clientId: grantClientId, streamerId, scopes: grantScopes, resource }, isGrantActive };
}

/** SHA-256 of both tokens. */
type Hashes = Readonly<{ used: Buffer; next: Buffer; isConfidential: boolean }>;

/** `reused`: the token was rotated before, and the caller revokes its grant. `invalid`: unknown, expired, or its grant is revoked. */
type RotationOutcome = "rotated" | "reused" | "invalid";

type OutcomeRow = { outcome: RotationOutcome };

async function rotate(knex: Knex, together: BatchedReads, rotation: Hashes): Promise<RotationOutcome> {
  try {
    return (await rotateTogether(together, rotation)) ?? (await rotateAlone(knex, rotation));
  } catch (error) {
    if (!isOutcomeUnknown(error)) throw error;
    await requireStored(knex, rotation.next, error);
    return "rotated";
  }
}

/**
 * Rotates those that arrive together in one statement and one commit: a commit costs more than the rows that one rotation writes. The
 * function in the database checks each token under the lock of its grant: rotate_refresh_token of the baseline. A statement for
 * many waits for no lock, so that a grant that is being revoked delays no others: undefined for a token whose grant is locked or which is
 * unknown; it is used once more, alone.
 */
async function rotateTogether(together: BatchedReads, { used, next, isConfidential }: Hashes): Promise<RotationOutcome | undefined> {
  const [row] = await together<OutcomeRow>((bind) => {
    const token = bind(used, "bytea");
    return `select rotate_refresh_token(${token}, ${bind(next, "bytea")}, ${bind(isConfidential, "boolean")}) as outcome from (
      select from oauth_grants g where g.id = (select t.grant_id from oauth_refresh_tokens t where t.hash = ${token})
      for update skip locked) as unlocked`;
  });
  return row?.outcome;
}

const alone = { name: "rotate refresh token", text: "select rotate_refresh_token($1, $2, $3) as outcome" };

async function rotateAlone(knex: Knex, { used, next, isConfidential }: Hashes): Promise<RotationOutcome> {
  const [row] = await preparedQuery<OutcomeRow>(knex, alone, [used, next, isConfidential]);
  return row?.outcome ?? "invalid";
}

async function findGrantId(knex: Knex, hash: Buffer): Promise<string | null> {
  const family = await knex("oauth_refresh_tokens").where({ hash }).first("grant_id");
  return family?.grant_id ?? null;
}

const lookUpMs = 2_000;
const pauseMs = 100;

/**
 * Finds out whether a new refresh token was stored when the answer to its commit was lost: a client that is told that nothing was recorded
 * repeats its request, and repeating one that was recorded revokes the grant. Resolves when the token with this SHA-256 is stored. Throws
 * internal_error when that is not known within two seconds.
 */
export async function requireStored(knex: Knex, hash: Buffer, cause: unknown): Promise<void> {
  const deadline = performance.now() + lookUpMs;
  for (let leftMs = lookUpMs; leftMs > 0; leftMs = deadline - performance.now()) {
    if (await resultWithin(leftMs, isStored(knex, hash))) return;
    await sleep(pauseMs); // its transaction may still be committing
  }
  throw new Problem("internal_error", "The outcome is unknown: the code or refresh token may have been used.", { cause });
}

async function isStored(knex: Knex, hash: Buffer): Promise<boolean> {
  try {
    return (await findGrantId(knex, hash)) !== null;
  } catch {
    return false;
  }
}
