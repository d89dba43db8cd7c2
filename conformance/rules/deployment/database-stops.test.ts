import { realpathSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

import { create, listAll } from "../../suite/client/api.ts";
import { addKey, addStreamer } from "../../suite/client/operator.ts";
import { sendOnce } from "../../suite/client/send-once.ts";
import type { Reply } from "../../suite/contract/http-request.ts";
import { postgresPids, signalAll, withConnection } from "../../suite/servers/cluster.ts";
import { createDatabase, type Database, databaseUrl } from "../../suite/servers/database.ts";
import { needsOwnProcess, type Process, startIndependent } from "../../suite/servers/start-server.ts";
import { donation, freshKey } from "../../suite/values/donations.ts";
import { remember } from "../../suite/values/redact.ts";
import { target } from "../../suite/values/target.ts";

// A stopped PostgreSQL (SIGSTOP) closes no connection and answers nothing, like a network that drops every packet. Callers must be
// answered soon, 503 still means "not recorded", and afterwards no acknowledged donation is lost or recorded twice.

const stoppedMs = 12_000;
const answeredWithinMs = 5_000;
const readyWithinMs = 2_000;
/** Slack for a busy machine: half a second, and three of the slowest answers before PostgreSQL was stopped. */
const slackMs = (before: Sent[]): number => 500 + 3 * slowest(before);

let database: Database | null = null;
let server: Process | null = null;
let key = "";
let unused = "";

beforeEach(needsOwnProcess);
beforeAll(async () => {
  const { operator } = target();
  if (!operator) return;
  database = await createDatabase(undefined); // embedded, in its own folder: the other database serves the other rules
  const { DATABASE_URL: _, ...env } = operator.env;
  const own = { ...operator, env: { ...env, ...database.env } };
  server = await startIndependent(own, "database-stops");
  await addStreamer(own, "main");
  [key, unused] = (await Promise.all(
    ["default", "second"].map((application) => addKey(own, "main", "write:donations read:donations", application)),
  )) as [string, string];
  remember(key);
  remember(unused);
});
afterAll(async () => {
  signalPostgres("SIGCONT");
  await server?.stop();
  await database?.drop();
});

/** The postmaster and its children. */
function signalPostgres(signal: "SIGSTOP" | "SIGCONT"): void {
  const folder = database?.env.DATA_DIR;
  if (folder) signalAll(postgresPids(realpathSync(join(folder, "postgres"))), signal);
}

type Sent = { idempotencyKey: string; status: number; ms: number };

/** Sends a donation every 50 ms until told to stop; resolves when all are answered. */
async function donateFor(ms: number, using: string): Promise<Sent[]> {
  const sent: Promise<Sent>[] = [];
  for (const end = performance.now() + ms; performance.now() < end; await sleep(50)) sent.push(donate(using));
  return Promise.all(sent);
}

async function donate(using: string): Promise<Sent> {
  const idempotencyKey = freshKey();
  const began = performance.now();
  const { status } = await create(donation({ idempotencyKey, skipAlert: true }), { key: using, server: server?.url });
  return { idempotencyKey, status, ms: performance.now() - began };
}

const ready = async (): Promise<{ status: number; ms: number }> => {
  const began = performance.now();
  const { status }: Reply = await sendOnce({ path: "/readyz", key: null, server: server?.url });
  return { status, ms: performance.now() - began };
};

const statuses = (sent: { status: number }[]): number[] => [...new Set(sent.map(({ status }) => status))].sort();
const slowest = (sent: { ms: number }[]): number => Math.max(...sent.map(({ ms }) => ms));

test("while PostgreSQL is stopped, donations are answered within 5 s and /readyz within 2 s; afterwards none is lost, doubled or there after a 503", async () => {
  const before = await donateFor(1_000, key);
  expect(statuses(before)).toEqual([201]);
  signalPostgres("SIGSTOP");
  const probes: { status: number; ms: number }[] = [];
  const [during, unknownKey] = await Promise.all([
    donateFor(stoppedMs, key),
    donate(unused),
    (async () => {
      for (const end = performance.now() + stoppedMs; performance.now() < end; await sleep(100)) probes.push(await ready());
    })(),
  ]);
  signalPostgres("SIGCONT");
  expect(slowest([...during, unknownKey])).toBeLessThan(answeredWithinMs + slackMs(before));
  expect(slowest(probes)).toBeLessThan(readyWithinMs + slackMs(before));
  expect(statuses(probes.slice(1))).toEqual([503]);
  for (const { status } of [...during, unknownKey]) expect([500, 503]).toContain(status); // 500: the outcome is unknown
  expect(during.filter(({ status }) => status === 503).length).toBeGreaterThan(during.length / 2);

  await expect.poll(async () => (await ready()).status, { interval: 100 }).toBe(200);
  await expect.poll(async () => (await donate(key)).status, { interval: 100 }).toBe(201);
  const after = await donateFor(1_000, key);
  expect(statuses(after)).toEqual([201]);

  const stored = (await listAll({ limit: 100 }, { key, server: server?.url })).map(({ idempotencyKey }) => idempotencyKey);
  expect(new Set(stored).size).toBe(stored.length);
  const sent = [...before, ...during, ...after];
  for (const { idempotencyKey, status } of sent) {
    if (status === 201) expect(stored).toContain(idempotencyKey);
    if (status === 503) expect(stored).not.toContain(idempotencyKey);
  }
});

/** As a database does whose disk is nearly full, or that has become a standby. Open sessions end, and new ones are read-only for good. */
async function setReadOnly(isReadOnly: boolean): Promise<void> {
  await withConnection(await databaseUrl(database?.env ?? {}), async (client) => {
    await client.query("set default_transaction_read_only = off");
    await client.query(`alter database postgres set default_transaction_read_only = ${isReadOnly ? "on" : "off"}`);
    if (isReadOnly) await client.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'donations%'");
  });
}

test("while the database is read-only, donations and /readyz are answered 503; afterwards both go on without a restart", async () => {
  await setReadOnly(true);
  try {
    await expect.poll(async () => (await ready()).status, { interval: 100 }).toBe(503);
    await expect.poll(async () => (await donate(key)).status, { interval: 100 }).toBe(503);
    expect(statuses(await donateFor(1_000, key))).toEqual([503]);
  } finally {
    await setReadOnly(false);
  }
  await expect.poll(async () => (await ready()).status, { interval: 100 }).toBe(200);
  await expect.poll(async () => (await donate(key)).status, { interval: 100 }).toBe(201);
  expect(statuses(await donateFor(1_000, key))).toEqual([201]);
});
