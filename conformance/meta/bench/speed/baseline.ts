// The server that ours is compared with, as a competent engineer writes it by hand: Fastify with its compiled validation, one JWT check and one insert per
// request (donation and outbox row in one statement, idempotent by key), a pool of 20. It answers after commit, as ours does, and does
// less: no problem+json, no limits, no log, no report rows, no exact calendar. It must not be made slower.
//   DATABASE_URL=postgres://… PORT=4100 node baseline.ts     prints "token <jwt> <API key>" once it listens

import { hash, randomBytes } from "node:crypto";
import Fastify from "fastify";
import { jwtVerify, SignJWT } from "jose";
import pg from "pg";
import { addReads, answerOf, type DonationRow } from "./baseline-reads.ts";
import { insert, replay, tables } from "./baseline-sql.ts";
import { addToken, tokenTables } from "./baseline-token.ts";

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
