import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory, until } from "../db/testing.ts";
import { openLogOutput } from "./log-output.ts";

const sizes = { minBytes: 3_072, maxBytes: 4_096 };
const lineOf = (index: number) => `${JSON.stringify({ index, text: "ก".repeat(100) })}\n`;

test("lines are written in their order, a few of them within half a second or at the end", async () => {
  const file = join(await temporaryDirectory(), "log");
  const output = openLogOutput({ fd: openSync(file, "a"), ...sizes });
  let expected = "";
  for (let index = 0; index < 1_000; index += 1) {
    output.write(lineOf(index));
    expected += lineOf(index);
  }
  await until(async () => readFileSync(file, "utf8") === expected);
  output.write("last\n");
  output.flushSync();
  expect(readFileSync(file, "utf8")).toBe(`${expected}last\n`);
});

test("a pipe that nobody reads keeps lines waiting up to a bound, and one line says how many were dropped", async () => {
  const pipe = join(await temporaryDirectory(), "pipe");
  execFileSync("mkfifo", [pipe]);
  const fd = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
  const output = openLogOutput({ fd, ...sizes });
  const count = 30_000; // over 4 MiB
  for (let index = 0; index < count; index += 1) output.write(lineOf(index));
  let text = "";
  await until(async () => {
    text += readAvailable(fd);
    return text.includes("were dropped");
  });
  const written = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(written.slice(0, -1).map(({ index }) => index)).toEqual(written.slice(0, -1).map((_, index) => index));
  expect(written.at(-1)).toMatchObject({ level: 40, dropped: count - (written.length - 1) });
  closeSync(fd);
});

function readAvailable(fd: number): string {
  const buffer = Buffer.alloc(1_048_576);
  try {
    return buffer.toString("latin1", 0, readSync(fd, buffer));
  } catch {
    return ""; // EAGAIN
  }
}
