// The server to beat, as a competent engineer writes it by hand: Fastify with its compiled validation, one JWT check and one insert per
// request (donation and outbox row in one statement, idempotent by key), a pool of 20. It answers after commit, as ours does, and does
// less: no problem+json, no limits, no log, no report rows, no exact calendar. Not to be slowed down.
//   DATABASE_URL=postgres://… PORT=4100 node baseline.ts     prints "token <jwt>" once it listens

import { randomBytes } from "node:crypto";
import Fastify from "fastify";
import { jwtVerify, SignJWT } from "jose";
import pg from "pg";
import { insert, replay, tables } from "./baseline-sql.ts";

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

type Row = {
  id: string;
  donator_name: string;
  amount: string;
  message: string;
  identifier: string | null;
  idempotency_key: string | null;
  skip_alert: boolean;
  created_at: Date;
  received_at: Date;
};

const secret = randomBytes(32);
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 20 });
await pool.query(tables);

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
const answer = (row: Row) => ({
  data: {
    id: String(row.id),
    donatorName: row.donator_name,
    amount: Number(row.amount),
    currency: "THB",
    message: row.message,
    identifier: row.identifier,
    idempotencyKey: row.idempotency_key,
    skipAlert: row.skip_alert,
    createdAt: row.created_at.toISOString(),
    receivedAt: row.received_at.toISOString(),
  },
});

const app = Fastify();
app.addHook("onRequest", async (request, reply) => {
  try {
    const { payload } = await jwtVerify((request.headers.authorization ?? "").slice(7), secret, { issuer: "baseline" });
    if (!(payload.scope as string).split(" ").includes("write:donations")) return reply.code(403).send({ code: "insufficient_scope" });
  } catch {
    return reply.code(401).send({ code: "invalid_token" });
  }
});
app.post<{ Body: Donation }>("/api/v1/donations", { schema: { body } }, async ({ body: d }, reply) => {
  const values = [d.donatorName, d.amount, d.message, d.identifier ?? null, d.idempotencyKey ?? null, d.skipAlert, d.createdAt ?? null];
  const [created] = (await pool.query<Row>(insert, values)).rows;
  if (created) return reply.code(201).send(answer(created));
  const [stored] = (await pool.query<Row>(replay, [d.idempotencyKey])).rows;
  return reply.code(200).send(answer(stored as Row));
});

const token = await new SignJWT({ scope: "write:donations" })
  .setProtectedHeader({ alg: "HS256" })
  .setIssuer("baseline")
  .setExpirationTime("12h")
  .sign(secret);
await app.listen({ host: "127.0.0.1", port: Number(process.env.PORT) });
console.log(`token ${token}`);
process.on("SIGTERM", () => process.exit(0));
