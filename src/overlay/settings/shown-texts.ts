// The texts that an alert shows on stream: what is masked is hidden. Pure.

import type { Settings } from "./settings.ts";
import { containsBlocked, maskBlocked } from "./word-filter.ts";

export type ShownTexts = Readonly<{ donatorName: string; message: string; masked: boolean }>;

/** Stands for what is hidden. */
export const mask = "***";

/** `masked`: name and message are hidden by a decision about this alert. The settings may hide more. */
export function shownTexts({ donatorName, message, masked }: ShownTexts, { blockedWords, blockedWordAction }: Settings): ShownTexts {
  if (masked) return { donatorName: mask, message: "", masked };
  if (blockedWordAction === "mask_word")
    return { donatorName: maskBlocked(blockedWords, donatorName, mask), message: maskBlocked(blockedWords, message, mask), masked };
  if (blockedWordAction !== "mask_text") return { donatorName, message, masked };
  const isBlocked = (text: string) => containsBlocked(blockedWords, [text]);
  return { donatorName: isBlocked(donatorName) ? mask : donatorName, message: isBlocked(message) ? "" : message, masked };
}

/** The same texts for speech: nothing is said for what is hidden. */
export function spokenTexts({ donatorName, message }: ShownTexts): { donatorName: string; message: string } {
  const silent = (text: string) => text.replaceAll(mask, " ");
  return { donatorName: silent(donatorName), message: silent(message) };
}
