// Starts a widget page: connects it, and updates it with each reading of the widgets' data and each change of the widget's settings.

import { colourVariables, widgetThemes } from "../../ui/widget-options.ts";
import type { WidgetSettings, Widgets } from "../core/api.ts";
import type { ToPage } from "../core/messages.ts";
import type { Parameters } from "../core/parameters.ts";
import { linkToCoordinator } from "./coordinator-link.ts";
import { logEvent } from "./page-log.ts";
import { sampleWidgets } from "./sample-figures.ts";
import { type Choice, type PageStart, startPage } from "./start.ts";

/** Shows the data; `first`: without an animation. */
type Update = (widgets: Widgets, first: boolean) => void;
type Build = (choice: Choice) => Update;

type Widget = Readonly<{ page: PageStart; build: Build }> & {
  update: Update;
  /** The settings of the key's widget that the page shows; null: none. */
  settings: WidgetSettings | null;
  /** The last data; null before the first. */
  shown: Widgets | null;
};

/** `build` prepares the page, again after each change of the widget's settings, and returns the function that updates it. */
export function openWidget(build: Build): void {
  const page = startPage();
  if (!page) return;
  const widget: Widget = { page, build, update: prepare({ page, build }, null), settings: null, shown: null };
  if (page.isPreview) return void page.fonts.then(() => widget.update(sampleWidgets, true));
  void page.fonts.then(() =>
    linkToCoordinator({ key: page.key, kind: "widget", playing: () => null, onMessage: (message) => receive(widget, message) }),
  );
}

function prepare({ page, build }: Pick<Widget, "page" | "build">, settings: WidgetSettings | null): Update {
  const choice = page.choose(settings);
  applyWidgetColours(choice.parameters);
  const update = build(choice);
  page.showFaults();
  return update;
}

function receive(widget: Widget, message: ToPage): void {
  if (message.type === "status") widget.page.showStatus(message.status);
  if (message.type === "status") document.body.classList.toggle("refused", message.status === "refused");
  if (message.type === "settings") changeSettings(widget, message.widget);
  if (message.type !== "widgets") return;
  logEvent("widgets", { asOf: message.widgets.asOf });
  widget.update(message.widgets, widget.shown === null);
  widget.shown = message.widgets;
}

function changeSettings(widget: Widget, settings: WidgetSettings | null): void {
  if (JSON.stringify(settings) === JSON.stringify(widget.settings)) return;
  widget.settings = settings;
  widget.update = prepare(widget, settings);
  if (widget.shown) widget.update(widget.shown, true);
}

/** Sets theme and colours of the document. Its Content-Security-Policy allows properties that a script sets, but no style attributes. */
export function applyWidgetColours(parameters: Parameters): void {
  const { dataset, style } = document.documentElement;
  dataset["theme"] = parameters.choice("theme", widgetThemes);
  for (const [name, variable] of Object.entries(colourVariables)) {
    const colour = parameters.checked(name, (text) => CSS.supports("color", text), "#27c7a5, teal");
    style.setProperty(variable, colour); // null removes what was chosen before
    if (name === "card") style.setProperty("--edge", colour); // the theme's line of light is made for the theme's card
  }
}
