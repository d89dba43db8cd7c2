// Confetti that falls over the whole page.

import { element } from "../dom.ts";

const pieces = 90;

let falling: HTMLElement | null = null;

/** Lets it fall once; the style sheet hides it from those who want less motion. */
export function throwConfetti(): void {
  clearConfetti();
  falling = element("div", "confetti");
  falling.setAttribute("aria-hidden", "true");
  for (let i = 0; i < pieces; i += 1) falling.append(makePiece());
  document.body.append(falling);
}

export function clearConfetti(): void {
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
