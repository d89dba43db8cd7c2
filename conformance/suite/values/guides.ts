// Reads the guides that the server serves, and the samples in them.

import MarkdownIt from "markdown-it";
import { expect } from "vitest";

import { target } from "./target.ts";

const languages = ["sh", "js", "python", "ts", "php", "go"] as const;
export type Language = (typeof languages)[number];

export type Sample = {
  /** "2 sh: Record a donation": number, language, and the heading that it stands under. */
  title: string;
  language: Language;
  code: string;
  /** What its output must contain. */
  prints: string[];
};

export type Guide = { slug: string; samples: Sample[] };

/** Every guide with samples; none for a server that is not ours, because the samples need the operator's command line. */
export async function readGuides(): Promise<Guide[]> {
  const { url, operator } = target();
  if (!operator) return [];
  const index = await textOf(`${url}/llms.txt`);
  const pages = [...new Set([...index.matchAll(/\/docs\/([a-z-]+)\.md\b/g)].map(([, slug = ""]) => slug))];
  const guides = await Promise.all(pages.map(async (slug) => ({ slug, samples: samplesOf(await textOf(`${url}/docs/${slug}.md`)) })));
  return guides.filter(({ samples }) => samples.length > 0);
}

async function textOf(address: string): Promise<string> {
  const answer = await fetch(address);
  expect(answer.status, address).toBe(200);
  return answer.text();
}

const parser = new MarkdownIt({ html: true });

/** Fenced blocks of the languages that run; comments below one say what it prints. */
function samplesOf(markdown: string): Sample[] {
  const samples: Sample[] = [];
  let heading = "";
  let afterHeading = false;
  for (const { type, info, content } of parser.parse(markdown, {})) {
    if (afterHeading) heading = content;
    afterHeading = type === "heading_open";
    if (type === "fence" && isLanguage(info))
      samples.push({ title: `${samples.length + 1} ${info}: ${heading}`, language: info, code: content, prints: [] });
    if (type === "html_block") samples.at(-1)?.prints.push(...printed(content));
  }
  return samples;
}

const isLanguage = (info: string): info is Language => (languages as readonly string[]).includes(info);

const printed = (comments: string): string[] => [...comments.matchAll(/<!-- prints: (.*) -->/g)].map(([, text = ""]) => text);
