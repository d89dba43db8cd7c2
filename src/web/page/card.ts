// The alert's card. Donors' text is put on it as text, never as markup.

import type { Playback } from "../core/events.ts";
import { formatMoney } from "../core/money.ts";
import { cleanText } from "../core/text.ts";
import { part, shrinkToFit } from "./dom.ts";
import type { Words } from "./words.ts";

export type Card = {
  /** `seconds`: how long the card stays; long text scrolls in this time. */
  show: (playback: Playback, seconds: number) => void;
  leave: () => void;
  clear: () => void;
};

/** Amounts at which the next tier of effects begins: `data-tier` 1 to 4. */
const tiers = [100, 500, 1_000];

export function makeCard(words: Words): Card {
  const alert = part("alert");
  const [name, verb, amount, message, text] = ["name", "verb", "amount", "message", "text"].map(part) as Five;
  verb.textContent = words.verb;

  /** Shrinks the message first, then everything. Returns how many pixels of the message still do not fit. */
  const fitText = (): number => {
    let hidden = 0;
    for (const dense of [1, 0.86, 0.74, 0.64]) {
      alert.style.setProperty("--dense", String(dense));
      shrinkToFit(name, [1, 0.88, 0.76, 0.66, 0.58, 0.5]);
      hidden = shrinkToFit(message, [1, 0.92, 0.84]);
      if (hidden === 0) break;
    }
    return hidden;
  };

  return {
    show: (playback, seconds) => {
      name.textContent = cleanText(playback.donatorName) || words.someone;
      amount.textContent = formatMoney(playback.amount, playback.currency);
      text.textContent = cleanText(playback.message);
      alert.dataset.tier = String(1 + tiers.filter((from) => playback.amount >= from).length);
      alert.classList.remove("leaving");
      alert.hidden = false;
      message.hidden = text.textContent === "";
      const hidden = fitText();
      message.classList.toggle("scrolls", hidden > 0);
      message.style.setProperty("--hidden", String(hidden));
      message.style.setProperty("--seconds", String(seconds));
    },
    leave: () => alert.classList.add("leaving"),
    clear: () => {
      alert.hidden = true;
      for (const element of [name, amount, text]) element.textContent = "";
    },
  };
}

type Five = [HTMLElement, HTMLElement, HTMLElement, HTMLElement, HTMLElement];
