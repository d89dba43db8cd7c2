// Parses CHANGELOG.md for the checks, and decides which breaking changes it announces. Pure.

export type Section = {
  /** `Unreleased`, or a version such as `1.1.0`. */
  name: string;
  /** Lines under each heading, such as `Added`, `Deprecated`, `Breaking`. */
  parts: Record<string, string[]>;
};

/** Returns the top section unless it belongs to the version released last; null when nothing is unreleased. */
export function unreleased(changelog: string, releasedVersion: string): Section | null {
  const section = topSection(changelog);
  return section && section.name !== releasedVersion ? section : null;
}

/** Returns the section under the first heading, `## Unreleased` or `## 1.1.0 – 2026-12-01`; null when there is none. */
export function topSection(changelog: string): Section | null {
  const [, text] = changelog.split(/^## /m);
  if (text === undefined) return null;
  const [head = "", ...parts] = text.split(/^### /m);
  return { name: /^\S+/.exec(head)?.[0] ?? "", parts: Object.fromEntries(parts.map(partOf)) };
}

function partOf(text: string): [string, string[]] {
  const [title = "", ...lines] = text.split("\n");
  return [title.trim(), lines.filter((line) => line.trim() !== "")];
}

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
