// For tests: certificates, and what a client of TLS offers a host.

import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

// Certificates from 2020 to 2120: that of an authority, and one by it for hooks.test with its key. They prove nothing outside this test.
export const authority = `-----BEGIN CERTIFICATE-----
MIIBbzCCARWgAwIBAgIBATAKBggqhkjOPQQDAjAeMRwwGgYDVQQDDBNBdXRob3Jp
dHkgb2YgYSB0ZXN0MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAe
MRwwGgYDVQQDDBNBdXRob3JpdHkgb2YgYSB0ZXN0MFkwEwYHKoZIzj0CAQYIKoZI
zj0DAQcDQgAEa4xBLzk8ZwkC5M7i5K1JFi030xJ08LxAYAUNgALMGj1skCHt5PCV
hgRUDlZIEBl+6AR5BkAbFVEGHfBLFvmzGqNCMEAwDwYDVR0TAQH/BAUwAwEB/zAO
BgNVHQ8BAf8EBAMCAgQwHQYDVR0OBBYEFAFn434a/nF+wP0sk6f06dq++NToMAoG
CCqGSM49BAMCA0gAMEUCIQCeGZrg/hR7TMgIOQG5YBh8DiVg2cr+IqMtDTgiRd1Z
xgIgRRlm3QKsKZ8r/t8jyOg5MagjCJWusA0i7sD8ZLBG/Vc=
-----END CERTIFICATE-----`;
export const certificate = `-----BEGIN CERTIFICATE-----
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
export const privateKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgccPxOBQx8b3aWJTV
QmGiJstHrMrxa+qbcNHq3LtIEq2hRANCAAQ6142fvSL/TopOHcK6/m2qx2Qpl1mL
yABOfeuvz3dcyzAtuuWoJjYP8X3a/ZvxCDt5Z6bT7jKja4B7uHuVODqv
-----END PRIVATE KEY-----`;

/** Groups of Diffie-Hellman that the host chooses (RFC 5246, 5288, 7905): DHE with RSA, each with its code. */
const dhe = new Set([0x0016, 0x0033, 0x0039, 0x0045, 0x0067, 0x006b, 0x0088, 0x009e, 0x009f, 0xc09e, 0xc09f, 0xc0a2, 0xc0a3, 0xccaa]);

/** Codes of the cipher suites in a ClientHello (RFC 8446 4.1.2), which begins a connection. */
function suitesIn(hello: Buffer): number[] {
  const sessionAt = 5 + 4 + 2 + 32;
  const suitesAt = sessionAt + 1 + hello.readUInt8(sessionAt);
  const count = hello.readUInt16BE(suitesAt) / 2;
  return Array.from({ length: count }, (_, index) => hello.readUInt16BE(suitesAt + 2 + 2 * index));
}

/** Resolves to how many cipher suites the client offers that connects to this port, and which of them have DHE. The host hangs up then. */
export async function suitesOffered(connectTo: (port: number) => Promise<unknown>): Promise<{ count: number; withDhe: number[] }> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const connected = once(server, "connection").then(async ([socket]: Socket[]) => {
    const [hello] = (await once(socket as Socket, "data")) as [Buffer];
    socket?.destroy();
    return suitesIn(hello);
  });
  const asking = connectTo((server.address() as AddressInfo).port);
  asking.catch(() => {}); // the host hangs up
  const suites = await connected;
  await asking.catch(() => {});
  server.close();
  return { count: suites.length, withDhe: suites.filter((code) => dhe.has(code)) };
}
