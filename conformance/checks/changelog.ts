// CHANGELOG.md as the checks read it. Pure.

export type Section = {
  /** `Unreleased`, or a version such as `1.1.0`. */
  name: string;
  /** Lines under each heading, such as `Added`, `Deprecated`, `Breaking`. */
  parts: Record<string, string[]>;
};

/** The section at the top, unless it is that of the version released last; null: nothing is unreleased. */
export function unreleased(changelog: string, releasedVersion: string): Section | null {
  const section = topSection(changelog);
  return section && section.name !== releasedVersion ? section : null;
}

/** A heading is `## Unreleased`, or `## 1.1.0 (2026-12-01)`. */
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
