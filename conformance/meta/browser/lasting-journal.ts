// Keeps the journals of pages after the pages are closed: a script writes every entry to the browser's local storage at once.

import type { BrowserContext, Page } from "playwright-core";

/** A journal entry. `life` identifies one load of a page; the event `gone` means that the page was left. */
export type LastingEntry = { life: string; at: number; event: string; playbackId: string; donationId: string };

/** Script for `addInitScript`, which runs before the page's own scripts. */
export const keepJournalScript = `(() => {
  const life = crypto.randomUUID();
  let count = 0;
  const keep = (entry) => localStorage.setItem("kept " + life + " " + (count += 1), JSON.stringify({ ...entry, life }));
  let journal = [];
  Object.defineProperty(window, "journal", {
    get: () => journal,
    set: (made) => {
      journal = made;
      journal.push = (entry) => (keep(entry), Array.prototype.push.call(journal, entry));
    },
  });
  keep({ at: Date.now(), event: "born" });
  addEventListener("pagehide", () => keep({ at: Date.now(), event: "gone" }));
})()`;

/** Returns the journal entries of all pages of this browser, in order. */
export async function readLastingJournal(context: BrowserContext, url: string): Promise<LastingEntry[]> {
  const page: Page = await context.newPage();
  await page.goto(`${url}/overlay/assets/`); // an error page of the same origin, which writes no journal
  const texts: string[] = await page.evaluate(
    "Object.keys(localStorage).filter((name) => name.startsWith('kept ')).map((name) => localStorage[name])",
  );
  await page.close();
  return texts.map((text): LastingEntry => JSON.parse(text)).sort((a, b) => a.at - b.at);
}
