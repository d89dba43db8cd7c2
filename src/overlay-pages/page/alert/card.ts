// The alert's card. Donators' text is put on it as text, never as markup.

import { cleanText } from "../../../base/clean-text.ts";
import { erasedName } from "../../../base/erased-name.ts";
import type { Playback } from "../../core/stream/events.ts";
import { formatMoney } from "../../core/text/money.ts";
import { fillTemplate, type Piece } from "../../core/text/template.ts";
import { element, part, shrinkToFit, wrappingText } from "../dom.ts";
import type { Words } from "../texts.ts";
import { applyVariation } from "./apply-variation.ts";
import { clearConfetti, throwConfetti } from "./confetti.ts";
import type { Picture } from "./picture.ts";

export type Card = {
  /** `seconds`: how long the card stays; long text scrolls in this time. `picture`: the variation's, if it has one and it could be loaded. */
  show: (playback: Playback, seconds: number, picture: Picture | null) => void;
  /** Whether speech is heard: the card moves along with it. */
  setSpeaking: (isSpeaking: boolean) => void;
  leave: () => void;
  clear: () => void;
};

/** Amounts at which the next tier of effects begins: `data-tier` 1 to 4. */
const tiers = [100, 500, 1_000];

export function makeCard(words: Words): Card {
  const parts = findParts();
  const { alert } = parts;
  parts.verb.textContent = words.verb;
  return {
    show: (playback, seconds, picture) => {
      clearConfetti();
      applyVariation(alert, playback.variation?.style ?? null);
      alert.dataset.tier = String(1 + tiers.filter((from) => playback.amount >= from).length);
      alert.classList.remove("leaving", "speaking");
      fillIn(parts, playback, words);
      parts.picture.replaceChildren(...(picture ? [picture] : []));
      alert.classList.toggle("pictured", picture !== null);
      alert.hidden = false;
      const hidden = fitText(parts);
      parts.message.classList.toggle("scrolls", hidden > 0);
      parts.message.style.setProperty("--hidden", String(hidden));
      parts.message.style.setProperty("--seconds", String(seconds));
      if (playback.variation?.confetti) throwConfetti();
    },
    setSpeaking: (isSpeaking) => void alert.classList.toggle("speaking", isSpeaking),
    leave: () => {
      alert.classList.remove("speaking");
      alert.classList.add("leaving");
    },
    clear: () => {
      alert.hidden = true;
      clearConfetti();
      parts.picture.replaceChildren();
      for (const text of [parts.name, parts.amount, parts.text, parts.head, parts.tail]) text.textContent = "";
    },
  };
}

type Parts = ReturnType<typeof findParts>;

function findParts() {
  return {
    alert: part("alert"),
    picture: part("picture"),
    name: part("name"),
    verb: part("verb"),
    amount: part("amount"),
    /** Stands in place of name, verb and amount when there is a template. */
    head: part("head"),
    message: part("message"),
    text: part("text"),
    /** What the template has below the message. */
    tail: part("tail"),
  };
}

function fillIn(parts: Parts, { donatorName, amount, currency, message, masked, variation }: Playback, words: Words): void {
  const isNamed = !masked && donatorName !== erasedName;
  const values = { name: (isNamed && cleanText(donatorName)) || words.someone, amount: formatMoney(amount, currency) };
  const template = variation?.template ? fillTemplate(variation.template, values) : null;
  parts.name.replaceChildren(...(template ? [] : wrappingText(values.name)));
  parts.amount.textContent = template ? "" : values.amount;
  for (const standard of [parts.name, parts.verb, parts.amount]) standard.hidden = template !== null;
  fillLine(parts.head, template?.head ?? []);
  fillLine(parts.tail, template?.tail ?? []);
  parts.text.replaceChildren(...(template && !template.hasMessage ? [] : wrappingText(cleanText(message))));
  parts.message.hidden = parts.text.textContent === "";
}

function isolatedPiece({ kind, text }: Piece): HTMLElement {
  const isolated = element("bdi", `the-${kind}`);
  isolated.replaceChildren(...wrappingText(text));
  return isolated;
}

/** A name or an amount keeps its direction to itself. */
function fillLine(line: HTMLElement, pieces: readonly Piece[]): void {
  line.replaceChildren(...pieces.flatMap((piece) => (piece.kind === "text" ? wrappingText(piece.text) : isolatedPiece(piece))));
  line.hidden = pieces.length === 0;
}

/** Shrinks the message first, then everything. Returns how many pixels of the message still do not fit. */
function fitText({ alert, name, head, tail, message }: Parts): number {
  let hidden = 0;
  for (const dense of [1, 0.86, 0.74, 0.64]) {
    alert.style.setProperty("--dense", String(dense));
    for (const line of [name, head, tail]) shrinkToFit(line, [1, 0.88, 0.76, 0.66, 0.58, 0.5]);
    hidden = shrinkToFit(message, [1, 0.92, 0.84]);
    if (hidden === 0) break;
  }
  return hidden;
}
