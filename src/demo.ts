// What `make start` adds for somebody who has just cloned the project: a demo streamer with keys, an overlay, and a line to try.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Streamer, streamerStore } from "./account/streamers.ts";
import { apiKeyStore } from "./auth/api-keys.ts";
import { type KeyKind, type KeyParts, readKey } from "./auth/key.ts";
import { overlayKeyStore } from "./auth/overlay-keys.ts";
import type { Config } from "./config.ts";
import type { Database } from "./db/database.ts";

export const demoHandle = "demo";
const scopes = ["write:donations", "read:donations", "write:alerts", "read:alerts"] as const;

type StoredKey = { secret_hash: Buffer; revoked_at: Date | null };
type Kind = { kind: KeyKind; find: (publicId: string) => Promise<StoredKey | undefined>; make: (streamer: Streamer) => Promise<string> };

/** Makes the demo streamer and its keys at the first start, keeps them in DATA_DIR/demo.json (0600), and returns what to print. */
export async function prepareDemo({ brand, baseUrl, dataDir }: Config, { knex }: Database): Promise<string> {
  const streamers = streamerStore(knex);
  const streamer = await streamers.require(demoHandle).catch(() => streamers.create(demoHandle));
  const apiKeys = apiKeyStore(knex, brand);
  const overlayKeys = overlayKeyStore(knex, brand);
  const file = join(dataDir, "demo.json");
  const kept = (await readFile(file, "utf8").then(JSON.parse, () => null)) ?? {};
  const keep = async (text: unknown, { kind, find, make }: Kind): Promise<string> => {
    const parts = typeof text === "string" ? readKey(brand, kind, text) : null;
    const row = parts && (await find(parts.publicId));
    return row && isGood(row, parts) ? (text as string) : make(streamer);
  };
  const apiKey = await keep(kept.apiKey, {
    kind: "v1",
    find: apiKeys.find,
    make: ({ id }) => apiKeys.create({ streamerId: id, application: "default", name: "demo", scopes }),
  });
  const overlayKey = await keep(kept.overlayKey, { kind: "o1", find: overlayKeys.find, make: ({ id }) => overlayKeys.replace(id) });
  if (apiKey !== kept.apiKey || overlayKey !== kept.overlayKey)
    await writeFile(file, `${JSON.stringify({ streamer: demoHandle, apiKey, overlayKey }, null, 2)}\n`, { mode: 0o600 });
  return `\n\nOpen the overlay, here or as a browser source in OBS:\n\n${baseUrl}/overlay/#${overlayKey}\n\nRecord a donation:\n\n${curlLine(baseUrl, apiKey)}\n`;
}

function isGood({ secret_hash, revoked_at }: StoredKey, { hash }: KeyParts): boolean {
  return hash.equals(secret_hash) && revoked_at === null;
}

/** One line for a shell. The idempotency key makes a second run answer 200 with the same donation. */
function curlLine(baseUrl: string, apiKey: string): string {
  const donation = { donatorName: "สมชาย ใจดี", amount: 123.45, message: "ขอบคุณสำหรับสตรีมครับ", idempotencyKey: `demo-${Date.now()}` };
  return `curl -i ${baseUrl}/api/v1/donations -H 'Authorization: Bearer ${apiKey}' -H 'Content-Type: application/json' -d '${JSON.stringify(donation)}'`;
}
