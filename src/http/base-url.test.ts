import { expect, test } from "vitest";
import { isOurOrigin, makeSite } from "./base-url.ts";
import type { Caller } from "./operations.ts";

const site = makeSite({ brand: "namjai", baseUrl: "https://donations.example/sub" });
const plain = makeSite({ brand: "namjai", baseUrl: "http://127.0.0.1:8080" });
const caller = (origin?: string, host = "internal:8080"): Caller => ({
  authorization: undefined,
  cookie: undefined,
  origin,
  host,
  address: "",
});

test("public paths are below the path of the base URL", () => {
  expect(site.path("/oauth/login")).toBe("/sub/oauth/login");
  expect(plain.path("/oauth/login")).toBe("/oauth/login");
});

test.each([
  ["none", undefined, undefined, true],
  ["the base URL's", "https://donations.example", undefined, true],
  ["the host's that was asked", "https://other.example", "other.example", true],
  ["null", "null", undefined, false],
  ["null, without a host", "null", "", false],
  ["another site's", "https://evil.example", undefined, false],
  ["the same host's over http", "http://donations.example", "donations.example", false],
  ["another port's", "https://donations.example:8443", undefined, false],
  ["a longer host's", "https://donations.example.evil.example", undefined, false],
  ["no origin at all", "donations.example", undefined, false],
])("the origin of a form is checked: %s", (_title, origin, host, ours) => expect(isOurOrigin(caller(origin, host), site)).toBe(ours));

test("the requested host is accepted as the origin when the base URL is http", () => {
  expect(isOurOrigin(caller("http://localhost:8080", "localhost:8080"), plain)).toBe(true);
  expect(isOurOrigin(caller("http://evil.example", "localhost:8080"), plain)).toBe(false);
  expect(isOurOrigin(caller("null", "localhost:8080"), plain)).toBe(false);
});
