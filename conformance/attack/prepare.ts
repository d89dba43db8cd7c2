// Streamers and keys of the arena, and a history whose export is larger than what the system buffers.

import { randomBytes } from "node:crypto";
import pg from "pg";

import { prepareWords, seed } from "../bench/seed.ts";
import { databaseUrl } from "../harness/server/database.ts";
import { addKey, addStreamer } from "../harness/server/operator.ts";
import type { Operator } from "../harness/server/target.ts";
import type { Arena } from "./arena.ts";

const rows = 150_000;
const all = "write:donations read:donations write:alerts read:alerts";

/** `url`: of a server on the operator's database. */
export async function prepareArena(operator: Operator, url: string): Promise<Arena> {
  const run = randomBytes(4).toString("hex");
  const [attacked, neighbour, large] = ["attacked", "neighbour", "large"].map((name) => `${name}-${run}`) as [string, string, string];
  await Promise.all([attacked, neighbour, large].map((handle) => addStreamer(operator, handle)));
  const keys = {
    attacker: await addKey(operator, attacked, "read:donations"),
    neighbour: await addKey(operator, neighbour, all),
    large: await addKey(operator, large, all),
  };
  const client = new pg.Client({ connectionString: await databaseUrl(operator.env) });
  await client.connect();
  try {
    await prepareWords(client);
    await seed(client, { handle: large, rows });
  } finally {
    await client.end();
  }
  return { url, port: Number(new URL(url).port), keys };
}
