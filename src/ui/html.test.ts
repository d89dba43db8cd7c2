import { expect, test } from "vitest";
import { asText, html, trusted } from "./html.ts";

test("the html template escapes every value, in text and in quoted attributes", () => {
  const name = `<script>alert("1")</script> & 'co'`;
  expect(asText(html`<p title="${name}">${name}</p>`)).toBe(`<p title="${escaped}">${escaped}</p>`);
});

const escaped = "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;co&#39;";

test("nested html templates and lists of them are not escaped again", () => {
  const items = ["a", "<b>"].map((item) => html`<li>${item}</li>`);
  expect(asText(html`<ul>${items}</ul>`)).toBe("<ul><li>a</li><li>&lt;b&gt;</li></ul>");
});

test("null, undefined and false in an html template render nothing, and zero is rendered", () => {
  expect(asText(html`[${null}${undefined}${false}${0}]`)).toBe("[0]");
});

test("an object that only looks like the result of an html template is not rendered as HTML", () => {
  const forged = JSON.parse('{"markup":"<script>","Symbol(markup)":"<script>"}');
  expect(() => asText(html`<p>${forged}</p>`)).toThrow(TypeError);
});

test("trusted text is rendered without escapes", () => {
  expect(asText(html`${trusted("a > b")}`)).toBe("a > b");
});
