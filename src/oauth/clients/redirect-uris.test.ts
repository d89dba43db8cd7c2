import { expect, test } from "vitest";
import { answerUri, findRedirectUri, formActionSource, redirectHost } from "./redirect-uris.ts";

const web = "https://client.example/callback";
const loopback = "http://127.0.0.1/callback";
const one = { redirectUris: [web] };
const all = { redirectUris: [web, loopback, "http://[::1]:4000/cb?a=1", "http://localhost/", "com.client.app:/callback"] };

test.each([
  ["https", web],
  ["loopback as registered", loopback],
  ["loopback on another port", "http://127.0.0.1:51004/callback"],
  ["IPv6 loopback on another port", "http://[::1]:9/cb?a=1"],
  ["IPv6 loopback without one", "http://[::1]/cb?a=1"],
  ["localhost on a port", "http://localhost:65535/"],
  ["private-use scheme", "com.client.app:/callback"],
])("a redirect URI with %s is accepted", (_title, uri) => expect(findRedirectUri(all, uri)).toBe(uri));

test.each([
  ["the scheme's case", "HTTPS://client.example/callback"],
  ["the host's case", "https://Client.example/callback"],
  ["the path's case", "https://client.example/Callback"],
  ["another scheme", "http://client.example/callback"],
  ["a trailing slash", `${web}/`],
  ["no path", "https://client.example"],
  ["the default port", "https://client.example:443/callback"],
  ["another port", "https://client.example:8443/callback"],
  ["userinfo", "https://user@client.example/callback"],
  ["our host as userinfo", "https://client.example@evil.example/callback"],
  ["a fragment", `${web}#x`],
  ["an empty fragment", `${web}#`],
  ["a query", `${web}?x=1`],
  ["an empty query", `${web}?`],
  ["dots", "https://client.example/x/../callback"],
  ["encoded dots", "https://client.example/%2e%2e/callback"],
  ["an encoded slash", "https://client.example%2Fcallback"],
  ["an encoded letter", "https://client.example/%63allback"],
  ["a subdomain", "https://evil.client.example/callback"],
  ["a longer domain", "https://client.example.evil.example/callback"],
  ["a trailing dot", "https://client.example./callback"],
  ["a backslash", "https://client.example\\@evil.example/callback"],
  ["white space", ` ${web}`],
  ["a line break", `${web}\n`],
  ["nothing", ""],
  ["another path on loopback", "http://127.0.0.1:5000/other"],
  ["https on loopback", "https://127.0.0.1:5000/callback"],
  ["another loopback address", "http://127.0.0.2:5000/callback"],
  ["another name of it", "http://localhost:5000/callback"],
  ["a port with userinfo behind it", "http://127.0.0.1:80@evil.example/callback"],
  ["loopback as userinfo", "http://127.0.0.1@evil.example/callback"],
  ["a longer host", "http://127.0.0.1.evil.example/callback"],
  ["a port that is none", "http://127.0.0.1:99999/callback"],
  ["an empty port", "http://127.0.0.1:/callback"],
  ["letters as port", "http://127.0.0.1:80x/callback"],
  ["a fragment on loopback", "http://127.0.0.1:5000/callback#x"],
  ["a port on a private-use scheme", "com.client.app:80/callback"],
])("a redirect URI that differs by %s is refused", (_title, uri) => expect(findRedirectUri(all, uri)).toBeNull());

test("the redirect URI may be left out when exactly one is registered (RFC 6749 3.1.2.3)", () => {
  expect(findRedirectUri(one, undefined)).toBe(web);
  expect(findRedirectUri(all, undefined)).toBeNull();
  expect(findRedirectUri({ redirectUris: [] }, undefined)).toBeNull();
});

test("an answer is added to the redirect URI's query, with the unchanged state and the issuer as iss (RFC 9207)", () => {
  const state = 'a b&c=d#"ก/+%';
  const answer = new URL(answerUri({ redirectUri: "http://[::1]:4000/cb?a=1", state }, "https://us.example", { code: "x" }));
  expect([...answer.searchParams]).toEqual([
    ["a", "1"],
    ["code", "x"],
    ["state", state],
    ["iss", "https://us.example"],
  ]);
  expect(answerUri({ redirectUri: "com.client.app:/cb", state: null }, "https://us.example", { code: "x" })).toBe(
    "com.client.app:/cb?code=x&iss=https://us.example",
  );
});

test("a state of characters that need no escape is sent back at its original length", () => {
  const state = "azAZ09-._~!$'()*,;:@/?".repeat(100);
  expect(answerUri({ redirectUri: web, state }, "https://us.example", {})).toContain(`?state=${state}&iss=`);
});

test.each([
  [web, "https://client.example"],
  ["https://client.example:8443/x", "https://client.example:8443"],
  ["http://127.0.0.1:5000/cb", "http://127.0.0.1:5000"],
  ["http://[::1]:5000/cb", "http:"],
  ["com.client.app:/cb", "com.client.app:"],
  ["https://a;b,c.example/", "https:"],
  ["https://xn--o3cw4h.example/cb", "https://xn--o3cw4h.example"],
])("the CSP source of %s is %s", (uri, source) => expect(formActionSource(uri)).toBe(source));

test.each([
  [web, "client.example", false],
  ["http://127.0.0.1:5000/cb", "127.0.0.1:5000", true],
  ["com.client.app:/cb", "com.client.app", true],
])("the redirect URI %s is shown to the streamer as %s", (uri, name, onDevice) => expect(redirectHost(uri)).toEqual({ name, onDevice }));
