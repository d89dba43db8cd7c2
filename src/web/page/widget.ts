// What the widgets share: the connection, and data that is shown as soon as it is there.

import type { Widgets } from "../core/events.ts";
import { note } from "./journal.ts";
import { linkToStation } from "./link.ts";
import { type PageStart, startPage } from "./start.ts";

/** `build` prepares the page once and returns what renews it; `first` says that nothing should move yet. */
export function openWidget(build: (page: PageStart) => (widgets: Widgets, first: boolean) => void): void {
  const page = startPage();
  if (!page) return;
  const renew = build(page);
  let first = true;
  void page.fonts.then(() =>
    linkToStation({
      key: page.key,
      kind: "widget",
      playing: () => null,
      onMessage: (message) => {
        if (message.type === "status") page.showStatus(message.status);
        if (message.type === "status") document.body.hidden = message.status === "refused";
        if (message.type !== "widgets") return;
        note("widgets", { asOf: message.widgets.asOf });
        renew(message.widgets, first);
        first = false;
      },
    }),
  );
}
