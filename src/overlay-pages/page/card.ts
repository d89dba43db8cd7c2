// The alert's card, with the look of its variation and its confetti. Donators' text is put on it as text, never as markup.

import { cleanText, erasedName } from "../../base/text.ts";
import { familiesOf } from "../../ui/alert-fonts.ts";
import type { Playback } from "../core/api.ts";
import { fillTemplate, formatMoney, type Piece } from "../core/text.ts";
import { element, part, shrinkToFit, wrappingText } from "./dom.ts";
import { fontOf } from "./font.ts";
import type { Words } from "./texts.ts";

/** An image of the streamer's own: a still or moving picture, or a film without sound. */
export type Picture = HTMLImageElement | HTMLVideoElement;

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

type Variation = NonNullable<Playback["variation"]>;
type Style = Variation["style"];

/** Where the card stands from top to bottom, and from left to right. */
const places: Readonly<Record<NonNullable<Style["position"]>, readonly [place: string, side: string]>> = {
  top_left: ["start", "start"],
  top: ["start", "center"],
  top_right: ["start", "end"],
  left: ["center", "start"],
  center: ["center", "center"],
  right: ["center", "end"],
  bottom_left: ["end", "start"],
  bottom: ["end", "center"],
  bottom_right: ["end", "end"],
};

/** Values are set one by one, because the Content-Security-Policy refuses style attributes. Null removes the look. */
function applyVariation(alert: HTMLElement, style: Style | null): void {
  const [place, side] = (style?.position && places[style.position]) ?? [];
  setAll(document.documentElement, {
    "--alert-place": place,
    "--alert-side": side,
    "--size": style && String(style.size / 100),
  });
  const font = style && fontOf(style);
  setAll(alert, {
    "--font": style?.font && font && familiesOf(font),
    "--text": style && String(style.fontSize / 100),
    "--card": style?.cardColor,
    "--ink": style?.textColor,
    "--soft": style?.textColor,
    "--accent": style?.accentColor,
    "--accent-warm": style?.secondColor,
    "--edge": style?.accentColor,
  });
  for (const name of ["theme", "enter", "leave"] as const) {
    if (style) alert.dataset[name] = style[name];
    else delete alert.dataset[name];
  }
}

function setAll({ style }: HTMLElement, values: Readonly<Record<string, string | null | undefined>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (value === null || value === undefined) style.removeProperty(name);
    else style.setProperty(name, value);
  }
}

const pieces = 90;

let falling: HTMLElement | null = null;

/** Lets it fall once; the style sheet hides it from those who want less motion. */
function throwConfetti(): void {
  clearConfetti();
  falling = element("div", "confetti");
  falling.setAttribute("aria-hidden", "true");
  for (let i = 0; i < pieces; i += 1) falling.append(makePiece());
  document.body.append(falling);
}

function clearConfetti(): void {
  falling?.remove();
  falling = null;
}

function makePiece(): HTMLElement {
  const piece = element("i", "");
  const random = (from: number, to: number) => from + Math.random() * (to - from);
  piece.style.setProperty("--left", `${random(0, 100)}vw`);
  piece.style.setProperty("--drift", `${random(-12, 12)}vw`);
  piece.style.setProperty("--turns", `${random(-3, 3)}turn`);
  piece.style.setProperty("--hue", String(Math.round(random(0, 360))));
  piece.style.animationDelay = `${random(0, 1.6)}s`;
  piece.style.animationDuration = `${random(2.4, 4.2)}s`;
  return piece;
}
