import { randomUUID } from "node:crypto";
import { remember } from "../harness/client/secrets.ts";
import { addKey, addOverlayKey, addStreamer } from "../harness/server/operator.ts";
import type { Operator } from "../harness/server/target.ts";

/** A streamer created for one test, on the server at `url`. */
export type LiveStreamer = {
  operator: Operator;
  url: string;
  /** Overlay key. */
  key: string;
  /** Credential with which the test posts donations and controls alerts. */
  as: { key: string; server: string };
};

const scopes = "write:donations void:donations erase:donators read:donations write:alerts read:alerts write:webhooks";

export async function createLiveStreamer({ env }: Operator, url: string): Promise<LiveStreamer> {
  const operator = { env, handle: `s${randomUUID().slice(0, 8)}` };
  await addStreamer(operator, operator.handle);
  const [apiKey, key] = await Promise.all([addKey(operator, operator.handle, scopes), addOverlayKey(operator, operator.handle)]);
  remember(apiKey, key);
  return { operator, url, key, as: { key: apiKey, server: url } };
}
