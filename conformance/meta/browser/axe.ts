// Runs axe in a page.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Tab } from "./chromium.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Off by default, because it is experimental: speech control finds a button by the words on it (WCAG 2.5.3). */
const rules = { resultTypes: ["violations"], rules: { "label-content-name-mismatch": { enabled: true } } };
const rulesOfColours = { resultTypes: ["violations"], runOnly: ["color-contrast", "link-in-text-block"] };

type Violation = { id: string; nodes: { target: string[]; failureSummary?: string }[] };

/** Unfolds every folded part: axe does not look into what is hidden. */
export async function unfold({ page }: Tab): Promise<void> {
  await page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true");
}

/** Folds the menus of the studio again: on a phone they lie over the page. */
export async function foldMenus({ page }: Tab): Promise<void> {
  await page.evaluate("for (const menu of document.querySelectorAll('header details')) menu.open = false");
}

/** What axe finds wrong with the page as it is. */
export async function violationsOf({ page }: Tab, options: object = rules): Promise<string[]> {
  if (await page.evaluate("!window.axe")) await page.evaluate(axe);
  const { violations } = await page.evaluate<{ violations: Violation[] }>(`axe.run(document, ${JSON.stringify(options)})`);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")} ${failureSummary ?? ""}`),
  );
}

/** What axe finds wrong with the colours of the page as it is, where the rest was looked at in other colours. */
export const violationsOfColours = (tab: Tab): Promise<string[]> => violationsOf(tab, rulesOfColours);
