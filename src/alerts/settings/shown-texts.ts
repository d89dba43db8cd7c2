// The texts that an alert shows on stream: what is masked is hidden. Pure.

import type { Settings } from "./settings.ts";
import { containsBlocked, mask, maskBlocked, withoutMasks } from "./word-filter.ts";

export type ShownTexts = Readonly<{ donatorName: string; message: string; masked: boolean }>;

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
