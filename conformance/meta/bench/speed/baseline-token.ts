// The baseline's token endpoint: the refresh grant in one transaction, rotating, with an ES256 access token, as RFC 6749 and RFC 9700 ask.

import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { generateKeyPair, SignJWT } from "jose";
import type pg from "pg";

type TokenRequest = { grant_type: string; refresh_token: string; client_id: string; client_secret: string };

export const tokenTables = `
  drop table if exists baseline_refresh_tokens, baseline_clients;
  create table baseline_clients (id text primary key, secret_hash bytea not null);
  create table baseline_refresh_tokens (
    hash bytea primary key, client_id text not null, grant_id uuid not null, account_id int not null, scope text not null,
    used_at timestamptz, expires_at timestamptz not null);
  create index on baseline_refresh_tokens (grant_id)`;

/** Adds `POST /oauth/token`. */
export async function addToken(app: FastifyInstance, pool: pg.Pool): Promise<void> {
  const { privateKey } = await generateKeyPair("ES256");
  app.post<{ Body: TokenRequest }>("/oauth/token", async ({ body }, reply) => {
    const connection = await pool.connect();
    try {
      await connection.query("begin");
      const answer = await refresh(connection, body);
      await connection.query("commit");
      if (!answer) return reply.code(400).send({ error: "invalid_grant" });
      const accessToken = await new SignJWT({ client_id: body.client_id, scope: answer.scope })
        .setProtectedHeader({ alg: "ES256", typ: "at+jwt" })
        .setIssuer("baseline")
        .setSubject(String(answer.account))
        .setJti(randomBytes(16).toString("hex"))
        .setIssuedAt()
        .setExpirationTime("1h")
        .sign(privateKey);
      return reply.header("cache-control", "no-store").send({
        access_token: accessToken,
        token_type: "Bearer",
        expires_in: 3_600,
        refresh_token: answer.refreshToken,
        scope: answer.scope,
      });
    } catch (error) {
      await connection.query("rollback");
      throw error;
    } finally {
      connection.release();
    }
  });
}

async function refresh(connection: pg.PoolClient, { client_id, client_secret, refresh_token }: TokenRequest) {
  const { rows: clients } = await connection.query({
    name: "client",
    text: "select secret_hash from baseline_clients where id = $1",
    values: [client_id],
  });
  const secretHash = hash("sha256", client_secret, "buffer");
  if (!clients[0] || !timingSafeEqual(clients[0].secret_hash, secretHash)) return null;
  const { rows: used } = await connection.query({
    name: "use",
    text: `update baseline_refresh_tokens set used_at = now()
      where hash = $1 and client_id = $2 and used_at is null and expires_at > now() returning grant_id, account_id, scope`,
    values: [hash("sha256", refresh_token, "buffer"), client_id],
  });
  if (!used[0]) return null;
  const refreshToken = randomBytes(32).toString("base64url");
  await connection.query({
    name: "successor",
    text: `insert into baseline_refresh_tokens (hash, client_id, grant_id, account_id, scope, expires_at)
      values ($1, $2, $3, $4, $5, now() + interval '90 days')`,
    values: [hash("sha256", refreshToken, "buffer"), client_id, used[0].grant_id, used[0].account_id, used[0].scope],
  });
  return { refreshToken, account: used[0].account_id as number, scope: used[0].scope as string };
}
