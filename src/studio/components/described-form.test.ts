import { expect, test } from "vitest";
import { readColour } from "./described-form.ts";

test.each([
  ["#FFF", "#ffffff"],
  ["27c7a5", "27c7a5"],
  ["color(display-p3 0 0 0 / 0.5)", "#00000080"],
  ["#1234", "#11223344"],
  ["Lime", "#00ff00"],
  ["rebeccapurple", "#663399"],
  ["#27c7a5", "#27c7a5"],
  ["limes", "limes"],
  ["transparent", "#00000000"],
  ["rgb(20, 40, 60)", "#14283c"],
  ["RGB(20 40 60 / 50%)", "#14283c80"],
  ["rgba(100%, 0%, 20%, .25)", "#ff003340"],
  ["rgb(300 -5 none)", "#ff0000"],
  ["hsl(120 100% 25%)", "#008000"],
  ["hsla(-0.5turn, 100%, 50%, 1)", "#00ffffff"],
  ["hwb(120deg 0% 49.8039%)", "#008000"],
  ["hwb(45 60% 60%)", "#808080"],
  ["lab(46.2775% -47.5621 48.5837)", "#008000"],
  ["lch(46.2775% 67.9892 134.3912)", "#008000"],
  ["oklab(51.975% -0.1403 0.10768)", "#008000"],
  ["oklch(51.975% 0.17686 142.495)", "#008000"],
  ["rgb(1, 2)", "rgb(1, 2)"],
  ["rgb(1, 2, 3, 4, 5)", "rgb(1, 2, 3, 4, 5)"],
  ["rgb(1, 2, red)", "rgb(1, 2, red)"],
  ["url(//x)", "url(//x)"],
  ["rgb(1, 2, 3);}", "rgb(1, 2, 3);}"],
])("the colour %s is read as %s", (typed, colour) => {
  expect(readColour(typed)).toBe(colour);
});
