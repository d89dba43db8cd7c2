import { expect, test } from "vitest";

import { target } from "../../suite/values/target.ts";

/** The links of a page as written, and the ids that a fragment can name. */
type Document = { url: string; status: number; links: string[]; places: Set<string> };

/** The language in which pages are requested, while a rule follows their links. */
let language = "en";
const documents = new Map<string, Promise<Document>>();

/** Requests each address once. */
function documentAt(url: string): Promise<Document> {
  const key = `${language} ${url}`;
  const known = documents.get(key) ?? load(url);
  documents.set(key, known);
  return known;
}

async function load(url: string): Promise<Document> {
  const answer = await fetch(url, { redirect: "manual", headers: { "Accept-Language": language } });
  const type = answer.headers.get("content-type")?.split(";")[0] ?? "";
  const text = await answer.text();
  return { url, status: answer.status, links: linksOf(type, text), places: placesOf(type, text) };
}

function linksOf(type: string, text: string): string[] {
  if (type === "text/html")
    return [...text.matchAll(/<(?:a|link|script)\b[^>]* (?:href|src)="([^"]*)"/g)].map(([, link]) => unescaped(link ?? ""));
  if (type !== "text/markdown" && type !== "text/plain") return [];
  const prose = text.replaceAll(/^```.*?^```$/gms, "").replaceAll(/`[^`\n]*`/g, "code");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link ?? "");
}

/** Returns the ids of a page; for Markdown, the ids that GitHub gives its headings. */
function placesOf(type: string, text: string): Set<string> {
  if (type === "text/html") return new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => unescaped(id ?? "")));
  const headings = [...text.replaceAll(/^```.*?^```$/gms, "").matchAll(/^#+ (.+)$/gm)];
  return new Set(
    headings.map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{M}\p{N}_ -]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

function unescaped(text: string): string {
  return text.replaceAll("&amp;", "&").replaceAll("&quot;", '"').replaceAll("&#39;", "'");
}

const drawnByScript = /\/docs\/reference$/;

/** Returns why a link is broken; null when it works. */
async function faultOf(link: URL): Promise<string | null> {
  const { status, places } = await documentAt(link.href.split("#")[0] as string);
  const fragment = decodeURIComponent(link.hash.slice(1));
  if (status >= 400) return `answers ${status}`;
  return fragment === "" || places.has(fragment) || drawnByScript.test(link.pathname) ? null : "has no element with this id";
}

test.for(["en", "th"])(
  "every link in the documentation pages, their Markdown and llms.txt has a target: %s",
  async (readers, { annotate }) => {
    language = readers;
    const { origin } = new URL(target().url);
    const overview = await documentAt(`${target().url}/docs/`);
    const { links: listed } = await documentAt(`${target().url}/llms.txt`);
    const inside = (link: URL) => link.origin === origin;
    const resolved = ({ url, links }: Document) => links.filter((link) => !link.startsWith("data:")).map((link) => new URL(link, url));
    const starts = [overview.url, ...resolved(overview).map(({ href }) => href), `${target().url}/llms.txt`, ...listed].filter(
      (url) => new URL(url).origin === origin && !url.includes("#"),
    );
    const faults: string[] = [];
    const foreign = new Set<string>();
    for (const document of await Promise.all([...new Set(starts)].map(documentAt)))
      for (const link of resolved(document)) {
        if (!inside(link)) foreign.add(link.href);
        const fault = inside(link) && (await faultOf(link));
        if (fault) faults.push(`${document.url} → ${link.href} ${fault}`);
      }
    expect(starts.length).toBeGreaterThan(20);
    expect(faults).toEqual([]);
    for (const href of foreign) expect(href, "a foreign link").toMatch(/^https:\/\/[\w.-]+\.[a-z]+(\/|$)/);
    await annotate(`links to other sites, not followed: ${[...foreign].sort().join(" ")}`);
  },
);
