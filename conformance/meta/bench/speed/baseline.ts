// The server that ours is compared with, as a competent engineer writes it by hand: Fastify with its compiled validation, one JWT check and one insert per
// request (donation and outbox row in one statement, idempotent by key), a pool of 20. It answers after commit, as ours does, and does
// less: no problem+json, no limits, no log, no report rows, no exact calendar. It must not be made slower.
//   DATABASE_URL=postgres://… PORT=4100 node baseline.ts     prints "token <jwt> <API key>" once it listens

import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import Fastify, { type FastifyInstance } from "fastify";
import { generateKeyPair, jwtVerify, SignJWT } from "jose";
import pg from "pg";
import { addReads, answerOf, type DonationRow, insert, replay, tables } from "./baseline-donations.ts";

type Donation = {
  donatorName: string;
  amount: number;
  currency: string;
  message: string;
  identifier?: string;
  idempotencyKey?: string;
  skipAlert: boolean;
  createdAt?: string;
};

type TokenRequest = { grant_type: string; refresh_token: string; client_id: string; client_secret: string };

const tokenTables = `
  drop table if exists baseline_refresh_tokens, baseline_clients;
  create table baseline_clients (id text primary key, secret_hash bytea not null);
  create table baseline_refresh_tokens (
    hash bytea primary key, client_id text not null, grant_id uuid not null, account_id int not null, scope text not null,
    used_at timestamptz, expires_at timestamptz not null);
  create index on baseline_refresh_tokens (grant_id)`;

const secret = randomBytes(32);

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 20 });

await pool.query(tables);

await pool.query(tokenTables);

const text = (maxLength: number, minLength = 0) => ({ type: "string", minLength, maxLength });

const body = {
  type: "object",
  additionalProperties: false,
  required: ["donatorName", "amount"],
  properties: {
    donatorName: text(50, 1),
    amount: { type: "number", exclusiveMinimum: 0, maximum: 1_000_000 },
    currency: { type: "string", enum: ["THB"], default: "THB" },
    message: { ...text(255), default: "" },
    identifier: text(120),
    idempotencyKey: text(120, 1),
    skipAlert: { type: "boolean", default: false },
    createdAt: { type: "string", format: "date-time" },
  },
};

const apiKey = `key_${randomBytes(24).toString("base64url")}`;

const keys = new Map([[hash("sha256", apiKey), "write:donations read:donations"]]);

/** The scopes of a credential; throws for an unknown one. */
async function scopesOf(credential: string): Promise<string> {
  if (!credential.startsWith("key_")) return (await jwtVerify(credential, secret, { issuer: "baseline" })).payload.scope as string;
  const scopes = keys.get(hash("sha256", credential));
  if (!scopes) throw new Error("no such key");
  return scopes;
}

const app = Fastify();

await app.register(async (api) => {
  api.decorateRequest("scopes", "");
  api.addHook("onRequest", async (request, reply) => {
    try {
      request.scopes = await scopesOf((request.headers.authorization ?? "").slice(7));
    } catch {
      return reply.code(401).send({ code: "invalid_token" });
    }
    const needed = request.method === "POST" ? "write:donations" : "read:donations";
    if (!request.scopes.split(" ").includes(needed)) return reply.code(403).send({ code: "insufficient_scope" });
  });
  addReads(api, pool);
  api.post<{ Body: Donation }>("/api/v1/donations", { schema: { body } }, async ({ body: d }, reply) => {
    const values = [d.donatorName, d.amount, d.message, d.identifier ?? null, d.idempotencyKey ?? null, d.skipAlert, d.createdAt ?? null];
    const [created] = (await pool.query<DonationRow>(insert, values)).rows;
    if (created) return reply.code(201).send({ data: answerOf(created) });
    const [stored] = (await pool.query<DonationRow>(replay, [d.idempotencyKey])).rows;
    return reply.code(200).send({ data: answerOf(stored as DonationRow) });
  });
});

await addToken(app, pool);

const token = await new SignJWT({ scope: "write:donations read:donations" })
  .setProtectedHeader({ alg: "HS256" })
  .setIssuer("baseline")
  .setExpirationTime("12h")
  .sign(secret);

await app.listen({ host: "127.0.0.1", port: Number(process.env.PORT) });

console.log(`token ${token} ${apiKey}`);

process.on("SIGTERM", () => process.exit(0));

// Its token endpoint: the refresh grant in one transaction, rotating, with an ES256 access token, as RFC 6749 and RFC 9700 ask.

/** Adds `POST /oauth/token`. */
async function addToken(app: FastifyInstance, pool: pg.Pool): Promise<void> {
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
