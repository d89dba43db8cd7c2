import { expect, test } from "vitest";
import { highlight } from "./code.ts";
import { readGuides } from "./guides.ts";
import { readDocument } from "./published-contract.ts";

const { en, th } = readGuides(readDocument(), "https://donations.example");
const blocks = [...en, ...th].flatMap(({ markdown }) =>
  [...markdown.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = "", code = ""]) => ({ language, code })),
);

/** The text that a browser shows. */
const shown = (html: string) =>
  html
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");

/** The marked tokens as `kind token`. */
const marks = (code: string, language: string) =>
  [...highlight(code, language).matchAll(/<span class="(\w+)">(.*?)<\/span>/gs)].map(([, kind, token = ""]) => `${kind} ${shown(token)}`);

test("colours change nothing of the code in any guide", () => {
  expect(blocks.length).toBeGreaterThan(60);
  for (const { language, code } of blocks) expect(shown(highlight(code, language))).toBe(code);
});

test("every program and every JSON document of the guides has colours", () => {
  for (const { language, code } of blocks)
    if (language !== "text") expect(marks(code, language).length, `${language}: ${code}`).toBeGreaterThan(1);
});

test("code of an unknown language is escaped and has no colours", () =>
  expect(highlight("<b> 1 & 'x'", "text")).toBe("&lt;b&gt; 1 &amp; &#39;x&#39;"));

test.each([
  [
    "js",
    'const a = await f("x // y", 12); // c',
    ["keyword const", "keyword await", "name f", 'string "x // y"', "number 12", "comment // c"],
  ],
  ["ts", "type A = { b?: `c` }", ["keyword type", "property b", "string `c`"]],
  [
    "python",
    'def f(a=1):  # c\n  return f"{a}"',
    ["keyword def", "name f", "property a", "number 1", "comment # c", "keyword return", 'string f"{a}"'],
  ],
  ["sh", 'curl -i "$URL/a#b" $KEY # c', ["name curl", "keyword -i", 'string "$URL/a#b"', "property $KEY", "comment # c"]],
  ["json", '{"a": "b", "c": [-1.5, null]}', ['property "a"', 'string "b"', 'property "c"', "number -1.5", "keyword null"]],
  ["http", "HTTP/1.1 429 Too Many Requests\nRetry-After: 3", ["keyword HTTP/1.1 429", "property Retry-After"]],
])("the tokens of %s code are marked by their kind: %s", (language, code, expected) => expect(marks(code, language)).toEqual(expected));

test("a JSON body in a shell command has the colours of JSON", () =>
  expect(marks(`curl -d '{"amount": 5}'`, "sh")).toEqual(["name curl", "keyword -d", expect.stringMatching(/^string '/), "number 5"]));
