import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { Problem } from "../../http/problem.ts";
import { callback, type TestClient } from "../testing.ts";
import {
  type Browser,
  formTokenOf,
  logIn,
  type OAuthPagesFixture,
  openBrowser,
  openOAuthPagesFixture,
  password,
  type Seen,
} from "../testing-pages.ts";
import { loginThrottle } from "./check-password.ts";

let fixture: OAuthPagesFixture;
let client: TestClient;
let browser: Browser;
let page: Seen;

beforeAll(async () => {
  fixture = await openOAuthPagesFixture();
  client = await fixture.client();
});

afterAll(async () => fixture?.close());

beforeEach(async () => {
  browser = openBrowser(fixture.pages);
  page = await browser.visit("/oauth/login");
});

test("the login page that logging out everywhere leads to says that it was done", async () => {
  const words = "You are logged out in every browser.";
  expect((await browser.visit("/oauth/login?everywhere")).html).toContain(words);
  expect(page.html).not.toContain(words);
});

test("a login leads back to the authorization request with all its parameters", async () => {
  const query = { response_type: "code", client_id: client.client_id, redirect_uri: callback, state: "a b&c=ก", scope: "read:donations" };
  const asked = await browser.visit(`/oauth/authorize?${new URLSearchParams(query)}`);
  const { status, location } = await logIn(browser, asked);
  expect(status).toBe(303);
  expect(location.startsWith("/oauth/authorize?")).toBe(true);
  expect(Object.fromEntries(new URLSearchParams(location.split("?")[1]))).toEqual(query);
  expect((await browser.visit(location)).html).toContain('action="/oauth/consent"');
});

test.each([
  ["nothing", "", "/studio/home"],
  ["a known page", "?to=/oauth/connections", "/oauth/connections"],
  ["another site", "?to=https://evil.example/", "/studio/home"],
  ["another site without a scheme", "?to=//evil.example/", "/studio/home"],
  ["another site behind a backslash", "?to=/\\evil.example", "/studio/home"],
  ["a script", "?to=javascript:alert(1)", "/studio/home"],
  ["a page that is none of the known", "?to=/studio/../oauth/authorize", "/studio/home"],
  ["a known page and more", "?to=/studio%3Fx=1", "/studio/home"],
])("a login page opened for %s leads to a page of this server (no open redirect)", async (_title, query, to) => {
  const shown = await browser.visit(`/oauth/login${query}`);
  expect(shown.html).not.toContain("evil");
  expect((await logIn(browser, shown)).location).toBe(to);
  expect(await browser.visit(`/oauth/login${query}`)).toMatchObject({ status: 303, location: to });
});

test("a field of the login form cannot change where the login leads", async () => {
  const { location } = await browser.submit(page, "/oauth/login", { handle: "somchai", password, to: "https://evil.example/" });
  expect(location).toBe("/studio/home");
});

test("a handle is accepted with the capital letters and spaces that phones add", async () => {
  expect((await logIn(browser, page, " Somchai ")).status).toBe(303);
});

test("a wrong password and an unknown handle get the same answer, and log nobody in", async () => {
  const wrong = await browser.submit(page, "/oauth/login", { handle: "somchai", password: "wrong password" });
  const unknown = await browser.submit(page, "/oauth/login", { handle: "unknown", password: "wrong password" });
  expect(wrong.status).toBe(403);
  expect(unknown.status).toBe(403);
  const comparable = ({ html }: Seen) => html.replace(/value="[^"]*"/g, "");
  expect(comparable(unknown)).toBe(comparable(wrong));
  expect(wrong.html).toContain('role="alert"');
  expect((await browser.visit("/oauth/connections")).status).toBe(303);
  expect((await logIn(browser, wrong)).status).toBe(303);
});

test("the login page after a failure shows the typed handle, escaped, and never the password", async () => {
  const { html } = await browser.submit(page, "/oauth/login", { handle: `"><script>alert(1)</script>`, password: "secret words" });
  expect(html).not.toContain("<script");
  expect(html).toContain('value="&quot;&gt;&lt;script&gt;');
  expect(html).not.toContain("secret words");
});

test("a login with NUL or other unusual characters is a wrong login and not a server error", async () => {
  for (const odd of ["\uFFFD", "x".repeat(50_000), "😀", ""])
    expect((await browser.submit(page, "/oauth/login", { handle: odd, password: odd })).status).toBe(403);
});

test("a login replaces the session id, so that a planted or known id is logged out", async () => {
  const before = new Map(browser.jar);
  await logIn(browser, page);
  for (const [name, value] of before) expect(browser.jar.get(name)).not.toBe(value);
  const attacker = openBrowser(fixture.pages);
  for (const [name, value] of before) attacker.jar.set(name, value);
  expect((await attacker.visit("/oauth/connections")).status).toBe(303);
});

test("another streamer can log in and come back to the request, and the previous cookie stops working", async () => {
  const first = await logIn(browser, page);
  expect(first.status).toBe(303);
  const before = new Map(browser.jar);
  const request = `/oauth/authorize?response_type=code&client_id=${client.client_id}`;
  const consent = await browser.visit(request);
  const out = await browser.submit(consent, "/oauth/logout");
  expect(out.location).toBe(request);
  await logIn(browser, await browser.visit(out.location), "malee");
  expect((await browser.visit(request)).html).toContain("malee");
  const attacker = openBrowser(fixture.pages);
  for (const [name, value] of before) attacker.jar.set(name, value);
  expect((await attacker.visit("/oauth/connections")).status).toBe(303);
});

test.each([
  ["another site", "https://evil.example"],
  ["no site that it may name", "null"],
  ["the same host over http", "http://donations.example"],
])("a login form from %s is refused", async (_title, origin) => {
  const fields = { handle: "somchai", password };
  expect(await browser.submit(page, "/oauth/login", fields, { origin })).toMatchObject({ status: 403, cookies: [], location: "" });
});

test("a login form without an Origin header, or from the requested host, is accepted", async () => {
  const fields = { handle: "somchai", password };
  expect((await browser.submit(page, "/oauth/login", fields, { origin: undefined })).status).toBe(303);
  const other = openBrowser(fixture.pages);
  const proxied = { origin: "https://other.example", host: "other.example" };
  expect((await other.submit(await other.visit("/oauth/login", proxied), "/oauth/login", fields, proxied)).status).toBe(303);
});

test.each([
  ["no form token", () => ({})],
  ["an empty one", () => ({ formToken: "" })],
  ["one that was made up", () => ({ formToken: "x".repeat(200) })],
  ["another browser's", async () => ({ formToken: formTokenOf(await openBrowser(fixture.pages).visit("/oauth/login"), "/oauth/login") })],
])("a login form with %s logs nobody in, even with the right password (login CSRF)", async (_title, fields) => {
  const answer = await browser.send("/oauth/login", { handle: "somchai", password, ...(await fields()) });
  expect(answer).toMatchObject({ status: 400, cookies: [] });
});

test("a browser that keeps no cookies is told that cookies are needed", async () => {
  browser.jar.clear();
  expect(await browser.submit(page, "/oauth/login", { handle: "somchai", password })).toMatchObject({ status: 400 });
});

test("a login whose password could not be checked does not count as failed", async () => {
  const busy = async () => {
    throw new Problem("unavailable", "Too many people are logging in at once.");
  };
  const throttle = loginThrottle();
  const overloaded = openBrowser({ ...fixture.pages, throttle, passwords: { ...fixture.pages.passwords, verifyPassword: busy } });
  const shown = await overloaded.visit("/oauth/login");
  for (let i = 0; i < 30; i += 1) await expect(logIn(overloaded, shown)).rejects.toThrow("at once");
  const calm = openBrowser({ ...fixture.pages, throttle });
  expect((await logIn(calm, await calm.visit("/oauth/login"))).status).toBe(303);
});

test("after too many failed logins even the right password is answered with 429 and Retry-After, and other networks can still log in", async () => {
  const throttled = { ...fixture.pages, throttle: loginThrottle() };
  const guesser = openBrowser(throttled);
  const shown = await guesser.visit("/oauth/login");
  for (let i = 0; i < 20; i += 1)
    expect((await guesser.submit(shown, "/oauth/login", { handle: "somchai", password: "wrong password" })).status).toBe(403);
  const refused = await logIn(guesser, shown);
  expect(refused).toMatchObject({ status: 429, cookies: [] });
  expect(refused.retryAfter).toBeGreaterThan(800);
  expect((await guesser.submit(shown, "/oauth/login", { handle: "somchai", password }, { address: "192.0.2.9" })).status).toBe(303);
});
