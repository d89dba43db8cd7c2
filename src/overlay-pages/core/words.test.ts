import { expect, test } from "vitest";
import { splitWords } from "./words.ts";

test.each([
  ["ขอบคุณสำหรับสตรีมครับ", ["สตรีม"]],
  ["สตรีมเมอร์โดเนทสตรีม!", ["สตรีมเมอร์", "โดเนท", "สตรีม"]],
  ["สตรีมาก ๆ", []],
  ["โรงเรียนสตรีมหาพฤฒาราม", []],
  ["ยูทูบเบอร์กับยูทูบ", ["ยูทูบเบอร์", "ยูทูบ"]],
  ["stream", []],
])("the words of %s that stay in one line are %j, and its pieces together are the text", (text, words) => {
  const pieces = splitWords(text);
  expect(pieces.filter((_, place) => place % 2 === 1)).toEqual(words);
  expect(pieces.join("")).toBe(text);
});
