// The typefaces that alerts and widgets can have, and their weights that are served: those of text and of what is bold.

import type { components } from "../../generated/api.d.ts";

export type AlertFont = components["schemas"]["AlertFont"];
type Face = Readonly<{ family: string; weights: readonly number[] }>;

export const alertFonts: Readonly<Record<AlertFont, Face>> = {
  prompt: { family: "Prompt", weights: [500, 700] },
  kanit: { family: "Kanit", weights: [500, 700] },
  sarabun: { family: "Sarabun", weights: [500, 700] },
  mitr: { family: "Mitr", weights: [500, 700] },
  k2d: { family: "K2D", weights: [500, 700] },
  chakra_petch: { family: "Chakra Petch", weights: [500, 700] },
  mali: { family: "Mali", weights: [500, 700] },
  itim: { family: "Itim", weights: [400] },
  sriracha: { family: "Sriracha", weights: [400] },
  pattaya: { family: "Pattaya", weights: [400] },
  charm: { family: "Charm", weights: [400, 700] },
};

export const alertFontNames = Object.keys(alertFonts) as unknown as readonly [AlertFont, ...AlertFont[]];

/** For letters that a typeface lacks, Prompt and then a typeface of the system. */
export const familiesOf = (name: AlertFont) => `"${alertFonts[name].family}", "Prompt", sans-serif`;
