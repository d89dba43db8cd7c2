// Creates the streamers and keys for the attacks, and a history whose export is larger than the operating system's socket buffers.

import { randomBytes } from "node:crypto";
import pg from "pg";

import { prepareWords, seed } from "../meta/bench/seed.ts";
import { addKey, addOverlayKey, addStreamer, setPassword } from "../suite/client/operator.ts";
import { databaseUrl } from "../suite/servers/database.ts";
import type { Process } from "../suite/servers/start-server.ts";
import type { Operator } from "../suite/values/target.ts";
import type { AttackedServer } from "./attack.ts";

const donationCount = 150_000;
const allScopes = "write:donations void:donations erase:donators read:donations write:alerts read:alerts write:webhooks";

/** Prepares a server that runs on the operator's database. */
export async function prepareAttackedServer(operator: Operator, { url, pid }: Process): Promise<AttackedServer> {
  const run = randomBytes(4).toString("hex");
  const named = (name: string): string => `${name}-${run}`;
  const [attacked, regular, large, uploader] = [named("attacked"), named("regular"), named("large"), named("uploader")];
  await Promise.all([attacked, regular, large, uploader].map((handle) => addStreamer(operator, handle)));
  const keys = {
    attacker: await addKey(operator, attacked, "read:donations"),
    regularClient: await addKey(operator, regular, allScopes),
    largeHistory: await addKey(operator, large, allScopes),
    uploader: await addKey(operator, uploader, allScopes),
    uploaderOverlay: await addOverlayKey(operator, uploader),
  };
  const uploaderLogin = { handle: uploader, password: randomBytes(16).toString("hex") };
  await setPassword(operator, uploader, uploaderLogin.password);
  const client = new pg.Client({ connectionString: await databaseUrl(operator.env) });
  await client.connect();
  try {
    await prepareWords(client);
    await seed(client, { handle: large, rows: donationCount });
  } finally {
    await client.end();
  }
  return { url, port: Number(new URL(url).port), pid, keys, uploaderLogin };
}
