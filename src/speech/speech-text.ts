// What is said for a donation.

import type { Currency } from "../http/summed-currency.ts";
import { spokenText } from "./spoken-text.ts";
import { thaiAmount } from "./thai-amount.ts";

/** A language needs its own sentence and its own numbers. */
export type Language = "th";

export type Spoken = { donatorName: string; amount: number; currency: Currency; message: string; language: Language };

/** In UTF-16 units. A message of this length takes an engine about half a minute. */
const longestName = 60;
const longestMessage = 300;

/** Names of which nothing can be spoken: emoji alone, an address. */
const somebody = "ผู้ไม่ประสงค์ออกนาม";

/** Name, amount in words, message: one sentence, whatever the donor wrote. */
export function speechText({ donatorName, amount, currency, message }: Spoken): string {
  const name = spokenText(donatorName, longestName) || somebody;
  const said = spokenText(message, longestMessage);
  return `${name} โดเนท${thaiAmount(amount, currency)}${said && `, ${said}`}`;
}
