// Colours as people write them, turned into the form of the contract.

import { formatHex, formatHex8, parse } from "culori";

/**
 * Any colour of CSS (CSS Color 4) as `#rrggbb`, or `#rrggbbaa` where it has an opacity; any other text as it is, for the contract to
 * check. The contract keeps its one form, which programs can read without a parser of CSS and which fits into any style sheet.
 */
export function readColour(typed: string): string {
  if (/^[\da-f]+$/i.test(typed)) return typed; // culori would read digits without #, which CSS does not
  const colour = parse(typed.toLowerCase());
  if (!colour) return typed;
  return colour.alpha === undefined ? formatHex(colour) : formatHex8(colour);
}
