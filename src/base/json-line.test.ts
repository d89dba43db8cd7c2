import { expect, test } from "vitest";
import { jsonLine } from "./json-line.ts";

test("JSON of any text is one line of printable characters, and means what it meant", () => {
  const ends = "\n\v\f\r\u001c\u001d\u001e\u0085\u2028\u2029";
  const line = jsonLine({ message: `a${ends}b "\\u2028"`, [ends]: 1 });
  expect(line).not.toMatch(/[\n\v\f\r\u001c-\u001e\u0085\u2028\u2029]/);
  expect(JSON.parse(line)).toEqual({ message: `a${ends}b "\\u2028"`, [ends]: 1 });
});
