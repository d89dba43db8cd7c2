// What `make start` adds for somebody who has just cloned the project: a demo streamer with keys, an overlay, and a line to try.

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Knex } from "knex";
import { type Streamer, streamerStore } from "../account/streamers.ts";
import { apiKeyStore } from "../auth/api-keys.ts";
import { type KeyKind, randomBase62, readKey } from "../auth/key-text.ts";
import { overlayKeyStore } from "../auth/overlay-keys.ts";
import type { Config } from "../config.ts";
import type { Database } from "../db/database.ts";
import { passwordStore } from "../oauth/passwords.ts";

export const demoHandle = "demo";
const scopes = ["write:donations", "read:donations", "write:alerts", "read:alerts"] as const;

type Kept = Partial<Record<"apiKey" | "overlayKey" | "password", string>>;
type Demo = { streamer: Streamer; kept: Kept; config: Config; knex: Knex };

/**
 * Makes the demo streamer with keys and a password at the first start, keeps them in DATA_DIR/demo.json (0600), and returns what to
 * print. What somebody has changed since, in the studio or by the command line, is left alone.
 */
export async function prepareDemo(config: Config, { knex }: Database): Promise<string> {
  await mkdir(config.dataDir, { recursive: true }); // with DATABASE_URL nobody has made it; before keys that could not be kept
  const streamers = streamerStore(knex);
  const streamer = await streamers.require(demoHandle).catch(() => streamers.create(demoHandle));
  const file = join(config.dataDir, "demo.json");
  const kept: Kept = (await readFile(file, "utf8").then(JSON.parse, () => null)) ?? {};
  const demo = { streamer, kept, config, knex };
  const now = { apiKey: await apiKeyOf(demo), overlayKey: await overlayKeyOf(demo), password: await passwordOf(demo) };
  const changed = (Object.keys(now) as (keyof Kept)[]).some((name) => now[name] !== kept[name]);
  if (changed) await writeFile(file, `${JSON.stringify({ streamer: demoHandle, ...now }, null, 2)}\n`, { mode: 0o600 });
  return greeting(config.baseUrl, now);
}

async function apiKeyOf({ streamer, kept, config, knex }: Demo): Promise<string> {
  const keys = apiKeyStore(knex, config.brand);
  if (await isGood(kept.apiKey, config.brand, "v1", keys.find)) return kept.apiKey as string;
  return keys.create({ streamerId: streamer.id, application: "default", name: "demo", scopes });
}

/** Undefined: there is another one, made since, which must go on working. */
async function overlayKeyOf({ streamer, kept, config, knex }: Demo): Promise<string | undefined> {
  const keys = overlayKeyStore(knex, config.brand);
  if (await isGood(kept.overlayKey, config.brand, "o1", keys.find)) return kept.overlayKey;
  return (await keys.madeAt(streamer.id)) === null ? keys.replace(streamer.id) : undefined;
}

/** Undefined: somebody has set another one. */
async function passwordOf({ streamer, kept, knex }: Demo): Promise<string | undefined> {
  const passwords = passwordStore(knex);
  if (kept.password) return (await passwords.verifyPassword(demoHandle, kept.password)) === null ? undefined : kept.password;
  if (await passwords.hasPassword(streamer.id)) return undefined;
  const password = randomBase62(12);
  await passwords.setPassword(streamer.id, password);
  return password;
}

type Find = (publicId: string) => Promise<{ secret_hash: Buffer; revoked_at: Date | null } | undefined>;

async function isGood(key: string | undefined, brand: string, kind: KeyKind, find: Find): Promise<boolean> {
  const parts = key === undefined ? null : readKey(brand, kind, key);
  if (!parts) return false;
  const row = await find(parts.publicId);
  return row?.revoked_at === null && parts.hash.equals(row.secret_hash);
}

function greeting(baseUrl: string, { apiKey, overlayKey, password }: Kept & { apiKey: string }): string {
  const studio = `${baseUrl}/studio  (${demoHandle}${password ? `, password ${password}` : ""})`;
  const overlay = overlayKey ? `${baseUrl}/overlay/#${overlayKey}` : "its link was replaced: make a new one in the studio";
  const parts = [
    ["Open the overlay, here or as a browser source in OBS:", overlay],
    ["Record a donation:", curlLine(baseUrl, apiKey)],
    ["Run the alerts in the studio:", studio],
    ["Write a program that records donations:", `${baseUrl}/docs/quickstart`],
  ];
  return `\n\n${parts.map(([title, text]) => `${title}\n\n${text}\n`).join("\n")}`;
}

/** One line for a shell. The idempotency key makes a second run answer 200 with the same donation. */
function curlLine(baseUrl: string, apiKey: string): string {
  const donation = { donatorName: "สมชาย ใจดี", amount: 123.45, message: "ขอบคุณสำหรับสตรีมครับ", idempotencyKey: `demo-${Date.now()}` };
  return `curl -i ${baseUrl}/api/v1/donations -H 'Authorization: Bearer ${apiKey}' -H 'Content-Type: application/json' -d '${JSON.stringify(donation)}'`;
}
