import { createSecretKey } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { sender } from "./send.ts";

// Certificates from 2020 to 2120: that of an authority, and one by it for hooks.example with its key. They prove nothing outside this test.
const authority = `-----BEGIN CERTIFICATE-----
MIIBbzCCARWgAwIBAgIBATAKBggqhkjOPQQDAjAeMRwwGgYDVQQDDBNBdXRob3Jp
dHkgb2YgYSB0ZXN0MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAe
MRwwGgYDVQQDDBNBdXRob3JpdHkgb2YgYSB0ZXN0MFkwEwYHKoZIzj0CAQYIKoZI
zj0DAQcDQgAEcu4MqwFlAlBGOpWPKOHegNaUt0G6nLFuhF7DK6ILuueVGTnzBsA1
hBlQsfSd2CjVQQjfjvv9AU4WUC9IOX2cZ6NCMEAwDwYDVR0TAQH/BAUwAwEB/zAO
BgNVHQ8BAf8EBAMCAgQwHQYDVR0OBBYEFMpQ3aKU4hNNCmMqc+23pry5utoBMAoG
CCqGSM49BAMCA0gAMEUCICBYYfie8ft5duWZ1ZC/F5FVx4VgbQswCpG6IB3IZFQx
AiEA10kwPouz8UY5pVCVRbdNIzP/hE0uirTGaD8r7U2AUaA=
-----END CERTIFICATE-----`;
const certificate = `-----BEGIN CERTIFICATE-----
MIIBgzCCASmgAwIBAgIBAjAKBggqhkjOPQQDAjAeMRwwGgYDVQQDDBNBdXRob3Jp
dHkgb2YgYSB0ZXN0MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAY
MRYwFAYDVQQDDA1ob29rcy5leGFtcGxlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD
QgAEpeN6jVQwJdijn7KkW4DhwFh2XG0fRpqJmX/bP0/Lfos3wM5jjUGbVLSVR57+
KsuOQisUp0Zji4vUMo9thPpuYKNcMFowGAYDVR0RBBEwD4INaG9va3MuZXhhbXBs
ZTAfBgNVHSMEGDAWgBTKUN2ilOITTQpjKnPtt6a8ubraATAdBgNVHQ4EFgQUg7NU
K012Il5We7C18MddQRKnTI8wCgYIKoZIzj0EAwIDSAAwRQIgB2ZwFmkbRyiwDJQn
UyofJUYe4DoUfXy5NgQhKWI3jF4CIQC4Cc2DM0FhqE3rtjVgKncshgUwKTXhqhNS
eCfKa4WFag==
-----END CERTIFICATE-----`;
const privateKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgmfoyFHrUlj4KWvQN
o5fvgVdUbZzOie12knMkWtt4mDKhRANCAASl43qNVDAl2KOfsqRbgOHAWHZcbR9G
momZf9s/T8t+izfAzmONQZtUtJVHnv4qy45CKxSnRmOLi9Qyj22E+m5g
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
async function send(host: string) {
  const connect = sender({ mode: "on", resolve: async () => ["127.0.0.1"], userAgent: "test", now: Date.now });
  const { send: sendOne, close } = connect(`https://${host}:${(server.address() as AddressInfo).port}/`);
  const { attempt } = await sendOne({ id: "1", body: "{}", secrets: [createSecretKey(Buffer.alloc(32))] }).finally(close);
  return attempt;
}

test("an endpoint whose certificate is by an authority that this machine trusts gets the delivery", async () => {
  setDefaultCACertificates([...trusted, authority]);
  expect(await send("hooks.example")).toMatchObject({ status: 200, answer: "ok", error: null });
});

test("an endpoint whose certificate is by an unknown authority gets nothing", async () =>
  expect(await send("hooks.example")).toMatchObject({ status: null, error: expect.stringMatching(/^The TLS certificate is not trusted/) }));

test("an endpoint whose certificate is for another host gets nothing", async () => {
  setDefaultCACertificates([...trusted, authority]);
  expect(await send("other.example")).toMatchObject({ status: null, error: "The TLS certificate is not for this host." });
});
