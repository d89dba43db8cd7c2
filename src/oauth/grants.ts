// All SQL about grants and what hangs on them: codes and refresh tokens. Time is the database's.

import { hash } from "node:crypto";
import type { Knex } from "knex";
import { uuidv7 } from "uuidv7";
import type { Denials } from "../auth/denials.ts";
import { randomBase62 } from "../auth/key-text.ts";
import type { Scope } from "../http/operations.ts";

/** What a streamer approved. */
export type Approval = Readonly<{
  clientId: string;
  streamerId: string;
  scopes: readonly Scope[];
  /** Null: the base URL. */
  resource: string | null;
  /** As the authorization request had it; null when it had none. */
  redirectUri: string | null;
  /** PKCE S256 (RFC 7636 4.2). */
  codeChallenge: string | null;
}>;

export type Grant = Readonly<{ id: string; clientId: string; streamerId: string; scopes: readonly Scope[]; resource: string | null }>;

export type StoredCode = Readonly<{
  grant: Grant;
  redirectUri: string | null;
  codeChallenge: string | null;
  /** `dead`: expired, or its grant was revoked. */
  state: "good" | "used" | "dead";
}>;

/** `good`: the grant was not revoked. Whether the token still is, `rotate` decides. */
export type StoredRefreshToken = Readonly<{ grant: Grant; good: boolean }>;

/** An application that a streamer has let in. */
export type Connection = Readonly<{ id: string; clientId: string; name: string; scopes: Scope[]; createdAt: Date }>;

export type GrantStore = ReturnType<typeof grantStore>;

const codeLength = 32;
const refreshTokenLength = 40;

export function grantStore(knex: Knex, denials: Pick<Denials, "deny" | "has">, brand: string) {
  const newRefreshToken = () => `${refreshTokenPrefix(brand)}${randomBase62(refreshTokenLength)}`;
  return {
    /** Notes an approval and returns its code: good once, for 60 seconds. */
    approve: async (approval: Approval): Promise<string> => {
      const code = randomBase62(codeLength);
      await knex.transaction(async (trx) => {
        const grantId = await insertGrant(trx, approval);
        await trx("oauth_codes").insert({
          hash: digest(code),
          grant_id: grantId,
          redirect_uri: approval.redirectUri,
          code_challenge: approval.codeChallenge,
          expires_at: trx.raw("now() + interval '60 seconds'"),
        });
      });
      return code;
    },

    /** Null: no such code. */
    findCode: async (code: string): Promise<StoredCode | null> => {
      const row = await knex("oauth_codes as c")
        .join("oauth_grants as g", "g.id", "c.grant_id")
        .where("c.hash", digest(code))
        .select(grantColumns)
        .first({ redirectUri: "c.redirect_uri", codeChallenge: "c.code_challenge", state: knex.raw(codeState) });
      return row ? { grant: toGrant(row), redirectUri: row.redirectUri, codeChallenge: row.codeChallenge, state: row.state } : null;
    },

    /** Marks a code as used. False: somebody else was faster. */
    useCode: async (code: string): Promise<boolean> => {
      const used = await knex("oauth_codes")
        .where({ hash: digest(code) })
        .whereNull("used_at")
        .update({ used_at: knex.fn.now() });
      return used > 0;
    },

    /**
     * The first refresh token of a grant whose code was just used. A `resource` named here is the grant's from now on, unless
     * it had one. A grant that was revoked meanwhile stays so: its tokens are born dead.
     */
    activate: async (grantId: string, resource: string | null): Promise<string> => {
      const token = newRefreshToken();
      await knex.transaction(async (trx) => {
        await trx("oauth_grants")
          .where({ id: grantId })
          .update({ activated_at: trx.fn.now(), resource: trx.raw("coalesce(resource, ?)", [resource]) });
        await insertRefreshToken(trx, grantId, token);
      });
      return token;
    },

    /** A refresh token of any generation. Null: no such token. */
    findRefreshToken: async (token: string): Promise<StoredRefreshToken | null> => {
      const row = await knex("oauth_refresh_tokens as t")
        .join("oauth_grants as g", "g.id", "t.grant_id")
        .where("t.hash", digest(token))
        .select(grantColumns)
        .first({ good: knex.raw("g.revoked_at is null") });
      return row ? { grant: toGrant(row), good: row.good } : null;
    },

    /**
     * Exchanges a refresh token for its successor. Null: it is good no longer. Using a rotated token again revokes the grant,
     * and that stays; only a confidential client may repeat its last one within 30 seconds, as long as the successor was not
     * used: its answer may have been lost, or two of its workers met. The unused successor dies.
     */
    rotate: (token: string, client: { public: boolean }): Promise<string | null> =>
      knex.transaction(async (trx) => {
        const use = await judgeUse(trx, token, client);
        if (use?.kind === "reused") await revokeGrant(trx, denials, use.grantId);
        if (use?.kind !== "first" && use?.kind !== "repeated") return null;
        if (use.kind === "repeated") await killUnused(trx, use.successor);
        const next = newRefreshToken();
        await insertRefreshToken(trx, use.grantId, next);
        await trx("oauth_refresh_tokens")
          .where({ hash: digest(token) })
          .update({ successor: digest(next), rotated_at: trx.raw("coalesce(rotated_at, clock_timestamp())") });
        return next;
      }),

    /** Revokes a grant with all its tokens: here at once, in other processes within a second. */
    revoke: (grantId: string): Promise<void> => knex.transaction((trx) => revokeGrant(trx, denials, grantId)),

    /** Applications that can act for the streamer, newest first. */
    connections: (streamerId: string): Promise<Connection[]> =>
      knex("oauth_grants as g")
        .join("oauth_clients as c", "c.id", "g.client_id")
        .join("applications as a", "a.id", "c.application_id")
        .where("g.streamer_id", streamerId)
        .whereNotNull("g.activated_at")
        .whereNull("g.revoked_at")
        .whereExists(liveTokens(knex))
        .orderBy("g.created_at", "desc")
        .orderBy("g.id", "desc")
        .select({ id: "g.id", clientId: "g.client_id", name: "a.name", scopes: "g.scopes", createdAt: "g.created_at" }),
  };
}

/** What every refresh token begins with. */
export function refreshTokenPrefix(brand: string): string {
  return `${brand}_r1_`;
}

const grantColumns = { id: "g.id", clientId: "g.client_id", streamerId: "g.streamer_id", scopes: "g.scopes", resource: "g.resource" };

const codeState = `case when c.used_at is not null then 'used' when c.expires_at <= now() or g.revoked_at is not null then 'dead' else 'good' end`;

function toGrant({ id, clientId, streamerId, scopes, resource }: Grant): Grant {
  return { id, clientId, streamerId, scopes, resource };
}

async function insertGrant(trx: Knex, { clientId, streamerId, scopes, resource }: Approval): Promise<string> {
  const id = uuidv7();
  await trx("oauth_grants").insert({
    id,
    client_id: clientId,
    streamer_id: streamerId,
    scopes,
    resource,
    expires_at: trx.raw("now() + interval '1 year'"),
  });
  return id;
}

async function insertRefreshToken(trx: Knex, grantId: string, token: string): Promise<void> {
  await trx.raw(
    `insert into oauth_refresh_tokens (hash, grant_id, expires_at)
     select ?, id, least(expires_at, now() + interval '90 days') from oauth_grants where id = ?`,
    [digest(token), grantId],
  );
}

type Use = Readonly<{ kind: "first" | "repeated" | "reused" | "dead"; grantId: string; successor: Buffer | null }>;

/** What presenting this token means. Holds the grant's row, so that the uses of one family take turns. */
async function judgeUse(trx: Knex, token: string, client: { public: boolean }): Promise<Use | null> {
  const family = trx("oauth_refresh_tokens")
    .where({ hash: digest(token) })
    .select("grant_id");
  await trx("oauth_grants").where("id", family).forUpdate().select("id");
  const { rows } = await trx.raw(useQuery, [!client.public, digest(token)]);
  return rows[0] ?? null;
}

// clock_timestamp(), because now() is when the transaction began, which was before it waited for the grant.
const useQuery = `
  select t.grant_id as "grantId", t.successor, case
    when g.revoked_at is not null then 'dead'
    when t.rotated_at is null and t.expires_at > clock_timestamp() then 'first'
    when t.rotated_at is null then 'dead'
    when ?::boolean and s.rotated_at is null and t.rotated_at > clock_timestamp() - interval '30 seconds' then 'repeated'
    else 'reused' end as kind
  from oauth_refresh_tokens t
  join oauth_grants g on g.id = t.grant_id
  left join oauth_refresh_tokens s on s.hash = t.successor
  where t.hash = ?`;

/** Whoever still holds it is refused, but has not used anything twice. */
async function killUnused(trx: Knex, token: Buffer | null): Promise<void> {
  await trx("oauth_refresh_tokens").where({ hash: token }).update({ expires_at: "-infinity" });
}

async function revokeGrant(trx: Knex, denials: Pick<Denials, "deny" | "has">, grantId: string): Promise<void> {
  const revoked = await trx("oauth_grants").where({ id: grantId }).whereNull("revoked_at").update({ revoked_at: trx.fn.now() });
  // Another process may have revoked it a moment ago; this one must know before it answers.
  if (revoked > 0 || !denials.has(grantId)) await denials.deny([grantId], trx);
}

function liveTokens(knex: Knex): Knex.QueryBuilder {
  return knex("oauth_refresh_tokens as t")
    .whereRaw("t.grant_id = g.id and t.rotated_at is null and t.expires_at > now()")
    .select(knex.raw("1"));
}

function digest(secret: string): Buffer {
  return hash("sha256", secret, "buffer");
}
