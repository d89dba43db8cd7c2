// The text that is spoken for a donation.

import { erasedName } from "../base/text.ts";
import type { Currency } from "../http/summed-currency.ts";
import { spokenText } from "./spoken-text.ts";
import { thaiAmount } from "./thai-amount.ts";

/** Another language needs its own sentence and its own numerals. */
export type Language = "th";

export type SpokenDonation = { donatorName: string; amount: number; currency: Currency; message: string; language: Language };

/** In UTF-16 units. Speech of a message of this length takes about half a minute. */
const maxNameLength = 60;
const maxMessageLength = 300;

/** Spoken for erased donators, and for names without anything that can be spoken, such as emoji or an address. */
const anonymousName = "ผู้ไม่ประสงค์ออกนาม";

/** One sentence of name, amount in words and message. */
export function speechText({ donatorName, amount, currency, message }: SpokenDonation): string {
  const name = (donatorName !== erasedName && spokenText(donatorName, maxNameLength)) || anonymousName;
  const spokenMessage = spokenText(message, maxMessageLength);
  return `${name} โดเนท${thaiAmount(amount, currency)}${spokenMessage && `, ${spokenMessage}`}`;
}
