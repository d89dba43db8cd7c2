// The documentation as files for http/files.ts.

import { readFileSync } from "node:fs";
import { makeYield } from "../base/async.ts";
import type { Config } from "../config.ts";
import { makeSite } from "../http/base-url.ts";
import { readGenerated } from "../http/contract/published.ts";
import type { FindFile, StaticFile } from "../http/files.ts";
import { fontFaces } from "../ui/fonts.ts";
import { tokens } from "../ui/tokens.ts";
import { asMarkdown, type Guide, type Guides, readGuides } from "./guides.ts";
import { plainText } from "./markdown.ts";
import { markdownName, openPages, root } from "./pages.ts";
import { type Document, eventsPublishedAt, publishedAt, readDocument } from "./published-contract.ts";
import { firebotSetup, obsCollection } from "./recipes.ts";
import { openSearch, placesOf } from "./search.ts";
import { jsonFile, scalarName, scalarProgram, textFile } from "./static-files.ts";

/**
 * Resolves to a function that finds the file of a path; undefined for paths outside the documentation. Rejects when a guide is invalid. The
 * first request for a file waits for it: it lets the event loop serve others in between.
 */
export async function docsFiles({ brand, baseUrl, limitOverrides }: Config): Promise<FindFile> {
  const letOthers = makeYield();
  const document = readDocument();
  await letOthers();
  const guides = readGuides(document, baseUrl, limitOverrides);
  await letOthers();
  const pages = openPages(makeSite({ brand, baseUrl }), guides);
  const files = new Map<string, StaticFile>([
    ["/", { location: "docs/", isTemporary: true }],
    ["/docs", { location: "docs/" }],
    ["/llms.txt", textFile("text/plain", llmsText(document, guides.en, baseUrl))],
    ...markdownFiles(guides),
    ...contractFiles(document, baseUrl),
    ...assetFiles(),
  ]);
  await letOthers();
  const search = await openSearch(placesOf(document, guides), pages.render);
  const find: FindFile = (path, query = "") => {
    if (!path.startsWith(root)) return files.get(path);
    if (path === searchPath) return search.page(query);
    return files.get(path) ?? pages.find(path.slice(root.length)) ?? search.file(path);
  };
  return (path, query) => find(path, query) ?? (path.startsWith(root) ? (withoutSlash(path, find) ?? pages.missing()) : undefined);
}

const assets = `${root}assets/`;
/** The client that the guide to TypeScript tells of. */
const clientName = "donations-client.ts";
const searchPath = `${root}search`;

type Entry = [path: string, file: StaticFile];

function markdownFiles({ en, th }: Guides): Entry[] {
  return [...new Set([...en, ...th])].map((guide) => [root + markdownName(guide), textFile("text/markdown", asMarkdown(guide))]);
}

function contractFiles(document: Document, baseUrl: string): Entry[] {
  return [
    [`${root}openapi.json`, jsonFile(publishedAt(document, baseUrl))],
    [`${root}openapi-3.2.json`, jsonFile(publishedAt(readGenerated("openapi-3.2.json"), baseUrl))],
    [`${root}asyncapi.json`, jsonFile(eventsPublishedAt(readGenerated("asyncapi.json"), baseUrl))],
    [`${root}arazzo.json`, jsonFile(JSON.parse(readFileSync(new URL("stories.arazzo.json", import.meta.url), "utf8")))],
    [`${root}recipes/obs.json`, jsonFile(obsCollection(baseUrl))],
    [`${root}recipes/namjai.firebotsetup`, jsonFile(firebotSetup())],
    [root + clientName, textFile("text/plain", readFileSync(new URL(`guides/${clientName}`, import.meta.url), "utf8"))],
    [assets + scalarName, scalarProgram()],
  ];
}

function assetFiles(): Entry[] {
  const read = (name: string) => readFileSync(new URL(`page/${name}`, import.meta.url), "utf8");
  const asset = (type: string, name: string, text = read(name)): Entry => [assets + name, textFile(type, text)];
  const frame = [fontFaces("../../fonts/"), tokens, read("frame.css"), read("search.css")];
  return [
    asset("text/css", "frame.css", frame.join("\n")),
    ...["guide.css", "code.css", "reference.css"].map((name) => asset("text/css", name)),
    ...["theme.js", "frame.js", "guide.js", "search.js", "find.js", "reference.js"].map((name) => asset("text/javascript", name)),
  ];
}

/** A redirect for a page's address with a trailing slash. */
function withoutSlash(path: string, find: FindFile): StaticFile | undefined {
  const name = /^\/docs\/([^/]+)\/$/.exec(path)?.[1];
  return name !== undefined && find(root + name) ? { location: `../${name}` } : undefined;
}

// /llms.txt: the documentation for language models, as llmstxt.org describes it.

function llmsText({ info }: Document, guides: readonly Guide[], baseUrl: string): string {
  const [summary = "", ...notes] = info.description.split("\n\n");
  const link = ({ slug, title, description }: Guide) => `- [${title}](${baseUrl}/docs/${slug}.md): ${plainText(description)}`;
  return `# ${info.title}

> ${summary.replaceAll("\n", " ")}

${notes.join("\n\n")}

## Guides

${guides.map(link).join("\n")}

## Reference

- [OpenAPI 3.1 document](${baseUrl}/docs/openapi.json): every operation with its parameters, bodies, answers and scopes
- [OpenAPI 3.2 document](${baseUrl}/docs/openapi-3.2.json): the same, with the items of streams
- [Arazzo 1.0 document](${baseUrl}/docs/arazzo.json): the stories of the guides as steps that programs can run
- [AsyncAPI 3.0 document](${baseUrl}/docs/asyncapi.json): the events as a stream and over a WebSocket
- [TypeScript client](${baseUrl}/docs/donations-client.ts): one file with typed requests, events and the verification of webhooks
`;
}
