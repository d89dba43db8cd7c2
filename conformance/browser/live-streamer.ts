import { randomUUID } from "node:crypto";
import { remember } from "../harness/client/secrets.ts";
import { addKey, addOverlayKey, addStreamer } from "../harness/server/operator.ts";
import type { Operator } from "../harness/server/target.ts";

/** A streamer of a test's own with alerts on a real server, at `url`. */
export type LiveStreamer = {
  operator: Operator;
  url: string;
  /** Of the overlay. */
  key: string;
  /** Who posts donations and controls alerts. */
  as: { key: string; server: string };
};

const scopes = "write:donations read:donations write:alerts read:alerts";

export async function newLiveStreamer({ env }: Operator, url: string): Promise<LiveStreamer> {
  const operator = { env, handle: `s${randomUUID().slice(0, 8)}` };
  await addStreamer(operator, operator.handle);
  const [apiKey, key] = await Promise.all([addKey(operator, operator.handle, scopes), addOverlayKey(operator, operator.handle)]);
  remember(apiKey, key);
  return { operator, url, key, as: { key: apiKey, server: url } };
}
