// Starts a widget page: connects it, and updates it with each reading of the widgets' data.

import type { Widgets } from "../../core/stream/events.ts";
import { linkToCoordinator } from "../coordinator-link.ts";
import { logEvent } from "../page-log.ts";
import { type PageStart, startPage } from "../start.ts";
import { sampleWidgets } from "./sample-figures.ts";
import { applyWidgetColours } from "./widget-colours.ts";

/** `build` prepares the page once and returns the function that updates it; `first`: show the data without an animation. */
export function openWidget(build: (page: PageStart) => (widgets: Widgets, first: boolean) => void): void {
  const page = startPage();
  if (!page) return;
  applyWidgetColours(page.parameters);
  const update = build(page);
  page.showFaults();
  if (page.isPreview) return void page.fonts.then(() => update(sampleWidgets, true));
  let first = true;
  void page.fonts.then(() =>
    linkToCoordinator({
      key: page.key,
      kind: "widget",
      playing: () => null,
      onMessage: (message) => {
        if (message.type === "status") page.showStatus(message.status);
        if (message.type === "status") document.body.hidden = message.status === "refused";
        if (message.type !== "widgets") return;
        logEvent("widgets", { asOf: message.widgets.asOf });
        update(message.widgets, first);
        first = false;
      },
    }),
  );
}
