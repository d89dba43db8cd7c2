// A streamer of one browser test, on a running server.

import { randomUUID } from "node:crypto";
import { addStreamerWithKeys } from "../../suite/client/operator.ts";
import { remember } from "../../suite/values/redact.ts";
import type { Operator } from "../../suite/values/target.ts";

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
  const { key, overlayKey } = await addStreamerWithKeys(operator, operator.handle, scopes);
  remember(key, overlayKey);
  return { operator, url, key: overlayKey, as: { key, server: url } };
}
