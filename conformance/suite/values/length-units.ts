// Interface 2.1 and 8 count texts in "characters" and do not say what a character is: a code point, a UTF-16 unit or a grapheme.

import { type LengthUnit, target } from "./target.ts";

const segmenter = new Intl.Segmenter("und", { granularity: "grapheme" });

const countOf: Record<Exclude<LengthUnit, "all">, (text: string) => number> = {
  "code-points": (text) => [...text].length,
  "utf-16": (text) => text.length,
  graphemes: (text) => [...segmenter.segment(text)].length,
};

/** The unit of this run. */
export const lengthUnit = (): LengthUnit => target().lengthUnit;

/** The fewest characters that a sound server may count in this text. */
export const fewest = (text: string, unit: LengthUnit): number => countOf[unit === "all" ? "graphemes" : unit](text);

/** The most characters that a sound server may count in this text. */
export const most = (text: string, unit: LengthUnit): number => countOf[unit === "all" ? "utf-16" : unit](text);
