// A tab with the documentation, which must load nothing from another host.

import type { BrowserContextOptions } from "playwright-core";
import { target } from "../../suite/values/target.ts";
import { desktop, openTab, type Tab } from "./chromium.ts";

export async function openDocs(options: BrowserContextOptions = desktop): Promise<Tab> {
  const tab = await openTab(options);
  tab.page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol !== "data:" && url.origin !== new URL(target().url).origin) tab.complaints.push(`foreign request: ${url}`);
  });
  return tab;
}

/** `path`: below /docs/. */
export const open = ({ page }: Tab, path: string) => page.goto(`${target().url}/docs/${path}`);

/** The id of the focused element, or else its text. */
export const focused = ({ page }: Tab) => page.evaluate<string>("document.activeElement.id || document.activeElement.textContent.trim()");
