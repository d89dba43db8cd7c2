import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { makeSite } from "../../http/base-url.ts";
import { cursorCodec } from "../../http/cursor.ts";
import type { PageDeps } from "../forms.ts";
import { type Browser, logIn, type OAuthPagesFixture, openBrowser, openOAuthPagesFixture, password } from "../testing-pages.ts";
import { browserName, knownBrowsers } from "./browsers.ts";
import { loginThrottle } from "./check-password.ts";

const cookieName = "__Host-namjai_browser";
const site = makeSite({ brand: "namjai", baseUrl: "https://donations.example" });
const codec = cursorCodec(Buffer.alloc(32, 7));

let fixture: OAuthPagesFixture;
let pages: PageDeps;
beforeAll(async () => void (fixture = await openOAuthPagesFixture()));
afterAll(async () => fixture?.close());
beforeEach(() => {
  pages = { ...fixture.pages, throttle: loginThrottle() };
});

/** Types a wrong password so many times from each of these addresses, and resolves to the statuses. */
async function guess(browser: Browser, count: number, addresses: readonly string[], handle = "somchai"): Promise<number[]> {
  const page = await browser.visit("/oauth/login");
  const statuses: number[] = [];
  for (const address of addresses)
    for (let i = 0; i < count; i += 1)
      statuses.push((await browser.submit(page, "/oauth/login", { handle, password: "wrong password" }, { address })).status);
  return statuses;
}

/** A browser that logged in and out, from this address. */
async function knownBrowser(handle = "somchai", address = "203.0.113.1"): Promise<Browser> {
  const browser = openBrowser(pages);
  const fields = { handle, password };
  expect((await browser.submit(await browser.visit("/oauth/login"), "/oauth/login", fields, { address })).status).toBe(303);
  const out = await browser.visit("/oauth/connections");
  await browser.submit(out, "/oauth/logout");
  return browser;
}

const attackers = ["198.51.100.1", "198.51.100.2", "198.51.100.3"];
const statusOf = async (browser: Browser, handle = "somchai") => (await logIn(browser, await browser.visit("/oauth/login"), handle)).status;
const withCookie = (value: string) => {
  const browser = openBrowser(pages);
  browser.jar.set(cookieName, value);
  return browser;
};

test("wrong passwords from three networks lock a streamer out everywhere but in browsers in which they logged in before", async () => {
  const known = await knownBrowser();
  expect((await guess(openBrowser(pages), 14, attackers)).slice(-2)).toEqual([429, 429]);
  expect(await statusOf(openBrowser(pages))).toBe(429);
  expect(await statusOf(known)).toBe(303);
});

test("wrong passwords from a network lock it for every browser in it but those in which the streamer logged in before", async () => {
  const known = await knownBrowser();
  await guess(openBrowser(pages), 21, ["192.0.2.1"]);
  expect(await statusOf(openBrowser(pages))).toBe(429);
  expect(await statusOf(known)).toBe(303);
});

test("a stolen cookie of a known browser is tried ten times apart, and then counts as any other browser", async () => {
  const stolen = (await knownBrowser()).jar.get(cookieName) as string;
  await guess(openBrowser(pages), 14, attackers);
  expect(await guess(withCookie(stolen), 12, ["192.0.2.7"])).toEqual([...Array(10).fill(403), 429, 429]);
  expect((await guess(withCookie(stolen), 1, attackers)).every((status) => status === 429)).toBe(true);
});

test("the cookie of a known browser is worth nothing to another streamer, changed, or sealed for something else", async () => {
  const malee = (await knownBrowser("malee")).jar.get(cookieName) as string;
  const somchai = (await knownBrowser()).jar.get(cookieName) as string;
  await guess(openBrowser(pages), 14, attackers);
  const known = { id: "x", handle: "somchai", changedAt: "", expiresAt: Date.now() + 1e9 };
  const forged = [
    malee,
    `${somchai}A`,
    somchai.slice(0, -1),
    `x${somchai.slice(1)}`,
    `....${somchai}`,
    codec.seal("session cookie", known),
    codec.seal("known browser", known),
    cursorCodec(Buffer.alloc(32, 8)).seal("known browser", known),
    Array(5_000).fill("x").join("."),
  ];
  for (const value of forged) expect(await statusOf(withCookie(value)), value.slice(0, 40)).toBe(429);
  expect(await statusOf(withCookie(somchai))).toBe(303);
});

test("a changed password ends every known browser", async () => {
  const known = await knownBrowser();
  await fixture.pages.passwords.setPassword(fixture.somchai, "another password");
  await fixture.pages.passwords.setPassword(fixture.somchai, password);
  await guess(openBrowser(pages), 14, attackers);
  expect(await statusOf(known)).toBe(429);
});

test("the cookie of a known browser logs nobody in", async () => {
  const known = await knownBrowser();
  expect(await known.visit("/oauth/connections")).toMatchObject({ status: 303 });
});

test("a browser is known to the four streamers who logged in last, for 30 days", async () => {
  const clock = { now: 0 };
  const browsers = knownBrowsers({ site, codec, findChangedAt: async () => "then", now: () => clock.now });
  const changedAt = "then";
  let cookie: string | undefined;
  for (const handle of ["a", "b", "c", "b", "d", "e"]) cookie = browsers.remember(cookie, handle, { changedAt }).split(";")[0];
  const ids = await Promise.all(["a", "b", "c", "d", "e"].map((handle) => browsers.find(cookie, handle)));
  expect(ids.map((id) => id !== null)).toEqual([false, true, true, true, true]);
  expect(new Set(ids).size).toBe(5);
  clock.now = 30 * 86_400_000;
  expect(await browsers.find(cookie, "e")).toBeNull();
});

test("the cookie of a known browser is HttpOnly, SameSite and bound to the host, and Secure with https", () => {
  const options = { codec, findChangedAt: async () => null };
  const line = (secure: boolean) => knownBrowsers({ site: { ...site, secure }, ...options }).remember(undefined, "a", { changedAt: "" });
  expect(line(true)).toMatch(/^__Host-namjai_browser=[\w-]+; Path=\/; HttpOnly; SameSite=Strict; Secure; Max-Age=2592000$/);
  expect(line(false)).toMatch(/^namjai_browser=[\w-]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=2592000$/);
});

const webkit = "AppleWebKit/537.36 (KHTML, like Gecko)";

test.each([
  ["Chrome, Windows", `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/130.0.0.0 Safari/537.36`],
  ["Edge, Windows", `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/130.0.0.0 Safari/537.36 Edg/130.0.0.0`],
  ["Safari, iOS", "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1"],
  ["Firefox, Linux", "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0"],
  ["Samsung Internet, Android", `Mozilla/5.0 (Linux; Android 14) ${webkit} SamsungBrowser/26.0 Chrome/122.0.0.0 Mobile Safari/537.36`],
  ["LINE, Android", `Mozilla/5.0 (Linux; Android 14) ${webkit} Chrome/130.0.0.0 Mobile Safari/537.36 Line/14.16.0/IAB`],
  ["curl", "curl/8.10.1"],
])("a browser is named %s by its User-Agent", (name, userAgent) => {
  expect(browserName(userAgent)).toBe(name);
});

test.each([undefined, "", "<script>", "ไทย"])("a User-Agent that names no program gives no name: %s", (userAgent) => {
  expect(browserName(userAgent)).toBeNull();
});

test("a name is never long, whatever a browser sends", () => {
  expect(browserName("x".repeat(100_000))).toHaveLength(30);
});
