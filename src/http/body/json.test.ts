import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lineSplitter, memberNames, parseJson, readBodyLines, storable } from "./json.ts";

const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

describe("JSON bodies", () => {
  test("a JSON body with 32 levels of nesting is accepted, and one with 33 is refused", () => {
    expect(parseJson(nested(32))).toBeDefined();
    expect(() => parseJson(nested(33))).toThrow("deeper than 32");
  });

  test("brackets side by side in a JSON body do not count as nesting", () => {
    expect(parseJson(`[${Array.from({ length: 100 }, () => "[{}]").join(",")}]`)).toHaveLength(100);
  });

  test("brackets inside strings of a JSON body do not count as nesting", () => {
    expect(parseJson(JSON.stringify({ message: `\\"${"[{".repeat(100)}` }))).toBeDefined();
  });

  test("the last of duplicate members of a JSON body is used", () => {
    expect(parseJson('{"a":1,"a":2}')).toEqual({ a: 2 });
  });

  test("__proto__ in a JSON body is an ordinary member, which can be named as unknown", () => {
    expect(Object.keys(parseJson('{"__proto__":1,"x":"\\u0000"}') as object)).toEqual(["__proto__", "x"]);
  });

  test("memberNames returns the names of the outermost object, with repetitions", () => {
    const text = '{ "a" : "b\\":", "\\u0061":{"a":1,"c":[{"d":2}]}, "e":["f",{"g":1}] ,"":"}","a"\n:null}';
    expect(memberNames(text)).toEqual(["a", "a", "e", "", "a"]);
    expect(["[]", '"a:"', '[{"a":1}]', "1", "{}"].flatMap(memberNames)).toEqual([]);
  });

  test("NUL and lone surrogates in a JSON body become U+FFFD, and surrogate pairs stay", () => {
    expect(parseJson('["a\\u0000b","\\ud800","\\udc00x","\\ud83d\\ude00"]')).toEqual(["a\uFFFDb", "\uFFFD", "\uFFFDx", "😀"]);
    expect(storable("\ud83d")).toBe("\uFFFD");
  });

  test.each(["", "  ", "{", "nul", '{"a":1}}', "\ufeff\ufeff{}"])("the JSON body %j is malformed", (text) => {
    expect(() => parseJson(text)).toThrow();
  });
});

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

const maxBytes = 8;

function linesOf(chunks: readonly Buffer[]): (string | null)[] {
  const splitter = lineSplitter(maxBytes);
  const raw = [...chunks.flatMap((chunk) => [...splitter.push(chunk)]), ...splitter.end()];
  return raw.map((line) => line?.toString("latin1") ?? null);
}

/** The lines of a text, said a second time: by String.split. */
function linesOfText(text: string): (string | null)[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.map((line) => (line.length > maxBytes ? null : line));
}

test("bytes have the same lines however they are cut into chunks, and a line above the limit is null", () => {
  const texts = fc.string({ unit: fc.constantFrom("a", "b", "\r", "\n"), maxLength: 60 });
  fc.assert(
    fc.property(texts, fc.array(fc.nat(60), { maxLength: 10 }), (text, cuts) => {
      const bytes = Buffer.from(text, "latin1");
      const places = [0, ...cuts.filter((cut) => cut <= bytes.length).sort((a, b) => a - b), bytes.length];
      const chunks = places.slice(1).map((place, index) => bytes.subarray(places[index], place));
      expect(linesOf(chunks)).toEqual(linesOfText(text));
    }),
  );
});

test("a line of exactly the limit is a line, and one byte more is null", () => {
  expect(linesOf([Buffer.from(`${"x".repeat(maxBytes)}\n${"x".repeat(maxBytes + 1)}\ny`)])).toEqual(["x".repeat(maxBytes), null, "y"]);
});
