import { expect, test } from "vitest";
import { asText } from "../ui/html.ts";
import { plainText, renderMarkdown, slugger } from "./markdown.ts";

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
  expect(page).toContain('<div class="code" data-language="Shell">');
  expect(page).toContain("<code>curl &quot;&lt;x&gt;&quot;\n</code>");
  expect(page).not.toContain("prints");
});

test("a table of a guide scrolls by itself, by keyboard as well", () => {
  expect(rendered("| a |\n|---|\n| b |\n")).toMatch(/^<div class="scroll" tabindex="0".*<table>.*<\/table>\n<\/div>\n$/s);
});

test("the plain text of a Markdown line has no markup", () => {
  expect(plainText("A `code` and a [link](x), **bold**")).toBe("A code and a link, bold");
});
