// Estimates how long a viewer needs to read a text.

/** For slow readers of Thai who watch a game at the same time. */
const charactersPerSecond = 14;
const orientationSeconds = 2.5;

export function readingSeconds(...texts: readonly string[]): number {
  return orientationSeconds + texts.join(" ").length / charactersPerSecond;
}
