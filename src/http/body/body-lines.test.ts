import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { readBodyLines } from "./body-lines.ts";

const groupLines = 200;

test("between two groups of lines the event loop serves others, also when all lines have arrived and none is JSON", async () => {
  const groups = 50;
  const request = Readable.from([Buffer.from("x\n".repeat(groups * groupLines))]);
  let turns = 0;
  let isReading = true;
  const count = () => {
    turns += 1;
    if (isReading) setImmediate(count);
  };
  setImmediate(count);
  let lines = 0;
  for await (const group of readBodyLines(request as unknown as IncomingMessage)) lines += group.length;
  isReading = false;
  expect(lines).toBe(groups * groupLines);
  expect(turns).toBeGreaterThanOrEqual(groups);
});
