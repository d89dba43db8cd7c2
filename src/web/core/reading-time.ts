// How long a viewer needs for a text.

/** Slow readers of Thai, who look at a game at the same time. */
const perSecond = 14;
const toFindIt = 2.5;

export function readingSeconds(...texts: readonly string[]): number {
  return toFindIt + texts.join(" ").length / perSecond;
}
