// What every page does first: takes the overlay key from the address, waits for the fonts, and says what goes on to those who ask.

import type { Status } from "../core/messages.ts";
import { adoptCustomCss } from "./custom-css.ts";
import { element } from "./dom.ts";
import { note } from "./journal.ts";
import { chooseWords, type Words } from "./words.ts";

export type PageStart = {
  key: string;
  query: URLSearchParams;
  words: Words;
  fonts: Promise<unknown>;
  showStatus: (status: Status) => void;
};

/** A page without its fonts is better than none. */
const fontsLimit = 3_000;

/** Null without a key: such a page stays empty. */
export function startPage(): PageStart | null {
  const query = new URLSearchParams(location.search);
  const words = chooseWords(query);
  const showStatus = query.has("debug") ? showNotice() : () => {};
  adoptCustomCss();
  addEventListener("hashchange", () => location.reload());
  const key = decodeURIComponent(location.hash.slice(1));
  if (key === "") {
    showStatus("no overlay key in the address");
    return null;
  }
  const say = (status: Status) => {
    note("status", { status });
    if (status === "refused") console.info("The overlay key is not good (any more). Copy the address of this page anew.");
    showStatus(status);
  };
  return { key, query, words, fonts: loadFonts(), showStatus: say };
}

/** Both weights, and Thai and Latin letters, before anything is shown. */
function loadFonts(): Promise<unknown> {
  const faces = ["500", "700"].map((weight) => document.fonts.load(`${weight} 1rem Prompt`, "กA"));
  return Promise.race([Promise.allSettled(faces), new Promise((resolve) => setTimeout(resolve, fontsLimit))]);
}

function showNotice(): (text: string) => void {
  const notice = element("p", "notice");
  document.body.append(notice);
  return (text) => {
    notice.textContent = text;
  };
}
