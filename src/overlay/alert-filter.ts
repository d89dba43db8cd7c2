// Decides by a streamer's settings whether a donation's alert is skipped. Pure.

import type { Schemas } from "../http/operations.ts";
import type { Settings } from "./settings.ts";
import { containsBlocked } from "./word-filter.ts";

type AlertContent = Pick<Schemas["Playback"], "donatorName" | "message" | "amount">;

/** Why the alert is skipped; null: it is shown. */
export function skipReasonOf({ donatorName, message, amount }: AlertContent, settings: Settings): "below_minimum" | "filtered" | null {
  if (amount < settings.minimumAmount) return "below_minimum";
  return containsBlocked(settings.blockedWords, [donatorName, message]) ? "filtered" : null;
}
