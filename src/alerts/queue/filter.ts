// Decides by a streamer's settings whether a donation's alert plays, is skipped, or is held for an approval, which variation it gets, and which
// texts it shows. Pure.

import type { Schemas } from "../../http/operations.ts";
import { containsBlocked, mask, maskBlocked, withoutMasks } from "../settings/blocked-words.ts";
import type { Settings, Variation } from "../settings/settings.ts";
import type { DonationContent, StoredPlayback } from "./playbacks.ts";
import type { QueueStep } from "./step.ts";

/** `below_minimum`, `filtered`: why it is skipped. */
type Verdict = "play" | "hold" | "below_minimum" | "filtered";

export function verdictOf({ donatorName, message, amount }: DonationContent, settings: Settings): Verdict {
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

export type Channel = Schemas["Channel"];

/** What decides which variation a donation gets. */
export type VariedDonation = Pick<Schemas["Donation"], "amount" | "source" | "channel">;

/** The first variation that fits; null: the default look. */
export function chooseVariation(variations: readonly Variation[], donation: VariedDonation): Variation | null {
  return variations.find((variation) => fits(variation, donation)) ?? null;
}

/** Tests have no channel of their own, so that a streamer can test the variation of every channel by its amount. */
function fits({ from, to, sources, channels }: Variation, { amount, source, channel }: VariedDonation): boolean {
  const fitsAmount = amount >= from && (to === null || amount <= to);
  const fitsSource = sources === null || sources.includes(source);
  const fitsChannel = channels === null || source === "test" || channels.includes(channel);
  return fitsAmount && fitsSource && fitsChannel;
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
