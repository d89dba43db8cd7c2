// The language of the pages for OBS: a link that is made in the studio has the reader's.

import { currentReader } from "../../ui/reader.ts";

/** The path of a page for OBS with `lang`, unless the reader's language is the one that a page has without it. */
export function inReadersLanguage(path: string): string {
  const { language } = currentReader();
  return language === "th" ? path : `${path}${path.includes("?") ? "&" : "?"}lang=${language}`;
}
