import { expect, test } from "vitest";
import { asText, html } from "../../ui/html.ts";
import { axisEnd, barChart } from "./bar-chart.ts";

test.each([
  [0, 1],
  [0.01, 0.01],
  [1, 1],
  [99, 100],
  [101, 120],
  [123.45, 160],
  [5_500_000, 6_000_000],
  [1_000_000, 1_000_000],
  [9_999_999, 10_000_000],
])("the axis of a chart whose highest bar is %d ends with the round number %d", (highest, end) => {
  expect(axisEnd(highest)).toBeCloseTo(end, 9);
});

test("a chart's axis has labels at its end, its half and nothing, and bars are as high as their part of it", () => {
  const bar = (value: number) => ({ value, name: { th: "ก", en: "a" }, shown: html`${String(value)}`, href: "/x" });
  const words = { th: "ก", en: "a" };
  const chart = barChart({
    bars: [bar(0), bar(30), bar(90)],
    axis: { name: words, value: words },
    caption: words,
    format: (value) => `฿${value}`,
  });
  expect(asText(html`${chart}`)).toContain("<span>฿100</span><span>฿50</span><span>฿0</span>");
  expect([...asText(chart).matchAll(/ height="(\d+)"/g)].map(([, height]) => height)).toEqual(["0", "30", "90"]);
});
