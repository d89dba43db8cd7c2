// Decides which breaking changes CHANGELOG.md announces. Pure.

/**
 * Changes that no line announces. A line does so word for word; or, where a member is part of several answers, with what their changes have
 * in common and their number: `channel: can now be "line_pay" (11 places)`. The number keeps the line from announcing changes that come later.
 */
export function unannounced(changes: readonly string[], lines: readonly string[]): string[] {
  const shared = sharedLines(changes);
  return changes.filter((change) => {
    const words = [change, ...shared.filter((line) => line.startsWith(`${endOf(change)} (`))];
    return !words.some((one) => lines.some((line) => line.includes(one)));
  });
}

/** For changes that several answers have in common, the line that announces all of them; of all changes, or of those that are `about`. */
export function sharedLines(changes: readonly string[], about = changes): string[] {
  const ends = changes.flatMap((change) => endOf(change) ?? []);
  return [...new Set(about.map(endOf))].flatMap((end) => {
    const places = ends.filter((one) => one === end).length;
    return places > 1 ? [`${end} (${places} places)`] : [];
  });
}

/** The member and what became of it; null of a change that is about no member. */
function endOf(change: string): string | null {
  return /^[^:]*\/(\w+: .*)$/.exec(change)?.[1] ?? null;
}
