import { expect, test } from "vitest";
import { readGuides } from "./guides.ts";
import { headingsOf } from "./markdown.ts";
import { readDocument } from "./published-contract.ts";
import { samplesOf, sampleValues } from "./samples.ts";

const { th } = readGuides({ baseUrl: "https://donations.example", quotas: {}, document: readDocument() });
const translations = th.filter(({ language }) => language === "th").map((guide) => [guide.slug, guide] as const);

test("the samples of a guide are its blocks of code with the notes of what they print", () => {
  const markdown = "Text\n\n```sh\na\n\nb\n```\n<!-- prints: c -->\n\nText\n\n```js\nd\n```\n";
  expect(samplesOf(markdown)).toEqual(["```sh\na\n\nb\n```\n<!-- prints: c -->", "```js\nd\n```"]);
});

test("a translation that has more or fewer samples than its original is refused by name", () => {
  const original = "```sh\na\n```\n";
  const values = sampleValues("quickstart.th", original);
  expect(values.end).toThrow("src/docs/guides/quickstart.th.md has fewer {{sample}} than the original has samples (1)");
  expect(values.next()).toBe("```sh\na\n```");
  expect(values.end).not.toThrow();
  expect(values.next).toThrow("src/docs/guides/quickstart.th.md has more {{sample}}");
});

test("the quickstart is translated", () => expect(translations.map(([slug]) => slug)).toContain("quickstart"));

test.each(translations)(
  "the translation of %s has the code, the headings and the links of its original, and no code of its own",
  (_, guide) => {
    const { markdown, original } = guide;
    if (!original) throw new Error("a translation has an original");
    expect(samplesOf(markdown)).toEqual(samplesOf(original.markdown));
    const levels = (text: string) => headingsOf(text).map(({ level }) => level);
    expect(levels(markdown)).toEqual(levels(original.markdown));
    const linksOf = (text: string) => [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link).sort();
    expect(linksOf(markdown)).toEqual(linksOf(original.markdown));
    const namesOf = (text: string) =>
      new Set([...text.replaceAll(/^```[\s\S]*?^```$/gm, "").matchAll(/`([^`\n]+)`/g)].map(([, name]) => name));
    expect(namesOf(markdown)).toEqual(namesOf(original.markdown));
  },
);
