// Decides by a streamer's settings whether a donation's alert plays, is skipped, or is held for an approval. Pure.

import type { Schemas } from "../../http/operations.ts";
import type { Settings } from "./settings.ts";
import { containsBlocked } from "./word-filter.ts";

type AlertContent = Pick<Schemas["Playback"], "donatorName" | "message" | "amount">;

/** `below_minimum`, `filtered`: why it is skipped. */
export type Verdict = "play" | "hold" | "below_minimum" | "filtered";

export function verdictOf({ donatorName, message, amount }: AlertContent, settings: Settings): Verdict {
  const { approval, blockedWordAction, blockedWords } = settings;
  if (amount < settings.minimumAmount) return "below_minimum";
  const isBlocked = containsBlocked(blockedWords, [donatorName, message]);
  if (isBlocked && blockedWordAction === "skip" && approval !== "matching") return "filtered";
  const needsApproval = isBlocked && (approval === "matching" || blockedWordAction === "hold");
  return approval === "all" || needsApproval ? "hold" : "play";
}
