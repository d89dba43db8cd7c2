import { expect, test } from "vitest";
import { asText } from "../ui/html.ts";
import { writeFor } from "../ui/reader.ts";
import { readGuides } from "./guides.ts";
import { plainText, renderMarkdown, sectionsOf, slugger } from "./markdown.ts";
import { readDocument } from "./published-contract.ts";

const rendered = (markdown: string) => asText(renderMarkdown(markdown).content);

test("HTML in a guide is escaped", () => {
  expect(rendered("a <b>b</b> <script>x</script>")).toBe("<p>a &lt;b&gt;b&lt;/b&gt; &lt;script&gt;x&lt;/script&gt;</p>\n");
  expect(rendered("[x](javascript:alert)")).not.toContain("<a");
});

test("a heading of a guide links to itself and is listed with its text", () => {
  const { content, headings } = renderMarkdown("# Title\n\n## What `x` is\n\n### rate_limited\n\n## What x is\n");
  expect(headings).toEqual([
    { level: 1, id: "title", text: "Title" },
    { level: 2, id: "what-x-is", text: "What x is" },
    { level: 3, id: "rate_limited", text: "rate_limited" },
    { level: 2, id: "what-x-is-1", text: "What x is" },
  ]);
  expect(asText(content)).toContain('<h1 id="title">Title</h1>');
  expect(asText(content)).toContain('<h2 id="what-x-is"><a class="anchor" href="#what-x-is">What <code>x</code> is</a></h2>');
});

test.each([
  ["What to do?", "what-to-do"],
  ["POST /donations – the fields", "post-donations--the-fields"],
  ["สมชาย ใจดี", "สมชาย-ใจดี"],
  ["rate_limited", "rate_limited"],
  ["a.b (c)", "ab-c"],
])("the heading %s has the anchor that GitHub gives it", (text, slug) => {
  const name = slugger();
  expect([name(text), name(text), name(text)]).toEqual([slug, `${slug}-1`, `${slug}-2`]);
});

test("code in a guide is kept as it is with its language, and notes for the test of the samples are not shown", () => {
  const page = rendered('```sh\ncurl "<x>"\n```\n<!-- prints: 201 -->\n\nText.\n');
  expect(page).toContain('<div class="code" data-name="curl" data-language="sh">');
  expect(page.replaceAll(/<\/?span[^>]*>/g, "")).toContain("<code>curl &quot;&lt;x&gt;&quot;\n</code>");
  expect(page).not.toContain("prints");
});

const blocksIn = (page: string) => [...page.matchAll(/data-name="([^"]+)"/g)].map(([, name]) => name);

test("adjacent samples in several languages are one group, each with the name of its language", () => {
  const page = rendered("Or:\n\n```sh\ncurl x\n```\n<!-- prints: 201 -->\n\n```js\nx()\n```\n\n```python\nx()\n```\n\nText.\n");
  const [, group = ""] = /^<p>Or:<\/p>\n<div class="samples" [^>]*>\n([\s\S]*)<\/div>\n<p>Text/.exec(page) ?? [];
  expect(blocksIn(group)).toEqual(["curl", "Node.js", "Python"]);
  expect(page).toMatch(/role="group" aria-label="[^"]+: Python"/);
});

test("samples with text between them, and what a sample answers, are no group", () => {
  expect(rendered("```js\na\n```\n\nThen:\n\n```python\na\n```\n")).not.toContain("samples");
  expect(rendered("```sh\na\n```\n\n```json\n{}\n```\n")).not.toContain("samples");
});

test("no group of samples in a guide has a language twice", () => {
  for (const { slug, markdown } of readGuides(readDocument(), "https://donations.example").en)
    for (const [group] of rendered(markdown).matchAll(/<div class="samples"[\s\S]*?<\/div>\n<\/div>/g)) {
      expect(blocksIn(group).length, slug).toBeGreaterThan(1);
      expect(new Set(blocksIn(group)).size, slug).toBe(blocksIn(group).length);
    }
});

test("the headings of a translation have the ids of the original, and its labels are in Thai", () => {
  const { content, headings } = writeFor({ language: "th" }, () => renderMarkdown("# ก\n\n## ข\n\n```sh\nls\n```\n", ["a", "b"]));
  expect(headings.map(({ id, text }) => [id, text])).toEqual([
    ["a", "ก"],
    ["b", "ข"],
  ]);
  expect(asText(content)).toContain('aria-label="โค้ด: Shell"');
});

test("a section of a guide has the text below its heading without code and markup", () =>
  expect(sectionsOf("# A\n\nOne `two`\nthree.\n\n```sh\ncode\n```\n\n## B\n\n| c | d |\n|---|---|\n| [e](x) | f |\n")).toEqual([
    { id: "a", title: "A", text: "One two three." },
    { id: "b", title: "B", text: "c d e f" },
  ]));

test("a table of a guide scrolls by itself, by keyboard as well", () => {
  expect(rendered("| a |\n|---|\n| b |\n")).toMatch(/^<div class="scroll" tabindex="0".*<table>.*<\/table>\n<\/div>\n$/s);
});

test("an empty cell in the head of a table is no header", () =>
  expect(rendered("| | a |\n|---|---|\n| b | c |\n")).toMatch(/<tr>\s*<td><\/td>\s*<th>a<\/th>\s*<\/tr>/));

test("the plain text of a Markdown line has no markup", () => {
  expect(plainText("A `code` and a [link](x), **bold**")).toBe("A code and a link, bold");
});
