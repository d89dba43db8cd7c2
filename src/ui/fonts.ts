// Serves the Thai and Latin typefaces of generated/fonts/, so that no page loads a font from another origin.

import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { generatedFolder } from "../http/contract/published.ts";
import type { FindFile } from "../http/files.ts";
import { type AlertFont, alertFontNames, alertFonts } from "./alert-fonts.ts";

const folder = new URL("fonts/", generatedFolder);

/** A file of generated/fonts/, such as `kanit-thai-500-normal.woff2`. */
export const readFont = (file: string): Buffer => readFileSync(new URL(file, folder));

const ranges = JSON.parse(readFont("ranges.json").toString()) as Record<string, string>;

/** Named after its content, such as `prompt-thai-400-3f2kq7xa.woff2`. */
function servedFont(family: string, subset: string, weight: number) {
  const body = readFont(`${family}-${subset}-${weight}-normal.woff2`);
  return { name: `${family}-${subset}-${weight}-${hash("sha256", body, "hex").slice(0, 8)}.woff2`, body };
}

const subsets = ["thai", "latin"];
const ownFaces = subsets.flatMap((subset) => [400, 600].map((weight) => ({ subset, weight, file: servedFont("prompt", subset, weight) })));

/** A typeface in its regular weight, to choose it by its looks. */
const sampleFaces = alertFontNames
  .filter((font) => font !== "prompt")
  .flatMap((font) => {
    const [weight = 400] = alertFonts[font].weights;
    return subsets.map((subset) => ({ font, file: servedFont(font.replace("_", "-"), subset, weight) }));
  });

/** The @font-face rules. `folder` is the address of /fonts/ as the style sheet refers to it. Browsers load only the fonts that a page needs. */
export function fontFaces(folder: string): string {
  return ownFaces
    .map(
      ({ subset, weight, file }) => `@font-face {
  font-family: Prompt; font-style: normal; font-weight: ${weight}; font-display: swap;
  src: url(${folder}${file.name}) format("woff2"); unicode-range: ${ranges[subset]};
}`,
    )
    .join("\n");
}

/** The class of a text in a typeface of alerts. */
export const sampleClass = (font: AlertFont) => `font-${font}`;

/** The rules of `sampleClass`. A text without Thai or Latin letters loads both files. */
export function sampleFontFaces(folder: string): string {
  const faces = sampleFaces.map(
    ({ font, file }) => `@font-face { font-family: ${sampleClass(font)}; src: url(${folder}${file.name}); font-display: swap; }`,
  );
  const fonts = [...new Set(sampleFaces.map(({ font }) => font))];
  return [...faces, ...fonts.map((font) => `.${sampleClass(font)} { font-family: ${sampleClass(font)}, Prompt; }`)].join("\n");
}

export function fontFiles(): FindFile {
  const headers = { "Cross-Origin-Resource-Policy": "same-origin" };
  const served = [...ownFaces, ...sampleFaces].map(({ file: { name, body } }) => {
    return [`/fonts/${name}` as string, { type: "font/woff2", body, cache: "immutable" as const, headers }] as const;
  });
  const files = new Map(served);
  return (path) => files.get(path);
}
