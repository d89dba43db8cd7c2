// The typefaces for `node spec/check/bundle-pages.ts`: of each package the files that are served, the style sheets that name them, and the
// licences. Installed whole, the packages have 14 MB.

import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type AlertFont, alertFontNames, alertFonts } from "../../src/ui/alert-fonts.ts";

const require = createRequire(import.meta.url);
const subsets = ["thai", "latin"] as const;
/** Prompt has more of them in pages: its other weights are the studio's, and its other letters those of donators' names. */
const pageFonts = alertFontNames.filter((name) => name !== "prompt");
const studioWeights = [400, 600];

type Subset = (typeof subsets)[number];

const packageOf = (name: AlertFont) => `@fontsource/${name.replace("_", "-")}`;
const fileOf = (name: AlertFont, subset: string, weight: number) => `${name.replace("_", "-")}-${subset}-${weight}-normal.woff2`;
const readFont = (name: AlertFont, file: string): Buffer => readFileSync(require.resolve(`${packageOf(name)}/files/${file}`));

/** The files of generated/fonts/. `named`: the fonts of Prompt that style sheets name, with the hash that the bundler gives them. */
export function fontFiles(named: readonly string[]): Map<string, Buffer> {
  const plain = named.map((file) => file.replace(/-[^-]+(?=\.woff2$)/, ""));
  const ofStudio = subsets.flatMap((subset) => studioWeights.map((weight) => fileOf("prompt", subset, weight)));
  const prompt = [...plain, ...ofStudio].map((file) => [file, readFont("prompt", file)] as const);
  const others = pageFonts.flatMap((name) => facesOf(name).map(({ file }) => [file, readFont(name, file)] as const));
  const ranges = readFileSync(require.resolve("@fontsource/prompt/unicode.json"));
  return new Map([...prompt, ...others, ["ranges.json", ranges], ["LICENSE.txt", Buffer.from(licences())]]);
}

/** A style sheet for each typeface but Prompt: a page that shows it loads it. */
export function fontSheets(): [name: string, css: string][] {
  return pageFonts.map((name) => [`${name}.css`, facesOf(name).map(faceRule).join("\n")]);
}

type FaceFile = Readonly<{ name: AlertFont; subset: Subset; weight: number; file: string }>;

function facesOf(name: AlertFont): FaceFile[] {
  return subsets.flatMap((subset) =>
    alertFonts[name].weights.map((weight) => ({ name, subset, weight, file: fileOf(name, subset, weight) })),
  );
}

/** A typeface with one weight has it for bold text as well: browsers would thicken it. */
function faceRule({ name, subset, weight, file }: FaceFile): string {
  const { family, weights } = alertFonts[name];
  const named = file.replace(".", `-${hash("sha256", readFont(name, file), "hex").slice(0, 8)}.`);
  const ranges = JSON.parse(readFileSync(require.resolve(`${packageOf(name)}/unicode.json`), "utf8")) as Record<Subset, string>;
  const weightRange = weights.length === 1 ? "400 700" : weight;
  return `@font-face{font-family:${family};font-style:normal;font-display:swap;font-weight:${weightRange};src:url("./${named}") format("woff2");unicode-range:${ranges[subset]}}`;
}

/** The copyright of each typeface, and once the licence of all of them. */
function licences(): string {
  const texts = alertFontNames.map((name) => readFileSync(require.resolve(`${packageOf(name)}/LICENSE`), "utf8").replaceAll("\r", ""));
  const begin = (text: string) => text.indexOf("-----");
  const holders = texts.map((text, index) => `${alertFonts[alertFontNames[index] as AlertFont].family}: ${holderOf(text)}`);
  const [first = ""] = texts;
  const intro = "This Font Software is licensed under the SIL Open Font License, Version 1.1, which is copied below.";
  return `${holders.join("\n")}\n\n${intro}\n\n${first.slice(begin(first)).trim()}\n`;
}

/** The packages repeat the line for each of their files. */
function holderOf(licence: string): string {
  const [line = ""] = licence.split("\n");
  return line.split(/\s+\S+\.ttf:/)[0]?.trim() ?? "";
}
