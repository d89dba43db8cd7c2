import { createSecretKey } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { suitesOffered } from "../../../http/testing-hello.ts";
import { sender } from "./send.ts";

// Certificates from 2020 to 2120: that of an authority, and one by it for hooks.test with its key. They prove nothing outside this test.
const authority = `-----BEGIN CERTIFICATE-----
MIIBbzCCARWgAwIBAgIBATAKBggqhkjOPQQDAjAeMRwwGgYDVQQDDBNBdXRob3Jp
dHkgb2YgYSB0ZXN0MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAe
MRwwGgYDVQQDDBNBdXRob3JpdHkgb2YgYSB0ZXN0MFkwEwYHKoZIzj0CAQYIKoZI
zj0DAQcDQgAEa4xBLzk8ZwkC5M7i5K1JFi030xJ08LxAYAUNgALMGj1skCHt5PCV
hgRUDlZIEBl+6AR5BkAbFVEGHfBLFvmzGqNCMEAwDwYDVR0TAQH/BAUwAwEB/zAO
BgNVHQ8BAf8EBAMCAgQwHQYDVR0OBBYEFAFn434a/nF+wP0sk6f06dq++NToMAoG
CCqGSM49BAMCA0gAMEUCIQCeGZrg/hR7TMgIOQG5YBh8DiVg2cr+IqMtDTgiRd1Z
xgIgRRlm3QKsKZ8r/t8jyOg5MagjCJWusA0i7sD8ZLBG/Vc=
-----END CERTIFICATE-----`;
const certificate = `-----BEGIN CERTIFICATE-----
MIIBfTCCASOgAwIBAgIBAjAKBggqhkjOPQQDAjAeMRwwGgYDVQQDDBNBdXRob3Jp
dHkgb2YgYSB0ZXN0MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAV
MRMwEQYDVQQDDApob29rcy50ZXN0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
OteNn70i/06KTh3Cuv5tqsdkKZdZi8gATn3rr893XMswLbrlqCY2D/F92v2b8Qg7
eWem0+4yo2uAe7h7lTg6r6NZMFcwFQYDVR0RBA4wDIIKaG9va3MudGVzdDAfBgNV
HSMEGDAWgBQBZ+N+Gv5xfsD9LJOn9OnavvjU6DAdBgNVHQ4EFgQUnB3UoTWFN8pG
uKwYWenyvKW4jFwwCgYIKoZIzj0EAwIDSAAwRQIgWVck+Xyj9HpjwBG35fqHQGBA
C+KcF/jxjtYnl9bMFkkCIQCsO1gkNbI/AnyJsH+F+ZxX9ONpqCg907U4UP4Ebkci
bw==
-----END CERTIFICATE-----`;
const privateKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgccPxOBQx8b3aWJTV
QmGiJstHrMrxa+qbcNHq3LtIEq2hRANCAAQ6142fvSL/TopOHcK6/m2qx2Qpl1mL
yABOfeuvz3dcyzAtuuWoJjYP8X3a/ZvxCDt5Z6bT7jKja4B7uHuVODqv
-----END PRIVATE KEY-----`;

const trusted = getCACertificates("default");
const server = createServer({ cert: certificate, key: privateKey }, (_, response) => response.end("ok"));
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(() => setDefaultCACertificates(trusted));
afterAll(() => server.close().closeAllConnections());

/** Sends to this host, which resolves to the server of this test. */
async function send(host: string, port = (server.address() as AddressInfo).port) {
  const connect = sender({ mode: "on", ports: [port], resolve: async () => ["127.0.0.1"], userAgent: "test", now: Date.now });
  const { send: sendOne, close } = connect(`https://${host}:${port}/`);
  const { attempt } = await sendOne({ id: "1", body: "{}", secrets: [createSecretKey(Buffer.alloc(32))] }).finally(close);
  return attempt;
}

test("an endpoint whose certificate is by an authority that this machine trusts gets the delivery", async () => {
  setDefaultCACertificates([...trusted, authority]);
  expect(await send("hooks.test")).toMatchObject({ status: 200, answer: "ok", error: null });
});

test("an endpoint whose certificate is by an unknown authority gets nothing", async () =>
  expect(await send("hooks.test")).toMatchObject({ status: null, error: expect.stringMatching(/^The TLS certificate is not trusted/) }));

test("an endpoint whose certificate is for another host gets nothing", async () => {
  setDefaultCACertificates([...trusted, authority]);
  expect(await send("other.test")).toMatchObject({ status: null, error: "The TLS certificate is not for this host." });
});

test("an endpoint is offered no DHE, whose group it would choose: one of 10,000 bits keeps the event loop for 0.6 s", async () => {
  const { count, withDhe } = await suitesOffered((port) => send("hooks.test", port));
  expect(count).toBeGreaterThan(3);
  expect(withDhe).toEqual([]);
});
