import { expect, test } from "vitest";
import { browserName } from "./browsers.ts";

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
