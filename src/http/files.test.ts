import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import Koa from "koa";
import { afterAll, beforeAll, expect, test } from "vitest";
import { identify } from "./answers.ts";
import { type StaticFile, serveFiles } from "./files.ts";
import { isPage, renderErrorPage } from "./pages.ts";

const files: Record<string, StaticFile> = {
  "/page": { type: "text/html", body: Buffer.from("<p>hello"), cache: "revalidate", headers: { "X-Extra": "1" } },
  "/script-1.js": { type: "text/javascript", body: Buffer.from("1"), cache: "immutable" },
  "/moved": { location: "moved/" },
};

let server: Server;
let base: string;

beforeAll(() => {
  const koa = new Koa();
  koa.use(identify());
  koa.use((ctx, next) => next().catch((error) => isPage(ctx) && renderErrorPage(ctx, error)));
  koa.use(serveFiles((path) => files[path]));
  server = createServer(koa.callback()).listen(0);
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => void server.close());

const ask = (path: string, options: RequestInit = {}) => fetch(base + path, { redirect: "manual", ...options });

test("a file comes with its type and its own headers, and to this site only", async () => {
  const answer = await ask("/page?x=1");
  expect(await answer.text()).toBe("<p>hello");
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "content-length": "8",
    "x-extra": "1",
    "x-content-type-options": "nosniff",
  });
  expect(answer.headers.get("access-control-allow-origin")).toBeNull();
});

test("HEAD answers the same without the body", async () => {
  const answer = await ask("/page", { method: "HEAD" });
  expect([answer.status, answer.headers.get("content-length"), await answer.text()]).toEqual([200, "8", ""]);
});

test("what is named after its content may be kept for ever, the rest is asked for again", async () => {
  expect((await ask("/script-1.js")).headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  const first = await ask("/page");
  expect(first.headers.get("cache-control")).toBe("no-cache");
  const tag = first.headers.get("etag") ?? "";
  const asking = (known: string) => ask("/page", { headers: { "If-None-Match": known, "Cache-Control": "max-age=0" } });
  const again = await asking(tag);
  expect([again.status, again.headers.get("etag"), await again.text()]).toEqual([304, tag, ""]);
  expect((await asking('"other"')).status).toBe(200);
});

test("a path that has moved says where to", async () => {
  const answer = await ask("/moved?debug");
  expect([answer.status, answer.headers.get("location")]).toEqual([308, "moved/?debug"]);
});

test("other methods are answered with 405 and Allow, other paths are for whoever comes next", async () => {
  const answer = await ask("/page", { method: "POST" });
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  expect((await ask("/pages")).status).toBe(404);
});
