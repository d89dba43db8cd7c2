import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import Koa from "koa";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeSite } from "../http/base-url.ts";
import { bodyReader } from "../http/body/body.ts";
import { identify } from "../http/middleware.ts";
import { Problem } from "../http/problem.ts";
import { html } from "./html.ts";
import { renderPage } from "./layout.ts";
import { type PageReply, type PageRequest, pageHeaders, pageRenderer, servePages, takingFiles } from "./serve-pages.ts";

let server: Server;
let base: string;
let reply: PageReply;
let admission: PageReply | null = null;
let seen: PageRequest;

beforeAll(async () => {
  const handler = async (request: PageRequest) => {
    seen = request;
    return reply;
  };
  const guarded = Object.assign(handler, { admit: async () => admission });
  const throwing = (problem: Problem) => () => Promise.reject(problem);
  const renderer = pageRenderer(makeSite({ brand: "namjai", baseUrl: "https://donations.example" }));
  const koa = new Koa();
  koa.use(identify());
  koa.use((ctx, next) => next().catch((error) => renderer.applies(ctx) && renderer.render(ctx, error)));
  koa.use(
    servePages(
      {
        "GET /page": handler,
        "POST /page": handler,
        "POST /only": handler,
        "GET /fails": throwing(new Problem("internal_error", "Something went wrong.", { cause: new Error("secret") })),
        "GET /refuses": throwing(new Problem("rate_limited", "Too many.", { headers: { "Retry-After": "7" } })),
        "POST /file": takingFiles(guarded),
        "POST /large": takingFiles(guarded, "large"),
      },
      {
        ...bodyReader((_ctx, _principal, read) => read(), 10_240),
        readLargeParts: bodyReader((_ctx, _principal, read) => read(), 102_400).readParts,
      },
    ),
  );
  server = createServer(koa.callback()).listen(0);
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => void server.close());

const ask = (path: string, options: RequestInit = {}) => fetch(base + path, { redirect: "manual", ...options });
const post = (body: string, type = "application/x-www-form-urlencoded") =>
  ask("/page", { method: "POST", body, headers: { "Content-Type": type } });

test("a page handler receives query, form and caller, with NUL replaced by U+FFFD", async () => {
  reply = { status: 200, html: "<p>hello" };
  const answer = await ask("/page?a=1", {
    method: "POST",
    body: "x=%E0%B8%81+%00&y=",
    headers: { "Content-Type": "application/x-www-form-urlencoded;charset=UTF-8", Origin: base, Cookie: "c=1" },
  });
  expect(await answer.text()).toBe("<p>hello");
  expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(seen.query.get("a")).toBe("1");
  expect([...seen.form]).toEqual([
    ["x", "ก \uFFFD"],
    ["y", ""],
  ]);
  expect(seen.caller).toMatchObject({ origin: base, cookie: "c=1", address: expect.stringContaining("127.0.0.1") });
});

test("NUL in the query of a page becomes U+FFFD, so that a lookup finds nothing instead of failing", async () => {
  reply = { status: 200, html: "<p>hello" };
  await ask("/page?id=%00&id=a%00&%00=b");
  expect([...seen.query]).toEqual([
    ["id", "\uFFFD"],
    ["id", "a\uFFFD"],
    ["\0", "b"],
  ]);
});

test("a page is compressed, unless another site led to it", async () => {
  reply = { status: 200, html: "<p>hello".repeat(500) };
  const encodingFor = async (site: string) => {
    const answer = await ask("/page", { headers: { "Sec-Fetch-Site": site, "Accept-Encoding": "gzip" } });
    expect(await answer.text()).toBe(reply.html);
    expect(answer.headers.get("vary")?.includes("Accept-Encoding") ?? false).toBe(answer.headers.has("content-encoding"));
    return answer.headers.get("content-encoding");
  };
  expect(await Promise.all(["none", "same-origin", "same-site", "cross-site"].map(encodingFor))).toEqual(["gzip", "gzip", null, null]);
});

test("HEAD is answered like GET, without a body", async () => {
  reply = { status: 200, html: "<p>hello" };
  const answer = await ask("/page", { method: "HEAD" });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-length")).toBe("8");
  expect(await answer.text()).toBe("");
});

test.each([
  ["DELETE", "/page", "GET, HEAD, POST"],
  ["OPTIONS", "/page", "GET, HEAD, POST"],
  ["GET", "/only", "POST"],
  ["HEAD", "/only", "POST"],
])("%s %s is answered with 405 and Allow: %s", async (method, path, allow) => {
  const answer = await ask(path, { method });
  expect(answer.status).toBe(405);
  expect(answer.headers.get("allow")).toBe(allow);
});

test("a page that a rate limit refuses says in how many seconds to try again", async () => {
  const answer = await ask("/refuses");
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "7"]);
  expect(await answer.text()).toContain("ลองใหม่อีกครั้งใน 7 วินาที");
});

test("a path without a page goes to the next middleware", async () => {
  for (const path of ["/", "/only/", "/page//", "/Page", "/pages"]) expect((await ask(path)).status).toBe(404);
});

test("a slash behind a page's path redirects to the page with the query, relative to the path", async () => {
  const answer = await ask("/page/?x=1", { redirect: "manual" });
  expect([answer.status, answer.headers.get("location")]).toEqual([303, "../page?x=1"]);
});

test("a redirect of a page handler has cookies and a location, and no body", async () => {
  reply = { status: 303, location: "/page?x=1", cookies: ["a=1; Path=/", "b=2; Path=/"] };
  const answer = await post("");
  expect(answer.status).toBe(303);
  expect(answer.headers.get("location")).toBe("/page?x=1");
  expect(answer.headers.getSetCookie()).toEqual(["a=1; Path=/", "b=2; Path=/"]);
  expect(await answer.text()).not.toContain("<");
});

test("no page can be framed, scripted, cached, or read from another origin", async () => {
  reply = { status: 200, html: "<p>hello", formAction: ["https://client.example", "com.app:"] };
  for (const answer of [await ask("/page"), await post(""), await ask("/fails"), await ask("/only")]) {
    const policy = answer.headers.get("content-security-policy") ?? "";
    for (const rule of ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "img-src 'self' data:", "form-action 'self'"])
      expect(policy).toContain(rule);
    expect(policy).not.toMatch(/unsafe|script-src/);
    expect(answer.headers.get("access-control-allow-origin")).toBeNull();
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "x-frame-options": "DENY",
      "x-content-type-options": "nosniff",
      "referrer-policy": "same-origin",
      "cross-origin-opener-policy": "same-origin",
      "cache-control": "no-store",
      vary: "Cookie, Accept-Language",
    });
  }
});

const policyOf = async (marks: Partial<PageReply>) => {
  reply = { status: 200, html: "<p>hello", ...marks };
  return (await ask("/page")).headers.get("content-security-policy") ?? "";
};

test.each([
  ["scripted", "runs script files of this server and no others", ["script-src 'self';", "connect-src 'self';"]],
  ["audio", "plays sounds of this server and of its own script, and of no other site", ["media-src 'self' blob:;"]],
  ["frames", "shows pages of this server in frames, and can't be framed itself", ["frame-src 'self';"]],
] as const)("a page that is marked as %s %s", async (mark, _, rules) => {
  const [policy, usual] = [await policyOf({ [mark]: true }), await policyOf({})];
  for (const rule of rules) expect([policy.includes(rule), usual.includes(rule)], rule).toEqual([true, false]);
  expect(policy).toMatch(/^(?!.*unsafe).*frame-ancestors 'none'/);
});

test("a script file is served as text/javascript", async () => {
  reply = { status: 200, javascript: "run()" };
  const answer = await ask("/page");
  expect(answer.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  expect(await answer.text()).toBe("run()");
});

test("form-action allows the sources that the page names", async () => {
  const formAction = ["https://client.example", "com.app:"];
  expect(await policyOf({ formAction })).toContain("form-action 'self' https://client.example com.app:;");
});

test("the hash in the Content-Security-Policy is that of the page's style sheet", () => {
  const [, css = ""] = /<style>([^<]*)<\/style>/.exec(renderPage({ title: { th: "ก", en: "a" }, content: html`` })) ?? [];
  const hash = createHash("sha256").update(css).digest("base64");
  expect(pageHeaders()["Content-Security-Policy"]).toContain(`style-src 'sha256-${hash}'`);
});

test.each([
  ["a field twice", "a=1&b=2&a=3", undefined, 400],
  ["JSON", "{}", "application/json", 415],
  ["a multipart form", "", "multipart/form-data; boundary=x", 415],
  ["a form that is too large", `a=${"x".repeat(65_536)}`, undefined, 413],
])("a form body with %s is refused with an error page", async (_title, body, type, status) => {
  const answer = await post(body, type);
  expect(answer.status).toBe(status);
  expect(answer.headers.get("content-type")).toContain("text/html");
  expect(await answer.text()).toMatch(/<h1>[\u0E00-\u0E7F]/);
});

test("an internal error is shown as a page with the request's id and no internal detail, and echoed input is escaped", async () => {
  const failed = await ask("/fails", { headers: { "X-Request-Id": "my-request" } });
  const text = await failed.text();
  expect(failed.status).toBe(500);
  expect(text).toContain("my-request");
  expect(text).not.toContain("secret");
  expect(await (await post("%3Cscript%3E=1&%3Cscript%3E=2")).text()).toContain("&lt;script&gt; must not be repeated");
});

const postFile = (path: string, file: Blob, name = "tips.csv") => {
  const body = new FormData();
  body.append("kind", "a\0b");
  body.append("file", file, name);
  return ask(path, { method: "POST", body });
};

test("a page that takes files receives the bytes of a file in base64, its name, and the other fields", async () => {
  reply = { status: 200, html: "" };
  await postFile("/file", new Blob([new Uint8Array([0, 255, 10])]), "ทิป.csv");
  expect([...seen.form]).toEqual([
    ["kind", "a\uFFFDb"],
    ["file", "AP8K"],
    ["file name", "ทิป.csv"],
  ]);
});

test("a form with files is not read when its sender is not admitted, however large it is", async () => {
  admission = { status: 303, location: "/login" };
  seen = null as never;
  for (const path of ["/file", "/large"]) {
    const body = new FormData();
    body.append("file", new Blob(["x".repeat(1_000_000)]), "a");
    const answer = await ask(path, { method: "POST", body });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/login"]);
  }
  admission = null;
  expect(seen).toBeNull();
});

test("a page that takes files receives a form without files, too", async () => {
  await ask("/file", { method: "POST", body: "x=1", headers: { "Content-Type": "application/x-www-form-urlencoded" } });
  expect([...seen.form]).toEqual([["x", "1"]]);
});

test.each([
  ["a form with a file that is too large is refused with 413", "/file", new Blob(["x".repeat(10_240)]), 413],
  ["a page that takes no files refuses a form with one with 415", "/page", new Blob(["x"]), 415],
] as const)("%s", async (_, path, file, status) => {
  expect((await postFile(path, file)).status).toBe(status);
});

test("a form with files that is not well-formed is refused with 400", async () => {
  const headers = { "Content-Type": "multipart/form-data; boundary=x" };
  expect((await ask("/file", { method: "POST", body: "--y", headers })).status).toBe(400);
});

test("a form of more than a thousand fields is refused before they are parsed, with files or without", async () => {
  const names = Array.from({ length: 1_001 }, (_, index) => index.toString(36));
  expect((await post(names.slice(0, 1_000).join("&"))).status).not.toBe(400);
  const refused = await post(names.join("&"));
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("more than 1000 fields")]);
  expect((await post("&".repeat(1_001))).status).toBe(400); // before they are parsed: these are no fields
  const headers = { "Content-Type": 'multipart/form-data; boundary="x"' };
  const parts = async (count: number) => (await ask("/file", { method: "POST", body: "--x\r\n".repeat(count), headers })).text();
  expect(await parts(1_000)).not.toContain("more than 1000 fields");
  expect(await parts(1_002)).toContain("more than 1000 fields");
});

test.each([
  "multipart/form-data; xboundary=y; boundary=x",
  "multipart/form-data; boundary=y, multipart/form-data; boundary=x",
  'multipart/form-data; z="; boundary=y"; boundary=x',
])("the parts of a form are counted by the boundary that it is read with: %s", async (type) => {
  reply = { status: 200, html: "<p>read" };
  const emptyFile = '--x\r\nContent-Disposition: form-data; name="f"; filename=""\r\n\r\n\r\n';
  const body = `${emptyFile.repeat(1_001)}--x--\r\n`;
  const answer = await ask("/large", { method: "POST", body, headers: { "Content-Type": type } });
  expect([answer.status, await answer.text()]).toEqual([
    400,
    expect.stringMatching(/more than 1000 fields|well-formed form|no usable boundary/),
  ]);
});

test("names and headers of a form's parts above 64 KiB are refused, and a file above it is not", async () => {
  const form = (headers: string, content: string) => {
    const body = `--x\r\nContent-Disposition: form-data; name="a"; filename="f"\r\n${headers}\r\n${content}\r\n--x--\r\n`;
    return ask("/large", { method: "POST", body, headers: { "Content-Type": "multipart/form-data; boundary=x" } });
  };
  reply = { status: 200, html: "<p>read" };
  expect((await form("", "a".repeat(70_000))).status).toBe(200);
  const refused = await form("X: a\r\n".repeat(12_000), "");
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("larger than 64 KiB")]);
});

test("a reply that asks for it is loaded again by the browser", async () => {
  reply = { status: 200, html: "", refresh: 3 };
  expect((await ask("/page")).headers.get("refresh")).toBe("3");
});
