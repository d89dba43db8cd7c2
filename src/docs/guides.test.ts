import { expect, test } from "vitest";
import { asMarkdown, fillIn, parseGuide, readGuides, slugs } from "./guides.ts";
import { readDocument } from "./published-contract.ts";

const { en: guides } = readGuides({ baseUrl: "https://donations.example", quotas: {}, document: readDocument() });

test("every guide is published with title and description, and without a placeholder", () => {
  expect(guides.map(({ slug }) => slug)).toEqual([...slugs]);
  for (const { slug, title, description, markdown } of guides) {
    expect(title.length * description.length, slug).toBeGreaterThan(0);
    if (slug !== "changelog") expect(markdown, slug).not.toContain("{{");
  }
});

test("placeholders are filled everywhere in a guide, and an unknown one is named with its guide", () => {
  const values = { "base-url": () => "http://x", scopes: () => "a table" };
  expect(fillIn("g", "at {{base-url}}/docs\n\n{{scopes}}\n", values)).toBe("at http://x/docs\n\na table\n");
  expect(() => fillIn("g", "{{nothing}}", values)).toThrow(/guides\/g\.md: there is no {{nothing}}; there are base-url, scopes/);
  expect(() => fillIn("g", "{{toString}}", values)).toThrow("{{toString}}");
});

test("a guide must begin with a title and a paragraph", () => {
  expect(parseGuide("g", "# The title\n\nOne\ntwo.\n\nMore.\n")).toMatchObject({ title: "The title", description: "One two." });
  for (const wrong of ["Text\n", "# Title\n", "# Title\n\n## Heading\n", "# Title\n\n| a |\n", "## Title\n\nText.\n"])
    expect(() => parseGuide("g", wrong), wrong).toThrow("the guide g");
});

test("links between guides point to Markdown in a guide's Markdown form, and other links stay as they are", () => {
  const markdown = "[a](scopes) [b](errors#rate_limited) [c](./) [d](reference) [e](openapi.json) [f](https://x.example/scopes) [g](#here)";
  expect(asMarkdown({ slug: "index", language: "en", title: "", description: "", markdown })).toBe(
    "[a](scopes.md) [b](errors.md#rate_limited) [c](index.md) [d](reference) [e](openapi.json) [f](https://x.example/scopes) [g](#here)",
  );
});
