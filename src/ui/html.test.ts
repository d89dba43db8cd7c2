import { expect, test } from "vitest";
import { asText, html, trusted } from "./html.ts";

test("every value is escaped, in text and in quoted attributes", () => {
  const name = `<script>alert("1")</script> & 'co'`;
  expect(asText(html`<p title="${name}">${name}</p>`)).toBe(`<p title="${escaped}">${escaped}</p>`);
});

const escaped = "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;co&#39;";

test("pieces nest and lists join without being escaped again", () => {
  const items = ["a", "<b>"].map((item) => html`<li>${item}</li>`);
  expect(asText(html`<ul>${items}</ul>`)).toBe("<ul><li>a</li><li>&lt;b&gt;</li></ul>");
});

test("null, undefined and false leave nothing behind; zero stays", () => {
  expect(asText(html`[${null}${undefined}${false}${0}]`)).toBe("[0]");
});

test("an object that only looks like a piece is none", () => {
  const forged = JSON.parse('{"markup":"<script>","Symbol(markup)":"<script>"}');
  expect(asText(html`<p>${forged}</p>`)).not.toContain("script");
});

test("trusted text stays as it is", () => {
  expect(asText(html`${trusted("a > b")}`)).toBe("a > b");
});
