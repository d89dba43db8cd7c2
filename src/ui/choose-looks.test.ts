import Koa from "koa";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeSite } from "../http/base-url.ts";
import { bodyReader } from "../http/body/body.ts";
import { Problem } from "../http/problem.ts";
import { chosenLanguage, looksPages, readLooks } from "./choose-looks.ts";
import { html } from "./html.ts";
import { bilingual, renderPage } from "./layout.ts";
import { pageRenderer, servePages } from "./serve-pages.ts";

let close: () => void;
let base: string;

const title = { th: "หน้า & หนึ่ง", en: "Page & one" };

/** Made before any request, as the constant parts of pages are. */
const constant = html`<p title="${bilingual({ th: '"ค"', en: '"c"' })}">${bilingual({ th: html`<b>ไทย</b>`, en: html`<b>English</b>` })}</p>`;

beforeAll(async () => {
  const site = makeSite({ brand: "namjai", baseUrl: "https://donations.example/tips" });
  const renderer = pageRenderer(site);
  const show = async () => ({ status: 200, html: renderPage({ title, content: constant }) });
  const fail = async () => {
    throw new Problem("internal_error", "no");
  };
  const miss = async () => {
    throw new Problem("route_not_found", "There is no /missing here.");
  };
  const koa = new Koa();
  koa.use(readLooks(site));
  koa.use((ctx, next) => next().catch((error) => renderer.render(ctx, error)));
  const readers = bodyReader((_ctx, _principal, read) => read(), 10_240);
  const pages = { ...looksPages(site), "GET /page": show, "POST /page": show, "GET /fails": fail, "GET /missing": miss };
  koa.use(servePages(pages, { ...readers, readLargeParts: readers.readParts }));
  const server = koa.listen(0);
  close = () => server.close();
  base = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
});

afterAll(() => close());

const read = async (headers: Record<string, string>, path = "/page", method = "GET") => {
  const form = method === "POST" && { "Content-Type": "application/x-www-form-urlencoded" };
  return (await fetch(base + path, { method, headers: { ...form, ...headers } })).text();
};
const choose = (fields: Record<string, string>, headers = {}) =>
  fetch(`${base}/language`, { method: "POST", body: new URLSearchParams(fields), headers, redirect: "manual" });

test("a page is in one language: its text, its attributes, its title and its lang", async () => {
  const thai = await read({ "Accept-Language": "th" });
  for (const text of ['<html lang="th">', "<title>หน้า &amp; หนึ่ง</title>", '<p title="&quot;ค&quot;"><b>ไทย</b></p>'])
    expect(thai).toContain(text);
  expect(thai).not.toContain("Page &");
  const english = await read({ "Accept-Language": "en" });
  for (const text of ['<html lang="en">', "<title>Page &amp; one</title>", '<p title="&quot;c&quot;"><b>English</b></p>'])
    expect(english).toContain(text);
  expect(english.replace(/<form class="language".*?<\/form>/s, "")).not.toMatch(/[\u0E00-\u0E7F]/);
});

test.each([
  ["th", "th"],
  ["en-GB,en;q=0.9", "en"],
  ["fr,th;q=0.5,en;q=0.4", "th"],
  ["en;q=0.1,th-TH;q=0.2", "th"],
  ["th;q=0,en", "en"],
  ["de", "en"],
  ["*", "th"],
  [";;,=", "en"],
  [`en${",fr".repeat(332)}`, "en"],
  [`en${",fr".repeat(333)}`, "th"],
])("without a choice, a browser that accepts %j gets pages in %s", async (accepted, language) => {
  expect(await read({ "Accept-Language": accepted })).toContain(`<html lang="${language}">`);
});

test.each([
  ["namjai_language=en", "en"],
  ["a=b;namjai_language=en; c=d", "en"],
  ["namjai_language=fr", "th"],
  ["namjai_language=", "th"],
  ["x_namjai_language=en", "th"],
])("the cookie %j gives a browser that prefers Thai pages in %s", async (cookie, language) => {
  expect(await read({ "Accept-Language": "th", Cookie: cookie })).toContain(`<html lang="${language}">`);
});

test("an error page is in the visitor's language, too", async () => {
  expect(await read({ "Accept-Language": "en" }, "/fails")).toContain("Something went wrong on our side");
  expect(await read({ "Accept-Language": "th" }, "/fails")).toContain("เกิดข้อผิดพลาดฝั่งเรา");
});

test("the page for an unknown address leads to the studio and the docs, in the visitor's language alone", async () => {
  const thai = await read({ "Accept-Language": "th" }, "/missing");
  expect(thai).toContain('<a href="/tips/studio">สตูดิโอ</a> หรือ<a href="/tips/docs/">คู่มือ</a>');
  expect(thai).not.toContain("There is no");
  const english = await read({ "Accept-Language": "en" }, "/missing");
  expect(english).toContain('the <a href="/tips/studio">studio</a> or the <a href="/tips/docs/">docs</a>');
});

test("the switch offers the other language by its own name, and comes back to the page with its query", async () => {
  const page = await read({ "Accept-Language": "th" }, "/page?a=1&b=2");
  expect(page).toContain('<form class="language" method="post" action="/tips/language">');
  expect(page).toContain('name="back" value="/tips/page?a=1&amp;b=2"');
  expect(page).toContain('name="language" value="en" lang="en">English</button>');
  const answer = await choose({ language: "en", back: "/tips/page?a=1&b=2" });
  expect([answer.status, answer.headers.get("location")]).toEqual([303, "/tips/page?a=1&b=2"]);
  expect(answer.headers.getSetCookie()).toEqual(["namjai_language=en; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=31536000"]);
});

test("the answer to a form has no switch, because it can't be loaded again", async () => {
  expect(await read({}, "/page", "POST")).not.toContain('action="/tips/language"');
});

test.each([
  "https://evil.example/",
  "//evil.example/",
  "/\\evil.example",
  "/.//evil.example",
  "javascript:alert(1)",
  "",
  "evil",
  "/\t/evil.example",
])("a switch that would lead to %j leads to the studio (no open redirect)", async (back) => {
  expect((await choose({ language: "th", back })).headers.get("location")).toBe("/tips/studio");
});

test("the switch changes nothing for another site's form, and for a language that there is not (CSRF)", async () => {
  for (const [fields, headers] of [
    [{ language: "en", back: "/" }, { Origin: "https://evil.example" }],
    [{ language: "xx", back: "/" }, {}],
    [{ back: "/" }, {}],
  ] as const) {
    const answer = await choose(fields as Record<string, string>, headers);
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([400, []]);
  }
});

test("a visitor without a cookie has chosen no language", () => {
  expect(chosenLanguage(undefined, makeSite({ brand: "namjai", baseUrl: "https://donations.example" }))).toBeNull();
});

test("a chosen theme is kept in a cookie, and pages have it as data-theme; system, and anything else in the cookie, leaves it to the browser", async () => {
  const send = (theme: string) =>
    fetch(`${base}/theme`, { method: "POST", body: new URLSearchParams({ theme, back: "/page" }), redirect: "manual" });
  const chosen = await send("dark");
  expect(chosen.headers.get("location")).toBe("/page");
  expect(chosen.headers.get("set-cookie")).toMatch(/^namjai_theme=dark; Path=\/; HttpOnly; SameSite=Lax/);
  expect((await send("pink")).status).toBe(400);
  expect(await read({ Cookie: "namjai_theme=dark" })).toMatch(/<html [^>]*data-theme="dark">/);
  expect((await send("system")).headers.get("set-cookie")).toMatch(/^namjai_theme=system;/);
  for (const Cookie of ["namjai_theme=system", 'namjai_theme="><b>', "x=1"]) expect(await read({ Cookie })).toContain('<html lang="th">');
});
