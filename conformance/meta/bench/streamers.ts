// Streamers of a bench, and donations to them.

import { hash, randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { uuidv7 } from "uuidv7";
import { base62, publicLength, secretLength, withChecksum } from "../../suite/servers/key-form.ts";
import type { EmptySetting } from "./setting.ts";
import { send } from "./timed.ts";

/** Donations that the bench has under way at once. */
const maxUnderWay = 48;

/** Streamers with a key each, by SQL: the command line would take a second for each. */
export async function seedKeys({ client }: EmptySetting, count: number, scopes: readonly string[]): Promise<string[]> {
  const made = Array.from({ length: count }, (_, index) => ({
    id: uuidv7(),
    application: uuidv7(),
    handle: `bench-${index}`,
    ...newApiKey(),
  }));
  const column = (name: "id" | "application" | "handle" | "publicId") => made.map((one) => one[name]);
  await client.query(
    `with made as (insert into streamers (id) select unnest($1::uuid[]))
     insert into streamer_handles (streamer_id, handle) select * from unnest($1::uuid[], $2::text[])`,
    [column("id"), column("handle")],
  );
  await client.query(
    "insert into applications (id, streamer_id, name) select a, s, 'default' from unnest($1::uuid[], $2::uuid[]) as t(a, s)",
    [column("application"), column("id")],
  );
  await client.query(
    `insert into api_keys (id, streamer_id, application_id, public_id, secret_hash, name, scopes)
     select *, 'bench', $6::text[] from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::bytea[])`,
    [
      made.map(() => uuidv7()),
      column("id"),
      column("application"),
      column("publicId"),
      made.map(({ key }) => hash("sha256", key, "buffer")),
      scopes,
    ],
  );
  return made.map(({ key }) => key);
}

/**
 * Records donations, to one streamer after the other, at the rate or as fast as they are answered. Resolves to when each was answered, by its
 * id: milliseconds of `performance.now`.
 */
export async function donateTo(
  url: string,
  keys: readonly string[],
  { rate, seconds }: { rate: number; seconds: number },
): Promise<{ answered: Map<string, number>; seconds: number }> {
  const json = JSON.stringify({ donatorName: "สมชาย", amount: 100, message: "ขอบคุณสำหรับสตรีมครับ", skipAlert: true });
  const answered = new Map<string, number>();
  const began = performance.now();
  let number = 0;
  const writer = async () => {
    for (;;) {
      const own = number++;
      const due = began + (own * 1_000) / rate;
      if (due - began >= seconds * 1_000 || performance.now() - began >= seconds * 1_000) return;
      if (due > performance.now()) await sleep(due - performance.now());
      const { status, body } = await send(`${url}/api/v1/donations`, keys[own % keys.length] as string, json);
      const at = performance.now();
      if (status !== 201) throw new Error(`a donation was answered ${status}: ${body}`);
      answered.set((JSON.parse(body.toString("utf8")) as { data: { id: string } }).data.id, at);
    }
  };
  await Promise.all(Array.from({ length: maxUnderWay }, writer));
  const took = (performance.now() - began) / 1_000;
  return { answered, seconds: took };
}

type NewKey = { key: string; publicId: string };

export const newOverlayKey = (): NewKey => newKey("o1");

const newApiKey = (): NewKey => newKey("v1");

function newKey(kind: "o1" | "v1"): NewKey {
  const random = (length: number) => Array.from({ length }, () => base62[randomInt(base62.length)]).join("");
  const publicId = random(publicLength);
  return { key: withChecksum(`namjai_${kind}_${publicId}${random(secretLength)}`), publicId };
}
