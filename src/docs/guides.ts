// The list of guides, and their Markdown with all placeholders filled in.

import { readFileSync } from "node:fs";
import type { Language } from "../ui/reader.ts";
import type { Document, Schema } from "./published-contract.ts";
import { firebotListId } from "./recipes.ts";
import { deprecatedTable, errorParagraphs, limitsTable, operationsTable, type Quotas, scopesTable, toolsTable } from "./tables.ts";

export type Guide = Readonly<{
  slug: string;
  language: Language;
  title: string;
  /** The first paragraph, as Markdown. */
  description: string;
  markdown: string;
  /** The guide that this one is a translation of; its headings have the same ids. */
  original?: Guide;
}>;

/** The guides as readers of each language read them: in English where there is no translation. */
export type Guides = Readonly<Record<Language, readonly Guide[]>>;

/** In the order in which they are read. `index` is the overview, `changelog` the repository's. */
export const slugs = [
  "index",
  "quickstart",
  "authentication",
  "scopes",
  "rate-limits",
  "idempotency",
  "errors",
  "overlay",
  "studio",
  "events",
  "webhooks",
  "recipes",
  "mcp",
  "importing-donations",
  "moving-from-streamlabs",
  "typescript",
  "languages",
  "versions",
  "changelog",
] as const;

/** Guides that are written in Thai as well: `guides/quickstart.th.md`. */
const inThai: ReadonlySet<string> = new Set(["quickstart", "authentication", "overlay", "studio", "events", "webhooks"]);

/** `quotas`: of the operator. Throws an Error that names the guide and what is wrong with it. */
export function readGuides(document: Document, baseUrl: string, quotas: Quotas = {}): Guides {
  const values: Values = {
    "base-url": () => baseUrl,
    scopes: () => scopesTable(document),
    limits: () => limitsTable(document, quotas),
    errors: () => errorParagraphs(document),
    operations: () => operationsTable(document),
    tools: () => toolsTable(document),
    "most in a list": () => document.components.schemas.ImportBatch.properties.donations.maxItems.toLocaleString("en"),
    "firebot list": () => firebotListId,
    deprecated: () => deprecatedTable(document),
    ...Object.fromEntries(Object.entries(boundsOf(document)).map(([member, words]) => [`bounds of ${member}`, () => words])),
    "events-client": () => readFileSync(new URL("guides/events-client.ts", import.meta.url), "utf8").trimEnd(),
    "typed-client": () => readFileSync(new URL("guides/typed-client.ts", import.meta.url), "utf8").trimEnd(),
  };
  const en = slugs.map((slug) => parseGuide(slug, slug === "changelog" ? readChangelog() : fillIn(slug, readGuide(slug), values)));
  return { en, th: en.map((guide) => (inThai.has(guide.slug) ? translation(guide, values) : guide)) };
}

/** A guide in Thai: `{{sample}}` stands for the next sample of the original. */
function translation(original: Guide, values: Values): Guide {
  const name = `${original.slug}.th`;
  const samples = sampleValues(name, original.markdown);
  const markdown = fillIn(name, readGuide(name), { ...values, sample: samples.next });
  samples.end();
  return { ...parseGuide(original.slug, markdown), language: "th", original };
}

type Values = Readonly<Record<string, () => string>>;

/** Fills placeholders such as `{{limits}}`. Throws an Error for one that does not exist. */
export function fillIn(slug: string, markdown: string, values: Values): string {
  return markdown.replace(/\{\{\s*([^{}]*?)\s*\}\}/g, (_, name: string) => {
    const value = Object.hasOwn(values, name) && values[name];
    if (!value) throw new Error(`src/docs/guides/${slug}.md: there is no {{${name}}}; there are ${Object.keys(values).join(", ")}`);
    return value();
  });
}

/** Throws an Error when it does not begin with a title and a paragraph. */
export function parseGuide(slug: string, markdown: string): Guide {
  const [, title, description] = /^# (.+)\n\n((?:[^\s#`|<-].*\n)+)/.exec(markdown) ?? [];
  if (!title || !description) throw new Error(`the guide ${slug} must begin with "# Title" and a paragraph`);
  return { slug, language: "en", title, description: description.trim().replaceAll("\n", " "), markdown };
}

/** The guide as it is served as Markdown: its links lead to the Markdown of other guides. */
export function asMarkdown({ markdown }: Guide): string {
  return markdown
    .replaceAll(/\]\(\.\/(#[^)\s]*)?\)/g, (_, fragment = "") => `](index.md${fragment})`)
    .replaceAll(/\]\(([a-z-]+)(#[^)\s]*)?\)/g, (link, slug, fragment = "") => (isSlug(slug) ? `](${slug}.md${fragment})` : link));
}

const isSlug = (name: string) => (slugs as readonly string[]).includes(name);

const readGuide = (slug: string) => readFileSync(new URL(`guides/${slug}.md`, import.meta.url), "utf8");
const readChangelog = () => readFileSync(new URL("../../CHANGELOG.md", import.meta.url), "utf8");

// Describes the bounds of a donation's members in words for the guides, from the contract, where each bound is defined once.

/** Such as `1 to 50 characters` or `above 0, at most 1,000,000`, by member of createDonation's body; members without bounds are left out. */
export function boundsOf({ components: { schemas } }: Document): Record<string, string> {
  const members = Object.entries(schemas.ExternalDonation.properties).map(([name, member]) => {
    const scalar = schemas[member.$ref?.split("/").at(-1) ?? ""] as Schema | undefined;
    return [name, inWords({ ...scalar, ...member })];
  });
  return Object.fromEntries(members.filter(([, words]) => words !== ""));
}

function inWords({ minLength = 0, maxLength, exclusiveMinimum, maximum }: Schema): string {
  const number = (bound: number) => bound.toLocaleString("en");
  if (maxLength !== undefined) return `${minLength > 0 ? `${number(minLength)} to ` : "at most "}${number(maxLength)} characters`;
  const bounds = [
    exclusiveMinimum === undefined ? "" : `above ${number(exclusiveMinimum)}`,
    maximum === undefined ? "" : `at most ${number(maximum)}`,
  ];
  return bounds.filter(Boolean).join(", ");
}

// The samples of a guide, for its translation: they are written once.

/** Each block of code of a guide, with the notes of what it prints, in order. */
export function samplesOf(markdown: string): string[] {
  return (markdown.match(/^```.*\n[\s\S]*?^```\n(?:<!-- prints: .* -->\n)*/gm) ?? []).map((sample) => sample.trimEnd());
}

/** Values of `{{sample}}`: the samples, one after the other. Throws an Error that names the translation when one is missing or left over. */
export function sampleValues(name: string, original: string): { next: () => string; end: () => void } {
  const samples = samplesOf(original);
  let taken = 0;
  const fault = (words: string) =>
    new Error(`src/docs/guides/${name}.md has ${words} {{sample}} than the original has samples (${samples.length})`);
  return {
    next: () => {
      const sample = samples[taken++];
      if (sample === undefined) throw fault("more");
      return sample;
    },
    end: () => {
      if (taken < samples.length) throw fault("fewer");
    },
  };
}
