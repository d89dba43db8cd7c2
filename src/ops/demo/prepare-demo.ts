// Prepares the demo streamer of `make start`, with keys, an overlay and a command line to try.

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Knex } from "knex";
import { apiKeyStore } from "../../auth/api-keys.ts";
import { type KeyKind, randomBase62, readKey } from "../../auth/keys.ts";
import { defaultOverlayKeyName, overlayKeyStore } from "../../auth/overlay-keys.ts";
import type { Config } from "../../config.ts";
import type { Database } from "../../db/database.ts";
import { type Streamer, streamerStore } from "../../donations/streamers.ts";
import type { Scope } from "../../http/operations.ts";
import { passwordStore } from "../../oauth/accounts/passwords.ts";
import { chooseSpeaker, howToSpeak } from "../../speech/choose-speaker.ts";

export const demoHandle = "demo";
/** Every scope but the moderators', who have keys of their own. A new scope of the contract does not compile until it stands here. */
const demoScopes = {
  "write:donations": true,
  "void:donations": true,
  "erase:donators": true,
  "read:donations": true,
  "write:alerts": true,
  "read:alerts": true,
  "write:webhooks": true,
} satisfies Record<Exclude<Scope, "moderate:alerts">, true>;
const scopes = Object.keys(demoScopes) as Scope[];

type DemoSecrets = Partial<Record<"apiKey" | "overlayKey" | "password", string>>;
type Demo = { streamer: Streamer; stored: DemoSecrets; config: Config; knex: Knex };

/**
 * Creates the demo streamer with keys and a password at the first start, stores them in DATA_DIR/demo.json (0600), and returns the text to print.
 * Keys and passwords that were changed later, in the studio or by the command line, are left unchanged.
 */
export async function prepareDemo(config: Config, { knex }: Database): Promise<string> {
  await mkdir(config.dataDir, { recursive: true }); // with DATABASE_URL the folder may not exist; created first, because keys that cannot be stored would be lost
  const speech = describeSpeech(config);
  const streamers = streamerStore(knex);
  const streamer = await streamers.require(demoHandle).catch(() => streamers.create(demoHandle));
  const file = join(config.dataDir, "demo.json");
  const stored: DemoSecrets = (await readFile(file, "utf8").then(JSON.parse, () => null)) ?? {};
  const demo = { streamer, stored, config, knex };
  const secrets = { apiKey: await ensureApiKey(demo), overlayKey: await ensureOverlayKey(demo), password: await ensurePassword(demo) };
  const changed = (Object.keys(secrets) as (keyof DemoSecrets)[]).some((name) => secrets[name] !== stored[name]);
  if (changed) await writeFile(file, `${JSON.stringify({ streamer: demoHandle, ...secrets }, null, 2)}\n`, { mode: 0o600 });
  return greeting(config.baseUrl, secrets) + (await speech);
}

async function ensureApiKey({ streamer, stored, config, knex }: Demo): Promise<string> {
  const keys = apiKeyStore(knex, config.brand);
  if (await isValid(stored.apiKey, config.brand, "v1", keys.find)) return stored.apiKey as string;
  return keys.create({ streamerId: streamer.id, application: "default", name: "demo", scopes });
}

/** Returns undefined when the streamer has revoked it and has other overlay keys. */
async function ensureOverlayKey({ streamer, stored, config, knex }: Demo): Promise<string | undefined> {
  const keys = overlayKeyStore(knex, config.brand);
  if (await isValid(stored.overlayKey, config.brand, "o1", keys.find)) return stored.overlayKey;
  return (await keys.list(streamer.id)).length === 0 ? keys.create(streamer.id, defaultOverlayKeyName) : undefined;
}

/** Returns undefined when the streamer has set another password. */
async function ensurePassword({ streamer, stored, knex }: Demo): Promise<string | undefined> {
  const passwords = passwordStore(knex);
  if (stored.password && (await passwords.verifyPassword(demoHandle, stored.password)) !== null) return stored.password;
  if (await passwords.hasPassword(streamer.id)) return undefined;
  const password = randomBase62(12);
  await passwords.setPassword(streamer.id, password);
  return password;
}

type Find = (publicId: string) => Promise<{ secret_hash: Buffer; revoked_at: Date | null } | undefined>;

async function isValid(key: string | undefined, brand: string, kind: KeyKind, find: Find): Promise<boolean> {
  const parts = key === undefined ? null : readKey(brand, kind, key);
  if (!parts) return false;
  const row = await find(parts.publicId);
  return row?.revoked_at === null && parts.hash.equals(row.secret_hash);
}

function greeting(baseUrl: string, { apiKey, overlayKey, password }: DemoSecrets & { apiKey: string }): string {
  const studio = `${baseUrl}/studio  (${demoHandle}${password ? `, password ${password}` : ""})`;
  const overlay = overlayKey ? `${baseUrl}/overlay/#${overlayKey}` : "its link was revoked: make a new one in the studio";
  const parts = [
    ["Open the overlay, here or as a browser source in OBS:", overlay],
    ["Record a donation:", curlLine(baseUrl, apiKey)],
    ["Run the alerts in the studio:", studio],
    ["Write a program that records donations:", `${baseUrl}/docs/quickstart`],
  ];
  return `\n\n${parts.map(([title, text]) => `${title}\n\n${text}\n`).join("\n")}`;
}

async function describeSpeech({ tts }: Config): Promise<string> {
  if (!tts) return "\nAlerts are not spoken: TTS=off.\n";
  const speaker = await chooseSpeaker(tts).catch(() => null);
  if (!speaker) return `\nAlerts are not spoken, because there is no speech engine: ${howToSpeak}\n`;
  const advice = speaker.isFallback
    ? ", whose Thai sounds like a robot. For a natural voice set TTS_ENGINE: docs/operations/speech.md"
    : "";
  return `\nAlerts are spoken by ${speaker.name}${advice}.\n`;
}

/** The command line that records a donation. Because of its idempotency key a second run is answered 200 with the same donation. */
function curlLine(baseUrl: string, apiKey: string): string {
  const donation = { donatorName: "สมชาย ใจดี", amount: 123.45, message: "ขอบคุณสำหรับสตรีมครับ", idempotencyKey: `demo-${Date.now()}` };
  return `curl -i ${baseUrl}/api/v1/donations -H 'Authorization: Bearer ${apiKey}' -H 'Content-Type: application/json' -d '${JSON.stringify(donation)}'`;
}
