import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { generatedFolder } from "../http/contract/published.ts";

// The bundler rewrites the syntax of scripts and style sheets for the oldest browser that is supported, Chromium 103. It does not know which
// properties, functions and methods that browser has. These came later; each with the version of Chromium.

/** Allowed: a browser without them shows the same with other line breaks, or by the property with a prefix beside it. */
const harmless = /text-wrap:balance|(?<=-webkit-mask-image:[^;}]*;)mask-image:/g;

const laterCss: [name: string, since: number, pattern: RegExp, example: string][] = [
  ["individual transforms", 104, /[{;](?:rotate|scale|translate):/, "a{rotate:45deg}"],
  ["ranges in media queries", 104, /@media[^{]*[<>]/, "@media (width>=9px){a{color:red}}"],
  ["container queries", 105, /@container|[{;]container(?:-\w+)?:|\dcq[whibm]/, "a{width:9cqw}"],
  [":has() and :modal", 105, /:has\(|:modal/, "a:has(b){color:red}"],
  ["small, large and dynamic viewports", 108, /\d[sld]v(?:h|w|b|i|min|max)\b/, "a{height:100dvh}"],
  ["line heights as units", 109, /\dr?lh\b/, "a{height:2lh}"],
  ["colours of other spaces", 111, /color-mix\(|oklch\(|oklab\(|\blch\(|\blab\(|[\s:,(]color\(/, "a{color:color-mix(in srgb,red,blue)}"],
  ["trigonometry", 111, /[\s:,(*+/-](?:sin|cos|a?tan2?|asin|acos|pow|sqrt|hypot|log|exp)\(/, "a{width:calc(1px*cos(1rad))}"],
  ["nesting", 112, /[{;}]\s*&/, "a{&:hover{color:red}}"],
  ["linear() and animation-composition", 113, /[\s:,]linear\(|animation-composition/, "a{transition:all 1s linear(0,1)}"],
  ["animations by scrolling", 115, /(?:scroll|view|animation)-timeline|animation-range/, "a{animation-timeline:scroll()}"],
  [
    "starting styles and view transitions",
    117,
    /@starting-style|transition-behavior|view-transition|subgrid/,
    "@starting-style{a{color:red}}",
  ],
  ["scopes", 118, /@scope/, "@scope (a){b{color:red}}"],
  ["relative colours and masks without a prefix", 120, /\(from |[{;]mask(?:-\w+)?:/, "a{mask-image:none}"],
  ["colours of scroll bars", 121, /scrollbar-(?:color|width)/, "a{scrollbar-width:none}"],
  ["light-dark() and field-sizing", 123, /light-dark\(|field-sizing|text-spacing-trim/, "a{color:light-dark(red,blue)}"],
  ["anchors", 125, /anchor-name|position-(?:anchor|area|try)|anchor\(/, "a{anchor-name:--b}"],
  ["sizes to animate", 129, /interpolate-size|calc-size\(/, "a{interpolate-size:allow-keywords}"],
  ["wrapping", 114, /text-wrap|white-space-collapse|text-box|text-autospace/, "a{text-wrap:pretty}"],
  ["conditions in values, and print-color-adjust", 136, /[\s:,(]if\(|[{;]print-color-adjust/, "a{print-color-adjust:exact}"],
];

const laterScript: [name: string, since: number, pattern: RegExp, example: string][] = [
  ["checkVisibility and the Sanitizer", 105, /\.checkVisibility\(|\.setHTML\(/, "a.checkVisibility()"],
  ["copying methods of arrays", 110, /\.(?:toSorted|toReversed|toSpliced)\(/, "a.toSorted()"],
  ["AbortSignal.any", 116, /AbortSignal\.any/, "AbortSignal.any([])"],
  ["groupBy", 117, /(?:Object|Map)\.groupBy/, "Map.groupBy(a,b)"],
  ["Promise.withResolvers and Array.fromAsync", 121, /withResolvers|fromAsync/, "Promise.withResolvers()"],
  [
    "methods of sets and iterators",
    122,
    /Iterator\.|\.(?:isSubsetOf|isSupersetOf|isDisjointFrom|symmetricDifference|intersection)\(/,
    "a.isSubsetOf(b)",
  ],
  ["URL.parse, Promise.try and RegExp.escape", 126, /URL\.parse\(|Promise\.try|RegExp\.escape/, "URL.parse(a)"],
];

const folder = new URL("overlay/", generatedFolder);
const textOf = (ending: string) => {
  const names = readdirSync(folder).filter((name) => name.endsWith(ending));
  expect(names).not.toEqual([]);
  return names.map((name) => readFileSync(new URL(name, folder), "utf8"));
};

test.each(laterCss)("style sheets of overlay and widgets do without %s, which came with Chromium %i", (_name, _since, pattern, example) => {
  expect(example, "the pattern finds its example").toMatch(pattern);
  for (const css of textOf(".css")) expect(css.replace(harmless, "")).not.toMatch(pattern);
});

test.each(laterScript)("scripts of overlay and widgets do without %s, which came with Chromium %i", (_name, _since, pattern, example) => {
  expect(example, "the pattern finds its example").toMatch(pattern);
  for (const script of textOf(".js")) expect(script).not.toMatch(pattern);
});

test("every theme begins its list of fonts with one that is served", () => {
  const css = textOf(".css").join("");
  const served = new Set([...css.matchAll(/@font-face\{[^}]*font-family:"?([^;"}]+)/g)].map(([, name]) => name));
  const firsts = [...css.matchAll(/--font:\s*"?([^,;"}]+)/g)].map(([, name]) => name);
  expect(firsts.length).toBeGreaterThan(1);
  for (const first of firsts) expect(served).toContain(first);
});
