import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { fitsInWord, printing } from "../../suite/client/trace.ts";

const print = (bytes: Buffer): Buffer => execFileSync("bash", ["-c", printing(bytes)], { maxBuffer: 2 ** 25 });

test.each<[string, Buffer]>([
  ["every byte", Buffer.from(Array.from({ length: 512 }, (_, index) => index % 256))],
  ["digits behind a NUL", Buffer.from("\x001\0%s\\'9")],
  ["10 MiB of one byte between others", Buffer.concat([Buffer.from("RIFF\0"), Buffer.alloc(10_485_760), Buffer.from("'end'")])],
  ["a long run of a byte that a shell reads", Buffer.from(`{"a":"${"'".repeat(5_000)}"}`)],
])("bash prints %s as they are", (_, bytes) => {
  expect(print(bytes).equals(bytes)).toBe(true);
});

test("10 MiB of padding are a short command", () => {
  expect(printing(Buffer.alloc(10_485_760, " ")).length).toBeLessThan(100);
});

test("a NUL and more than Linux passes to a program fit in no word", () => {
  expect([Buffer.from("{}"), Buffer.from("a\0b"), Buffer.alloc(200_000, "x")].map(fitsInWord)).toEqual([true, false, false]);
});
