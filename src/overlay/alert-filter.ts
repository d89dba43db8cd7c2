// Whether a streamer's settings keep a donation off the stream. Pure.

import type { Schemas } from "../http/operations.ts";
import type { Settings } from "./settings.ts";
import { containsBlocked } from "./word-filter.ts";

type Shown = Pick<Schemas["Playback"], "donatorName" | "message" | "amount">;

/** The reason why it is not shown, or null. */
export function refusalOf({ donatorName, message, amount }: Shown, settings: Settings): "below_minimum" | "filtered" | null {
  if (amount < settings.minimumAmount) return "below_minimum";
  return containsBlocked(settings.blockedWords, [donatorName, message]) ? "filtered" : null;
}
