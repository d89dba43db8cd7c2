// Colours of a widget by its parameters: ?theme=, and ?card=, ?ink=, ?soft=, ?accent= and ?warm= with any CSS colour.

import { colourVariables, widgetThemes } from "../../../ui/widget-options.ts";
import type { Parameters } from "../../core/parameters.ts";

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
