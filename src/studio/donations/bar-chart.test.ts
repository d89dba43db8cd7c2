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

const words = { th: "ก", en: "a" };
const bar = (value: number) => ({ value, name: words, shown: html`${String(value)}`, href: "/x" });
const chartOf = (values: readonly number[], scale: "linear" | "log") =>
  asText(barChart({ bars: values.map(bar), scale, caption: words, format: (value) => `฿${value}` }));
const labelsOf = (chart: string) =>
  [...(/class="scale".*?<\/p>/s.exec(chart)?.[0] ?? "").matchAll(/<span>(.*?)<\/span>/g)].map(([, text]) => text);
const heightsOf = (chart: string) => [...chart.matchAll(/ height="(\d+)"/g)].map(([, height]) => Number(height));

test("a linear axis has labels at its end, its quarters and nothing, and bars are as high as their part of it", () => {
  const chart = chartOf([0, 30, 90], "linear");
  expect(labelsOf(chart)).toEqual(["฿100", "฿75", "฿50", "฿25", "฿0"]);
  expect(heightsOf(chart)).toEqual([0, 30, 90]);
});

test("on a logarithmic axis each label is ten times the one below, and one large amount leaves small ones visible", () => {
  const chart = chartOf([0, 20, 50, 100_000], "log");
  expect(labelsOf(chart)).toEqual(["฿100000", "฿10000", "฿1000", "฿100", "฿10"]);
  expect(heightsOf(chart)).toEqual([0, 8, 17, 100]);
  expect(heightsOf(chartOf([0, 20, 50, 100_000], "linear"))).toEqual([0, 1, 1, 100]);
});

test("a logarithmic axis of equal amounts, or of none, still has two labels or more", () => {
  expect(labelsOf(chartOf([10, 10], "log"))).toEqual(["฿100", "฿10"]);
  expect(labelsOf(chartOf([0], "log"))).toHaveLength(5);
});

test("Tab reaches one bar of a chart, the last one, and at most six bars have a label below", () => {
  const chart = chartOf(Array(90).fill(1), "linear");
  expect(chart.match(/tabindex="-1"/g)).toHaveLength(89);
  expect(chart.match(/<span><span>/g)?.length).toBeLessThanOrEqual(6);
});
