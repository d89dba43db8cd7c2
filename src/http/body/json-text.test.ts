import { describe, expect, test } from "vitest";
import { memberNames, parseJson, storable } from "./json-text.ts";

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
