import { expect, test } from "vitest";
import { asMarkdown, fillIn, parseGuide, readGuides, slugs } from "./guides.ts";
import { readDocument } from "./published-contract.ts";

const guides = readGuides({ baseUrl: "https://donations.example", quotas: {}, document: readDocument() });

test("every guide is there, with title, description and nothing left to fill in", () => {
  expect(guides.map(({ slug }) => slug)).toEqual([...slugs]);
  for (const { slug, title, description, markdown } of guides) {
    expect(title.length * description.length, slug).toBeGreaterThan(0);
    if (slug !== "changelog") expect(markdown, slug).not.toContain("{{");
  }
});

test("placeholders are filled wherever they stand; one that does not exist is named, with its guide", () => {
  const values = { "base-url": () => "http://x", scopes: () => "a table" };
  expect(fillIn("g", "at {{base-url}}/docs\n\n{{scopes}}\n", values)).toBe("at http://x/docs\n\na table\n");
  expect(() => fillIn("g", "{{nothing}}", values)).toThrow(/guides\/g\.md: there is no {{nothing}}; there are base-url, scopes/);
  expect(() => fillIn("g", "{{toString}}", values)).toThrow("{{toString}}");
});

test("a guide begins with a title and a paragraph", () => {
  expect(parseGuide("g", "# The title\n\nOne\ntwo.\n\nMore.\n")).toMatchObject({ title: "The title", description: "One two." });
  for (const wrong of ["Text\n", "# Title\n", "# Title\n\n## Heading\n", "# Title\n\n| a |\n", "## Title\n\nText.\n"])
    expect(() => parseGuide("g", wrong), wrong).toThrow("the guide g");
});

test("as Markdown, links lead to the Markdown of other guides, and others stay", () => {
  const markdown = "[a](scopes) [b](errors#rate_limited) [c](./) [d](reference) [e](openapi.json) [f](https://x.example/scopes) [g](#here)";
  expect(asMarkdown({ slug: "index", title: "", description: "", markdown })).toBe(
    "[a](scopes.md) [b](errors.md#rate_limited) [c](index.md) [d](reference) [e](openapi.json) [f](https://x.example/scopes) [g](#here)",
  );
});
