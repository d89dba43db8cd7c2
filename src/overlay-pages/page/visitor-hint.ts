// One line for somebody who opens a page in an ordinary browser. In OBS, where everybody would see it, there is none.

import { element } from "./dom.ts";

let shown: HTMLElement | null = null;

/** Shows the line in place of the one before; null for none. */
export function showHint(text: string | null): void {
  shown?.remove();
  shown = null;
  if (text === null || "obsstudio" in window) return;
  shown = element("p", "hint");
  shown.setAttribute("role", "status");
  shown.textContent = text;
  document.body.append(shown);
}

/** Shows the line until the next click or key. */
export function showHintUntilInput(text: string): void {
  showHint(text);
  for (const input of ["pointerdown", "keydown"]) addEventListener(input, () => showHint(null), { once: true });
}
