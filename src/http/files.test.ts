import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import Koa from "koa";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pageRenderer } from "../ui/serve-pages.ts";
import { makeSite } from "./base-url.ts";
import { type StaticFile, serveFiles, serveFilesLater } from "./files.ts";
import { identify } from "./middleware.ts";
import { Problem } from "./problem.ts";

const long = "a { color: red }\n".repeat(1000);
let reads = 0;
let broken = false;
let opened = 0;
const read = (): Buffer => {
  reads++;
  if (broken) throw new Problem("internal_error", "The file can't be read.");
  return Buffer.from(long);
};

const files: Record<string, StaticFile> = {
  "/page": { type: "text/html", body: Buffer.from("<p>hello"), cache: "revalidate", headers: { "X-Extra": "1" } },
  "/script-1.js": { type: "text/javascript", body: Buffer.from("1"), cache: "immutable" },
  "/moved": { location: "moved/" },
  "/elsewhere": { location: "moved/", isTemporary: true },
  "/missing": { type: "text/html", body: Buffer.from("<p>not here"), cache: "revalidate", status: 404 },
  "/text": { type: "text/css", body: Buffer.from(long), cache: "revalidate" },
  "/made": { type: "text/html", body: Buffer.from(long), cache: "revalidate", isMadeForRequest: true },
  "/picture": { type: "image/png", body: Buffer.from(long), cache: "revalidate" },
  "/varied": { type: "text/css", body: Buffer.from(long), cache: "revalidate", vary: "Cookie" },
  "/large": { type: "text/css", size: long.length, load: async () => read(), cache: "immutable" },
};

let server: Server;
let base: string;

beforeAll(() => {
  const renderer = pageRenderer(makeSite({ brand: "namjai", baseUrl: "https://donations.example" }));
  const koa = new Koa();
  koa.use(identify());
  koa.use((ctx, next) => next().catch((error) => renderer.applies(ctx) && renderer.render(ctx, error)));
  koa.use(
    serveFiles((path, query) =>
      path === "/query" ? { type: "text/plain", body: Buffer.from(`${query}`), cache: "revalidate" } : files[path],
    ),
  );
  koa.use(
    serveFilesLater(
      (path) => path.startsWith("/later"),
      async () => {
        opened += 1;
        if (opened === 1) throw new Problem("internal_error", "The files can't be made.");
        return (path) => (path === "/later/page" ? files["/page"] : undefined);
      },
    ),
  );
  server = createServer(koa.callback()).listen(0);
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => void server.close());

const get = (path: string, options: RequestInit = {}) => fetch(base + path, { redirect: "manual", ...options });

test("a static file is sent with its type and its headers, and without CORS headers", async () => {
  const answer = await get("/page?x=1");
  expect(await answer.text()).toBe("<p>hello");
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "content-length": "8",
    "x-extra": "1",
    "x-content-type-options": "nosniff",
  });
  expect(answer.headers.get("access-control-allow-origin")).toBeNull();
});

test("HEAD of a static file answers the same headers without a body", async () => {
  const answer = await get("/page", { method: "HEAD" });
  expect([answer.status, answer.headers.get("content-length"), await answer.text()]).toEqual([200, "8", ""]);
});

test("a static file named after its content is cached for ever, and others are revalidated", async () => {
  expect((await get("/script-1.js")).headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  const first = await get("/page");
  expect(first.headers.get("cache-control")).toBe("no-cache");
  const tag = first.headers.get("etag") ?? "";
  const getUnlessChanged = (known: string) => get("/page", { headers: { "If-None-Match": known, "Cache-Control": "max-age=0" } });
  const again = await getUnlessChanged(tag);
  expect([again.status, again.headers.get("etag"), await again.text()]).toEqual([304, tag, ""]);
  expect((await getUnlessChanged('"other"')).status).toBe(200);
});

test("a path that has moved is redirected with 308", async () => {
  const answer = await get("/moved?debug");
  expect([answer.status, answer.headers.get("location")]).toEqual([308, "moved/?debug"]);
});

test("a temporary redirect is 303", async () => {
  const answer = await get("/elsewhere");
  expect([answer.status, answer.headers.get("location")]).toEqual([303, "moved/"]);
});

test("a file that depends on a request header says so to caches, beside the encoding", async () => {
  expect((await get("/varied")).headers.get("vary")).toBe("Accept-Encoding, Cookie");
  expect((await get("/text")).headers.get("vary")).toBe("Accept-Encoding");
});

test("a page is found by path and query", async () => {
  expect(await (await get("/query?q=a%20b")).text()).toBe("q=a%20b");
});

test("the page for an unknown path is sent with 404", async () => {
  const answer = await get("/missing");
  expect([answer.status, await answer.text()]).toEqual([404, "<p>not here"]);
});

const encoded = async (path: string, accepted: string) => {
  const answer = await get(path, { headers: { "Accept-Encoding": accepted } });
  const { headers } = answer;
  expect(await answer.text()).toBe(long);
  return { encoding: headers.get("content-encoding"), length: Number(headers.get("content-length")), tag: headers.get("etag"), headers };
};

test.each(["/text", "/large"])("the text file %s is compressed with an encoding that the client accepts", async (path) => {
  const plain = await encoded(path, "identity");
  const zipped = await encoded(path, "gzip, br;q=0");
  const brotli = await encoded(path, "gzip, deflate, br");
  expect([plain.encoding, zipped.encoding, brotli.encoding]).toEqual([null, "gzip", "br"]);
  expect(plain.length).toBe(long.length);
  expect(Math.max(zipped.length, brotli.length)).toBeLessThan(long.length / 10);
  expect(new Set([plain.tag, zipped.tag, brotli.tag]).size, "each has a tag of its own").toBe(3);
  for (const { headers } of [plain, zipped, brotli]) expect(headers.get("vary")).toBe("Accept-Encoding");
});

test("a page that is made for each request is compressed quickly, and not by Brotli", async () => {
  const quick = await encoded("/made", "gzip, deflate, br");
  const kept = await encoded("/text", "gzip");
  expect(quick.encoding).toBe("gzip");
  expect(quick.length).toBeLessThan(long.length / 10);
  expect(quick.length).toBeGreaterThan(kept.length);
  expect((await encoded("/made", "br")).encoding).toBeNull();
});

test("a file of a compressed format, or a very short one, is sent uncompressed", async () => {
  for (const [path, length] of [
    ["/picture", long.length],
    ["/page", 8],
  ] as const) {
    const { headers } = await get(path, { headers: { "Accept-Encoding": "br" } });
    expect([headers.get("content-encoding"), headers.get("vary"), headers.get("content-length")]).toEqual([null, null, String(length)]);
  }
});

test("a large file is read once for each encoding, at its first request, and again after a failure", async () => {
  const find = (path: string) => files[path];
  files["/late"] = { ...(find("/large") as object), load: async () => read() } as StaticFile;
  const before = reads;
  broken = true;
  expect((await get("/late", { headers: { "Accept-Encoding": "br" } })).status).toBe(500);
  broken = false;
  await Promise.all([1, 2, 3].map(() => encoded("/late", "br")));
  expect(reads - before).toBe(2);
});

test("other methods of a static file are 405 with Allow, and other paths go to the next middleware", async () => {
  const answer = await get("/page", { method: "POST" });
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  expect((await get("/pages")).status).toBe(404);
});

test("files that are opened later are opened by the first request for one of them, and again after a failure", async () => {
  expect((await get("/unknown")).status).toBe(404);
  expect(opened).toBe(0);
  expect((await get("/later/page")).status).not.toBe(200); // the first opening fails
  expect(opened).toBe(1);
  const answers = await Promise.all([get("/later/page"), get("/later/page"), get("/later/unknown")]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 404]);
  expect(opened).toBe(2);
});
