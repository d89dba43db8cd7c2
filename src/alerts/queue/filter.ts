// Decides by a streamer's settings whether a donation's alert plays, is skipped, or is held for an approval, and which texts it shows. Pure.

import type { Schemas } from "../../http/operations.ts";
import { containsBlocked, mask, maskBlocked, withoutMasks } from "../settings/blocked-words.ts";
import type { Settings } from "../settings/settings.ts";
import type { StoredPlayback } from "./playbacks.ts";
import type { QueueStep } from "./step.ts";

type AlertContent = Pick<Schemas["Playback"], "donatorName" | "message" | "amount">;

/** `below_minimum`, `filtered`: why it is skipped. */
type Verdict = "play" | "hold" | "below_minimum" | "filtered";

export function verdictOf({ donatorName, message, amount }: AlertContent, settings: Settings): Verdict {
  const { approval, blockedWordAction, blockedWords } = settings;
  if (amount < settings.minimumAmount) return "below_minimum";
  const isBlocked = containsBlocked(blockedWords, [donatorName, message]);
  if (isBlocked && blockedWordAction === "skip" && approval !== "matching") return "filtered";
  const needsApproval = isBlocked && (approval === "matching" || blockedWordAction === "hold");
  return approval === "all" || needsApproval ? "hold" : "play";
}

/**
 * The settings may have changed since the intake. Filters do not apply to replays, which the streamer has asked for, nor to what was approved;
 * and what a player has had is not held, because it may have been seen.
 */
export function verdictNow(next: StoredPlayback, { overlay }: QueueStep): Verdict {
  if (next.replay || next.approved) return "play";
  const verdict = verdictOf(next, overlay.settings);
  return verdict === "hold" && next.playerId !== null ? "play" : verdict;
}

type ShownTexts = Readonly<{ donatorName: string; message: string; masked: boolean }>;

/** `masked`: name and message are hidden by a decision about this alert. The settings may hide more. */
export function shownTexts({ donatorName, message, masked }: ShownTexts, { blockedWords, blockedWordAction }: Settings): ShownTexts {
  if (masked) return { donatorName: mask, message: "", masked };
  if (blockedWordAction === "mask_word")
    return { donatorName: maskBlocked(blockedWords, donatorName), message: maskBlocked(blockedWords, message), masked };
  if (blockedWordAction !== "mask_text") return { donatorName, message, masked };
  const isBlocked = (text: string) => containsBlocked(blockedWords, [text]);
  return { donatorName: isBlocked(donatorName) ? mask : donatorName, message: isBlocked(message) ? "" : message, masked };
}

/** The same texts for speech: nothing is said for what is hidden. */
export function spokenTexts({ donatorName, message }: ShownTexts): { donatorName: string; message: string } {
  return { donatorName: withoutMasks(donatorName), message: withoutMasks(message) };
}
