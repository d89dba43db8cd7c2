// Hosts of webhooks that make the server compute, or that let it wait: neither requests nor deliveries of others are late.

import { type BinaryLike, generateKeyPairSync, sign } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createServer as createTlsServer } from "node:tls";
import { type Attack, type AttackedServer, byScale } from "../attack.ts";
import { withoutWaits } from "../other-clients.ts";

/** Endpoints that a streamer may have. */
const maxEndpoints = 10;
/** Of a busy machine. Waiting for a host of somebody else would take 5 s. */
const longestDeliveryMs = 3_000;

type Call = readonly [method: string, path: string, body?: object];

/** Repeats what was refused. Resolves to `data` of the answer. */
async function call(server: AttackedServer, key: string, [method, path, body]: Call): Promise<{ id: string }> {
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  const answer = await fetch(`${server.url}/api/v1${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await answer.text();
  const wait = Number(answer.headers.get("retry-after"));
  if ([429, 503].includes(answer.status) && wait) {
    await sleep(wait * 1_000);
    return call(server, key, [method, path, body]);
  }
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`);
  return text === "" ? { id: "" } : JSON.parse(text).data;
}

const donate = (server: AttackedServer, key: string) =>
  call(server, key, ["POST", "/donations", { donatorName: "a", amount: 1, skipAlert: true }]);

/** Registers endpoints for the time of the task. */
async function withEndpoints(
  server: AttackedServer,
  { key, urls }: { key: string; urls: readonly string[] },
  task: () => Promise<unknown>,
): Promise<void> {
  const made = await Promise.all(urls.map((url) => call(server, key, ["POST", "/webhooks", { url, types: ["donation.created"] }])));
  try {
    await task();
  } finally {
    for (const { id } of made) await call(server, key, ["DELETE", `/webhooks/${id}`]);
  }
}

type Host = Readonly<{ port: number; connections: () => number; close: () => void }>;

/** A host that nothing is known of but its connections. */
async function openHost(host: Server): Promise<Host> {
  const sockets = new Set<Socket>();
  host.on("connection", (socket: Socket) => sockets.add(socket.on("error", () => {}))).on("tlsClientError", () => {});
  host.listen(0, "127.0.0.1");
  await once(host, "listening");
  return {
    port: (host.address() as AddressInfo).port,
    connections: () => sockets.size,
    close: () => {
      host.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

let chain: Chain | null = null;

function openCostlyHost(): Promise<Host> {
  chain ??= costlyChain();
  return openHost(createTlsServer(chain));
}

/** The uploader has as many endpoints as a streamer may, all of this host, and a donation every quarter of a second, until the task has ended. */
async function besideDeliveries(server: AttackedServer, host: Host, task: () => Promise<unknown>): Promise<void> {
  const { uploader: key } = server.keys;
  const urls = Array.from({ length: maxEndpoints }, (_, index) => `https://localhost:${host.port}/${index}`);
  await withEndpoints(server, { key, urls }, async () => {
    const ended = new AbortController();
    const donating = (async () => {
      for (; !ended.signal.aborted; await sleep(250)) await donate(server, key);
    })();
    donating.catch(() => {}); // awaited below
    await task().finally(() => ended.abort());
    await donating;
  });
  host.close();
  if (host.connections() < maxEndpoints) throw new Error(`the host was connected to ${host.connections()} times`);
}

/** Deliveries to a host whose certificates are costly, until it was connected to so many times, or for ten seconds. */
async function shakeHands(server: AttackedServer, count: number): Promise<void> {
  const host = await openCostlyHost();
  await besideDeliveries(server, host, async () => {
    for (const ended = AbortSignal.timeout(10_000); host.connections() < count && !ended.aborted; ) await sleep(100);
  });
}

const half = Buffer.from("\x16\x03\x03\x00\x7a\x02\x00\x00\x76\x03\x03", "latin1");

function trickle(socket: Socket): void {
  let sent = 0;
  const timer = setInterval(() => socket.write(half.subarray(sent, (sent += 1))), 1_000);
  socket.once("close", () => clearInterval(timer));
}

const slowHosts: Readonly<Record<string, () => Promise<Host>>> = {
  "never answer a handshake": () => openHost(createTcpServer(() => {})),
  "answer half of a handshake": () => openHost(createTcpServer((socket) => void socket.write(half))),
  "answer a handshake with a byte a second": () => openHost(createTcpServer(trickle)),
  "have certificates that take longest to verify": openCostlyHost,
};

/** Milliseconds from a donation of the regular client to its delivery, the longest of several. */
async function longestDelivery(server: AttackedServer, count: number): Promise<number> {
  const arrivals = new EventEmitter();
  const receiver = createServer((request, response) => {
    request.resume().once("end", () => {
      response.end();
      arrivals.emit("delivery");
    });
  });
  const host = await openHost(receiver);
  const { regularClient: key } = server.keys;
  let longest = 0;
  await withEndpoints(server, { key, urls: [`http://localhost:${host.port}/`] }, async () => {
    for (let index = 0; index < count; index += 1, await sleep(100)) {
      const arrived = once(arrivals, "delivery", { signal: AbortSignal.timeout(60_000) });
      const began = performance.now();
      await donate(server, key);
      await arrived;
      longest = Math.max(longest, performance.now() - began);
    }
  });
  host.close();
  return Math.round(longest);
}

const deliveriesInTime = Object.entries(slowHosts).map(
  ([kind, open]): Attack => ({
    rule: `deliveries of others arrive in time while the hosts of a streamer ${kind}`,
    run: async (server, scale) => {
      let longest = 0;
      await besideDeliveries(server, await open(), async () => {
        longest = await longestDelivery(server, byScale(scale, 10, 60));
      });
      if (longest > longestDeliveryMs) throw new Error(`a delivery took ${longest} ms`);
      return `deliveries took ${longest} ms at most`;
    },
  }),
);

export const costlyHosts: readonly Attack[] = [
  withoutWaits("nobody waits for handshakes with hosts of webhooks whose certificates take longest to verify", (server, _salt, scale) =>
    shakeHands(server, byScale(scale, 20, 100)),
  ),
  ...deliveriesInTime,
];

// A chain of certificates that a client takes as long as possible to verify. Names and constraints on names are compared pair by pair.

type Chain = Readonly<{ cert: string; key: string }>;

const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });

/** A value of DER (X.690) with its tag. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const bytes = length < 0x80 ? [] : length < 0x1_00 ? [length] : [length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, bytes.length === 0 ? length : 0x80 + bytes.length, ...bytes]), content]);
}

const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts);
const identifier = (hex: string): Buffer => der(0x06, Buffer.from(hex, "hex"));
const nameOf = (text: string): Buffer => sequence(der(0x31, sequence(identifier("550403"), der(0x0c, Buffer.from(text)))));
const extension = (id: string, value: Uint8Array): Buffer => sequence(identifier(id), der(0x04, value));
const dnsName = (name: string): Buffer => der(0x82, Buffer.from(name));
const validity = sequence(der(0x17, Buffer.from("200101000000Z")), der(0x18, Buffer.from("21200101000000Z")));
const ecdsaWithSha256 = sequence(identifier("2a8648ce3d040302"));

/** RFC 5280 4.1. All have the same key. */
function certificate(subject: string, issuer: string, extensions: readonly Uint8Array[]): string {
  const head = [der(0xa0, der(0x02, Buffer.of(2))), der(0x02, Buffer.of(1)), ecdsaWithSha256, nameOf(issuer), validity, nameOf(subject)];
  const body = sequence(...head, publicKey.export({ type: "spki", format: "der" }), der(0xa3, sequence(...extensions)));
  const signature = sign("sha256", body as BinaryLike as Buffer, privateKey);
  const whole = sequence(body, ecdsaWithSha256, der(0x03, Buffer.of(0), signature));
  return `-----BEGIN CERTIFICATE-----\n${whole.toString("base64").replace(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`;
}

/** The names of a host, which each of its issuers excludes other names for: 100 KiB, the most that OpenSSL reads, and a million comparisons each. */
function costlyChain(names = 16_000, constraints = 64, issuers = 60): Chain {
  const repeat = (count: number, one: Buffer) => Array.from({ length: count }, () => one);
  const alternatives = extension("551d11", sequence(...repeat(names, dnsName("a"))));
  const isIssuer = extension("551d13", sequence(der(0x01, Buffer.of(0xff))));
  const excluded = extension("551d1e", sequence(der(0xa1, ...repeat(constraints, sequence(dnsName("b"))))));
  const chain = Array.from({ length: issuers }, (_, index) =>
    certificate(`${index}`, `${Math.min(index + 1, issuers - 1)}`, [isIssuer, excluded]),
  );
  return {
    cert: certificate("host", "0", [alternatives]) + chain.join(""),
    key: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
  };
}
