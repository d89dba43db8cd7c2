// Runs axe in a page.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Tab } from "./chromium.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

type Violation = { id: string; nodes: { target: string[]; failureSummary?: string }[] };

/** Unfolds every folded part: axe does not look into what is hidden. */
export async function unfold({ page }: Tab): Promise<void> {
  await page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true");
}

/** What axe finds wrong with the page as it is. */
export async function violationsOf({ page }: Tab): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = await page.evaluate<{ violations: Violation[] }>("axe.run(document, { resultTypes: ['violations'] })");
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")} ${failureSummary ?? ""}`),
  );
}
