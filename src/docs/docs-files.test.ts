import { readFileSync } from "node:fs";
import { Script } from "node:vm";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { readConfig } from "../config.ts";
import { eventTypes } from "../http/contract/published.ts";
import type { StaticFile } from "../http/files.ts";
import { problems } from "../http/problem.ts";
import { writeFor } from "../ui/reader.ts";
import { docsFiles } from "./docs-files.ts";
import { slugs } from "./guides.ts";
import { readDocument } from "./published-contract.ts";

type Content = Extract<StaticFile, { body: Buffer }>;

const at = (baseUrl: string) =>
  docsFiles({ ...readConfig({ BASE_URL: baseUrl }), limitOverrides: { read: { quota: 11, window: 12, burst: 13 } } });
const files = await at("https://donations.example");
/** As readers of English find it. */
const find = (path: string) => writeFor({ language: "en" }, () => files(path));
const content = (path: string): Content => {
  const file = find(path);
  if (!file || !("body" in file)) throw new Error(`there is no ${path}`);
  return file;
};
const text = (path: string): string => content(path).body.toString();
const pages = [...slugs.map((slug) => (slug === "index" ? "/docs/" : `/docs/${slug}`)), "/docs/reference", "/docs/search"];
const inThai = (path: string): string => writeFor({ language: "th" }, () => (files(path) as Content).body.toString());

test.each(pages)("the page %s loads style and scripts of this server only", (page) => {
  const { type, cache, vary, headers = {} } = content(page);
  expect([type, cache, vary]).toEqual(["text/html", "revalidate", "Cookie, Accept-Language"]);
  const policy = headers["Content-Security-Policy"] ?? "";
  expect(policy).toContain("default-src 'none'; script-src 'self';");
  expect(policy).not.toMatch(/unsafe-eval|https?:|\*/);
  expect(policy.includes("'unsafe-inline'"), "only Scalar writes styles into its page").toBe(page === "/docs/reference");
  expect(text(page)).not.toMatch(/<style|<script>|<[^>]* (style|on\w+)=|src="https?:|stylesheet" href="https?:/);
  for (const [, asset] of text(page).matchAll(/(?:src|stylesheet" href)="([^"]+)"/g)) expect(find(`/docs/${asset}`), asset).toBeDefined();
});

test("a page is in the reader's language, and says which of its parts are in another one", () => {
  expect(text("/docs/quickstart")).toMatch(/<html lang="en">[\s\S]*<article>\s*<h1 id="quickstart">Quickstart</);
  expect(text("/docs/quickstart")).toContain('<a href="quickstart" aria-current="page">Quickstart</a>');
  expect(inThai("/docs/quickstart")).toMatch(/<html lang="th">[\s\S]*<article>\s*<h1 id="quickstart">เริ่มต้นใช้งาน</);
  expect(inThai("/docs/scopes")).toMatch(/<html lang="th">[\s\S]*หน้านี้มีเฉพาะภาษาอังกฤษ[\s\S]*<article lang="en">/);
  expect(inThai("/docs/scopes")).toContain('<a href="scopes" aria-current="page" lang="en">Scopes</a>');
  expect(inThai("/docs/reference")).toContain('<div id="docs-content" tabindex="-1" lang="en">');
  expect(inThai("/docs/nothing")).toContain("ไม่พบหน้านี้");
});

test("the switch of the language leads back to the page", () => {
  expect(text("/docs/scopes")).toMatch(
    /action="\/language">\s*<input type="hidden" name="back" value="\/docs\/scopes">\s*<button [^>]*value="th"/,
  );
  expect(inThai("/docs/")).toMatch(/name="back" value="\/docs\/">\s*<button [^>]*value="en"/);
});

test("the Thai quickstart is published as Markdown", () => {
  expect(text("/docs/quickstart.th.md")).toMatch(/^# เริ่มต้นใช้งาน\n/);
  expect(inThai("/docs/quickstart")).toContain('type="text/markdown" href="quickstart.th.md"');
  expect(text("/docs/quickstart")).toContain('type="text/markdown" href="quickstart.md"');
});

test("a guide marks itself in the navigation and links to the next guide", () => {
  const page = text("/docs/scopes");
  expect(page.match(/<a href="scopes" aria-current="page">/g)).toHaveLength(2);
  expect(page).toMatch(/rel="prev" href="authentication".*\n.*rel="next" href="rate-limits"/);
});

test("the type of every problem links to a heading of the errors guide", () => {
  for (const code of Object.keys(problems)) expect(text("/docs/errors"), code).toContain(`<h3 id="${code}">`);
});

test("the tables of the guides have this server's numbers", () => {
  expect(text("/docs/rate-limits.md")).toContain("| `read` | 11 in 12 s | 13 |");
  expect(text("/docs/rate-limits")).toContain("<td>11 in 12 s</td>");
});

test("the published contract has this server's address", () => {
  const { openapi, servers } = JSON.parse(text("/docs/openapi.json"));
  expect([openapi, servers[0].url]).toEqual(["3.1.0", "https://donations.example"]);
});

test("the OpenAPI 3.2 document describes each item of a stream", () => {
  const { openapi, paths, components } = JSON.parse(text("/docs/openapi-3.2.json"));
  const { content } = paths["/api/v1/events/stream"].get.responses[200];
  const { schema, itemSchema } = content["text/event-stream"];
  expect([openapi, schema, itemSchema.$ref]).toEqual(["3.2.0", undefined, "#/components/schemas/StreamedEvent"]);
  const { id, data } = components.schemas.StreamedEvent.properties;
  expect([typeof id, data.contentMediaType, data.contentSchema.$ref]).toEqual(["object", "application/json", "#/components/schemas/Event"]);
  const { requestBody } = paths["/api/v1/donations/batch"].post;
  expect(requestBody.content["application/x-ndjson"].itemSchema.$ref).toBe("#/components/schemas/ImportedDonation");
});

test.each(["https://donations.example", "http://127.0.0.1:8080/base"])(
  "the AsyncAPI document at %s is valid by its published schema, and has a message for each type of event",
  async (baseUrl) => {
    const document = JSON.parse(((await at(baseUrl))("/docs/asyncapi.json") as Content).body.toString());
    const published = new URL("../../node_modules/@asyncapi/specs/schemas/3.0.0-without-$id.json", import.meta.url);
    const validate = new Ajv({ strict: false, validateFormats: false }).compile(JSON.parse(readFileSync(published, "utf8")));
    expect(validate(document) ? [] : validate.errors).toEqual([]);
    expect(Object.values<{ name: string }>(document.components.messages).map(({ name }) => name)).toEqual(
      expect.arrayContaining([...eventTypes]),
    );
    for (const [, name] of JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g))
      expect(document.components.schemas[name as string], name).toBeDefined();
  },
);

test("llms.txt lists the Markdown of every guide", () => {
  expect(text("/llms.txt")).toMatch(/^# .+\n\n> .+\n\n/);
  expect(text("/llms.txt"), "relative links would lead elsewhere from here").not.toMatch(/\]\((?!https:)/);
  for (const slug of slugs) {
    expect(text("/llms.txt")).toContain(`](https://donations.example/docs/${slug}.md): `);
    expect(content(`/docs/${slug}.md`).type).toBe("text/markdown; charset=utf-8");
  }
});

test("the script of the reference page is not read at start", () => {
  const [, name] = /assets\/(scalar-[\d.]+\.js)/.exec(text("/docs/reference")) ?? [];
  expect(find(`/docs/assets/${name}`)).toMatchObject({ cache: "immutable", load: expect.any(Function), size: expect.any(Number) });
});

test("the program of the reference is Scalar's, as it is served", async () => {
  const [, name] = /assets\/(scalar-[\d.]+\.js)/.exec(text("/docs/reference")) ?? [];
  const file = find(`/docs/assets/${name}`) as { load: () => Promise<Buffer> };
  const program = (await file.load()).toString();
  expect(program.length).toBeGreaterThan(1_000_000);
  expect(program).toContain("createApiReference");
  expect(() => new Script(program)).not.toThrow();
});

test("the root paths redirect to the overview, and a trailing slash is removed", () => {
  expect(find("/")).toEqual({ location: "docs/", isTemporary: true });
  expect(find("/docs")).toEqual({ location: "docs/" });
  expect(find("/docs/errors/")).toEqual({ location: "../errors" });
});

test("the overview shows streamers the way to the studio first, in the reader's language, and every page has it in its header", () => {
  expect(text("/docs/")).toMatch(/<p lang="en">Streamer\? <a href="\.\.\/studio">Open the studio<\/a>.*<h1/s);
  expect(inThai("/docs/")).toMatch(/<p lang="th">เป็นสตรีมเมอร์ใช่ไหม\? <a href="\.\.\/studio">เปิดสตูดิโอ<\/a>.*<h1/s);
  expect(text("/docs/quickstart")).not.toContain("Streamer?");
  expect(text("/docs/quickstart").match(/<a class="studio"/g), "shown once, on a phone as well").toHaveLength(1);
});

test("an unknown path is answered with a page of links, also behind a proxy with a path prefix", async () => {
  for (const path of ["/docs/nothing", "/docs/nothing/", "/docs/a/b/c", "/docs/assets/x.js", "/docs//"])
    expect(find(path), path).toMatchObject({ status: 404, type: "text/html" });
  const ours = await at("https://host.example/tips");
  const missing = writeFor({ language: "en" }, () => ours("/docs/a/b") as Content);
  expect(missing.body.toString()).toContain('<a href="/tips/docs/reference">');
  expect(missing.body.toString()).toContain('href="/tips/docs/assets/guide.css"');
  for (const path of ["/docsx", "/api/v1/donations", "/studio"]) expect(find(path)).toBeUndefined();
});

test("every step of the stories in the Arazzo document calls an operation of the contract", () => {
  const { workflows } = JSON.parse(text("/docs/arazzo.json")) as { workflows: { steps: { operationId: string }[] }[] };
  const steps = workflows.flatMap(({ steps }) => steps.map(({ operationId }) => operationId));
  const operations = Object.values(readDocument().paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
  expect([workflows.length, steps.filter((id) => !operations.includes(id))]).toEqual([6, []]);
});
