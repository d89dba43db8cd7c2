import { appendFileSync, existsSync, readFileSync } from "node:fs";

import type { Reply } from "../client/http-client.ts";
import type { Effect } from "./effects.ts";
import type { ProtectedStreamer } from "./protection.ts";

// Knows which donations are the suite's own. Those with an alert are written to a file, for the next run after a crash.

const known = new Map<string, Set<string>>();

/** Ids of the suite's own donations of this streamer. */
export function ownDonations({ ownAlerts }: Pick<ProtectedStreamer, "ownAlerts">): ReadonlySet<string> {
  return idsIn(ownAlerts);
}

/** Notes the donation that a request recorded or replayed. */
export function noteOwnDonation({ ownAlerts }: ProtectedStreamer, effect: Effect, { status, body }: Pick<Reply, "status" | "body">): void {
  if (effect !== "alert" && effect !== "donation") return;
  const id = status < 300 ? donationIn(body) : null;
  if (id === null || idsIn(ownAlerts).has(id)) return;
  idsIn(ownAlerts).add(id);
  if (effect === "alert") appendFileSync(ownAlerts, `${id}\n`);
}

function idsIn(file: string): Set<string> {
  const ids = known.get(file) ?? new Set(existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : []);
  known.set(file, ids);
  return ids;
}

/** The donation of an answer of the API, or of a tool call's result. */
function donationIn(body: unknown): string | null {
  const { data, result } = (body ?? {}) as { data?: unknown; result?: { structuredContent?: { data?: unknown } } };
  const { id, donationId } = (data ?? result?.structuredContent?.data ?? {}) as { id?: unknown; donationId?: unknown };
  const found = donationId ?? id;
  return typeof found === "string" ? found : null;
}
