import type { BrowserContext, Page } from "playwright-core";

// The pages' journals, kept beyond the end of a page: every entry goes to the browser's storage in the moment in which it is made.

/** `life`: one load of one page. `gone`: it was left. */
export type LastingEntry = { life: string; at: number; event: string; playbackId: string; donationId: string };

/** For `addInitScript`, before the page's own scripts. */
export const lasting = `(() => {
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

/** Everything that pages of this browser have noted, in order. */
export async function lastingJournal(context: BrowserContext, url: string): Promise<LastingEntry[]> {
  const page: Page = await context.newPage();
  await page.goto(`${url}/overlay/assets/`); // not one of ours, but of the same origin
  const texts: string[] = await page.evaluate(
    "Object.keys(localStorage).filter((name) => name.startsWith('kept ')).map((name) => localStorage[name])",
  );
  await page.close();
  return texts.map((text): LastingEntry => JSON.parse(text)).sort((a, b) => a.at - b.at);
}
