// The documentation as files for http/files.ts. Everything except the reference page's script is rendered at once.

import { readFileSync } from "node:fs";
import { makeSite } from "../http/base-url.ts";
import { readGenerated } from "../http/document.ts";
import type { FindFile, StaticFile } from "../http/files.ts";
import { fontFaces } from "../ui/fonts.ts";
import { html } from "../ui/html.ts";
import { palette } from "../ui/palette.ts";
import { asMarkdown, type Guide, readGuides } from "./guides.ts";
import { type DocsPage, type NavigationEntry, renderDocsPage } from "./layout.ts";
import { llmsText } from "./llms.ts";
import { plainText, renderMarkdown } from "./markdown.ts";
import { type Document, eventsPublishedAt, publishedAt, readDocument } from "./published-contract.ts";
import { reference } from "./reference.ts";
import { scalarName, scalarProgram } from "./scalar.ts";
import type { Quotas } from "./tables.ts";

export type DocsDeps = Readonly<{
  brand: string;
  baseUrl: string;
  /** The operator's rate limits, where they differ from the contract's. */
  limitOverrides: Quotas;
}>;

const root = "/docs/";

/** Returns a function that finds the file of a path; undefined for paths outside the documentation. It throws when a guide is invalid. */
export function docsFiles({ brand, baseUrl, limitOverrides }: DocsDeps): FindFile {
  const document = readDocument();
  const guides = readGuides({ baseUrl, quotas: limitOverrides, document });
  const common = { brand, navigation: navigationOf(guides) };
  const files = new Map<string, StaticFile>([
    ["/", { location: "docs/", isTemporary: true }],
    ["/docs", { location: "docs/" }],
    ["/llms.txt", textFile("text/plain", llmsText(document, guides, baseUrl))],
    ...guides.flatMap((guide) => guideFiles(guide, common)),
    ...referenceFiles(document, baseUrl, common),
    ...assetFiles(),
  ]);
  const missing = notFound({ ...common, root: makeSite({ brand, baseUrl }).path(root) });
  return (path) => files.get(path) ?? (path.startsWith(root) ? (withoutSlash(path, files) ?? missing) : undefined);
}

type Common = Pick<DocsPage, "brand" | "navigation">;
type Entry = [path: string, file: StaticFile];

function navigationOf(guides: readonly Guide[]): NavigationEntry[] {
  const entries = guides.map((guide) => ({ href: hrefOf(guide), title: guide.slug === "index" ? "Overview" : guide.title }));
  const changelog = entries.findIndex(({ href }) => href === "changelog");
  return entries.toSpliced(changelog, 0, { href: "reference", title: reference.title });
}

const hrefOf = ({ slug }: Guide) => (slug === "index" ? "." : slug);

function guideFiles(guide: Guide, common: Common): Entry[] {
  const page = renderDocsPage({
    ...common,
    ...renderMarkdown(guide.markdown),
    title: guide.title,
    description: plainText(guide.description),
    href: hrefOf(guide),
    markdown: `${guide.slug}.md`,
  });
  return [
    [guide.slug === "index" ? root : root + guide.slug, pageFile(page)],
    [`${root}${guide.slug}.md`, textFile("text/markdown", asMarkdown(guide))],
  ];
}

function referenceFiles(document: Document, baseUrl: string, common: Common): Entry[] {
  const page = renderDocsPage({ ...common, ...reference, href: "reference", wide: true });
  return [
    [`${root}reference`, pageFile(page, referencePolicy)],
    [`${root}openapi.json`, jsonFile(publishedAt(document, baseUrl))],
    [`${root}openapi-3.2.json`, jsonFile(publishedAt(readGenerated("openapi-3.2.json"), baseUrl))],
    [`${root}asyncapi.json`, jsonFile(eventsPublishedAt(readGenerated("asyncapi.json"), baseUrl))],
    [`${root}assets/${scalarName}`, scalarProgram()],
  ];
}

function jsonFile(content: object): StaticFile {
  return textFile("application/json", JSON.stringify(content));
}

function assetFiles(): Entry[] {
  const read = (name: string) => readFileSync(new URL(`page/${name}`, import.meta.url), "utf8");
  const asset = (type: string, name: string, before = ""): Entry => [`${root}assets/${name}`, textFile(type, before + read(name))];
  return [
    asset("text/css", "frame.css", `${fontFaces("../../fonts/")}\n${palette}\n`),
    ...["guide.css", "reference.css"].map((name) => asset("text/css", name)),
    ...["guide.js", "reference.js"].map((name) => asset("text/javascript", name)),
  ];
}

/** The page for an unknown path. */
function notFound(common: Common & { root: string }): StaticFile {
  const content = html`<h1>Page not found</h1>
<p>The page may have moved. The <a href="${common.root}.">overview</a> and the menu lead to all pages; every operation is described in the
<a href="${common.root}reference">API reference</a>.</p>`;
  const page = renderDocsPage({ ...common, content, title: "Not found", description: "There is no such page.", href: null });
  return { ...pageFile(page), status: 404 };
}

/** A redirect for a page's address with a trailing slash. */
function withoutSlash(path: string, files: ReadonlyMap<string, StaticFile>): StaticFile | undefined {
  const name = /^\/docs\/([^/]+)\/$/.exec(path)?.[1];
  return name !== undefined && files.has(root + name) ? { location: `../${name}` } : undefined;
}

const policy = {
  "default-src": "'none'",
  "script-src": "'self'",
  "style-src": "'self'",
  "font-src": "'self'",
  "img-src": "'self' data:",
  "connect-src": "'none'",
  "form-action": "'none'",
  "frame-ancestors": "'none'",
  "base-uri": "'none'",
};

/** Scalar needs inline styles for rendering, and connections for reading the contract and for its "Test request". */
const referencePolicy = { ...policy, "style-src": "'self' 'unsafe-inline'", "connect-src": "'self'" };

const closed = { "Cross-Origin-Resource-Policy": "same-origin" };

function pageFile(text: string, directives: Record<string, string> = policy) {
  const headers = {
    ...closed,
    "Content-Security-Policy": Object.entries(directives)
      .map((directive) => directive.join(" "))
      .join("; "),
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
  };
  return { type: "text/html", body: Buffer.from(text), cache: "revalidate", headers } as const;
}

function textFile(type: string, text: string): StaticFile {
  return { type: `${type}; charset=utf-8`, body: Buffer.from(text), cache: "revalidate", headers: closed };
}
