// The typefaces of alerts and widgets. A page loads the style sheet and the files of one when it is to be shown.

import { type AlertFont, alertFonts } from "../../ui/alert-fonts.ts";
import type { Playback } from "../core/api.ts";

/** After this time, the page shows its texts in another typeface. */
const limitMs = 3_000;

const sheets = new Map<string, Promise<boolean>>();

/** Resolves when its Thai and Latin letters can be shown, or when they can't be had; never rejects. Each weight of text and of what is bold. */
export async function loadFont(name: AlertFont): Promise<void> {
  const { family } = alertFonts[name];
  const load = async () => {
    if (name !== "prompt" && !(await loadSheet(name))) return;
    await Promise.allSettled(["500", "700"].map((weight) => document.fonts.load(`${weight} 1rem "${family}"`, "กA")));
  };
  await Promise.race([load(), new Promise((resolve) => setTimeout(resolve, limitMs))]);
}

/** The typeface that is chosen, or that of the theme (themes.css); null: that of every page. A later version may have others. */
export function fontOf(style: NonNullable<Playback["variation"]>["style"] | undefined): AlertFont | null {
  const name = style?.font ?? (style?.theme === "paper" ? "mali" : null);
  return name !== null && Object.hasOwn(alertFonts, name) ? name : null;
}

/** Of a sheet that could not be loaded the next alert tries again. */
function loadSheet(name: AlertFont): Promise<boolean> {
  const loading = sheets.get(name) ?? addSheet(name);
  sheets.set(name, loading);
  void loading.then((isThere) => isThere || sheets.delete(name));
  return loading;
}

function addSheet(name: AlertFont): Promise<boolean> {
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = `assets/${name}.css`;
  return new Promise((resolve) => {
    link.onload = () => resolve(true);
    link.onerror = () => {
      link.remove();
      resolve(false);
    };
    document.head.append(link);
  });
}
