// Gives the card the look of a variation: theme, position, sizes, colours and movements. Without one, everything is as the style sheets say.

import type { Playback } from "../../core/stream/events.ts";

type Variation = NonNullable<Playback["variation"]>;
type Style = Variation["style"];

/** Where the card stands from top to bottom, and from left to right. */
const places: Readonly<Record<NonNullable<Style["position"]>, readonly [place: string, side: string]>> = {
  top_left: ["start", "start"],
  top: ["start", "center"],
  top_right: ["start", "end"],
  left: ["center", "start"],
  center: ["center", "center"],
  right: ["center", "end"],
  bottom_left: ["end", "start"],
  bottom: ["end", "center"],
  bottom_right: ["end", "end"],
};

/** Values are set one by one, because the Content-Security-Policy refuses style attributes. Null removes the look. */
export function applyVariation(alert: HTMLElement, style: Style | null): void {
  const [place, side] = (style?.position && places[style.position]) ?? [];
  setAll(document.documentElement, {
    "--alert-place": place,
    "--alert-side": side,
    "--size": style && String(style.size / 100),
  });
  setAll(alert, {
    "--text": style && String(style.fontSize / 100),
    "--card": style?.cardColor,
    "--ink": style?.textColor,
    "--soft": style?.textColor,
    "--accent": style?.accentColor,
    "--accent-warm": style?.secondColor,
    "--edge": style?.accentColor,
  });
  for (const name of ["theme", "enter", "leave"] as const) {
    if (style) alert.dataset[name] = style[name];
    else delete alert.dataset[name];
  }
}

function setAll({ style }: HTMLElement, values: Readonly<Record<string, string | null | undefined>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (value === null || value === undefined) style.removeProperty(name);
    else style.setProperty(name, value);
  }
}
