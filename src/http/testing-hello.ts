// For tests: what a client of TLS offers a host.

import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

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
