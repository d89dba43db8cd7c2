// What `make start` adds for somebody who has just cloned the project: a demo streamer with a key, and a line to try.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { streamerStore } from "./account/streamers.ts";
import { readApiKey } from "./auth/api-key.ts";
import { apiKeyStore } from "./auth/api-keys.ts";
import type { Config } from "./config.ts";
import type { Database } from "./db/database.ts";

export const demoHandle = "demo";
const scopes = ["write:donations", "read:donations", "write:alerts", "read:alerts"] as const;

/** Makes the demo streamer and its key at the first start, keeps them in DATA_DIR/demo.json (0600), and returns what to print. */
export async function prepareDemo(config: Config, { knex }: Database): Promise<string> {
  const apiKeys = apiKeyStore(knex, config.brand);
  const file = join(config.dataDir, "demo.json");
  const apiKey = (await keptKey(file, config.brand, apiKeys)) ?? (await newKey(file, knex, apiKeys));
  return `\n\nRecord a donation:\n\n${curlLine(config.baseUrl, apiKey)}\n`;
}

async function keptKey(file: string, brand: string, apiKeys: ReturnType<typeof apiKeyStore>): Promise<string | null> {
  const kept = await readFile(file, "utf8").then(JSON.parse, () => null);
  const parts = typeof kept?.apiKey === "string" ? readApiKey(brand, kept.apiKey) : null;
  const row = parts && (await apiKeys.find(parts.publicId));
  return row && parts.hash.equals(row.secret_hash) && row.revoked_at === null ? kept.apiKey : null;
}

async function newKey(file: string, knex: Database["knex"], apiKeys: ReturnType<typeof apiKeyStore>): Promise<string> {
  const streamers = streamerStore(knex);
  const streamer = await streamers.require(demoHandle).catch(() => streamers.create(demoHandle));
  const apiKey = await apiKeys.create({ streamerId: streamer.id, application: "default", name: "demo", scopes });
  await writeFile(file, `${JSON.stringify({ streamer: demoHandle, apiKey }, null, 2)}\n`, { mode: 0o600 });
  return apiKey;
}

/** One line for a shell. The idempotency key makes a second run answer 200 with the same donation. */
function curlLine(baseUrl: string, apiKey: string): string {
  const donation = { donatorName: "สมชาย ใจดี", amount: 123.45, message: "ขอบคุณสำหรับสตรีมครับ", idempotencyKey: `demo-${Date.now()}` };
  return `curl -i ${baseUrl}/api/v1/donations -H 'Authorization: Bearer ${apiKey}' -H 'Content-Type: application/json' -d '${JSON.stringify(donation)}'`;
}
