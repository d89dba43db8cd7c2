// Parses CHANGELOG.md for the checks. Pure.

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
