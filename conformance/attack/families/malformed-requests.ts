// Bytes that are not valid HTTP: the server always answers, never with a 5xx, and then closes the connection.

import { seeded } from "../../suite/values/run-settings.ts";
import { type Attack, type AttackedServer, byScale } from "../attack.ts";
import { runBesideRegularClient } from "../other-clients.ts";
import { formatStatusCounts, readUntilClosed, statusOf } from "../sockets.ts";

const post = (key: string, header: string, body: string, version = "1.1"): string =>
  `POST /api/v1/donations HTTP/${version}\r\nHost: h\r\nContent-Type: application/json\r\nAuthorization: Bearer ${key}\r\n${header}\r\n\r\n${body}`;

const chunked = "Transfer-Encoding: chunked";
const chunks = "2\r\n{}\r\n0\r\n\r\n";

/** Invalid framing of a body, by what is wrong with it: header lines and body. */
const bodies: Record<string, [string, string]> = {
  "a chunk size that is no number": [chunked, "zz\r\nabc\r\n0\r\n\r\n"],
  "a negative chunk size": [chunked, "-1\r\nabc\r\n0\r\n\r\n"],
  "a chunk size beyond 64 bits": [chunked, "fffffffffffffffff\r\nabc\r\n0\r\n\r\n"],
  "a chunk longer than its size": [chunked, "3\r\nabcdef0\r\n\r\n"],
  "chunks that end with LF alone": [chunked, "3\nabc\n0\n\n"],
  "a chunk extension of 20,000 characters": [chunked, `3;${"x".repeat(20_000)}\r\nabc\r\n0\r\n\r\n`],
  "a control character in a trailer": [chunked, "3\r\nabc\r\n0\r\nX: \x01y\r\n\r\n"],
  "a blank before the chunk size": [chunked, " 3\r\nabc\r\n0\r\n\r\n"],
  "Transfer-Encoding: gzip, chunked": ["Transfer-Encoding: gzip, chunked", chunks],
  "Transfer-Encoding: gzip": ["Transfer-Encoding: gzip", chunks],
  "Transfer-Encoding: chunked, gzip": ["Transfer-Encoding: chunked, gzip", chunks],
  "Transfer-Encoding: chunked, chunked": ["Transfer-Encoding: chunked, chunked", chunks],
  "Transfer-Encoding: identity": ["Transfer-Encoding: identity", chunks],
  "Transfer-Encoding: unknown": ["Transfer-Encoding: unknown", chunks],
  "Transfer-Encoding, empty": ["Transfer-Encoding: ", chunks],
  "Transfer-Encoding twice": [`${chunked}\r\n${chunked}`, chunks],
  "a vertical tab before chunked": ["Transfer-Encoding: \x0bchunked", chunks],
  "Content-Length after Transfer-Encoding": [`${chunked}\r\nContent-Length: 2`, chunks],
  "Content-Length before Transfer-Encoding": [`Content-Length: 2\r\n${chunked}`, chunks],
  "two lengths": ["Content-Length: 2\r\nContent-Length: 3", "{}a"],
  "a list of lengths": ["Content-Length: 2, 2", "{}"],
  "a negative length": ["Content-Length: -2", "{}"],
  "a length in hexadecimal": ["Content-Length: 0x2", "{}"],
  "a length with a plus": ["Content-Length: +2", "{}"],
  "a header line without colon": ["Content-Length 2", "{}"],
  "a blank before the colon": ["Content-Length : 2", "{}"],
  "a folded header line": ["X-Folded: a\r\n b\r\nContent-Length: 2", "{}"],
  "NUL in a header": ["X-Nul: a\0b\r\nContent-Length: 2", "{}"],
  "two Host header lines": ["Host: i\r\nContent-Length: 2", "{}"],
};

/** Invalid requests, by what is wrong with them. */
const requests: Record<string, string | Uint8Array> = {
  "no Host": "GET /api/v1/me HTTP/1.1\r\n\r\n",
  "two Hosts": "GET /api/v1/me HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
  "the same Host twice": "GET /api/v1/me HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n",
  "HTTP/2's preface": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "HTTP/1.2": "GET / HTTP/1.2\r\nHost: h\r\n\r\n",
  "HTTP/2.0": "GET /livez HTTP/2.0\r\nHost: h\r\n\r\n",
  "HTTP/0.9": "GET /livez HTTP/0.9\r\nHost: h\r\n\r\n",
  "another protocol": "SSH-2.0-OpenSSH_9.2\r\n",
  TLS: Uint8Array.of(0x16, 3, 1, 0, 0xa5, 1, 0, 0, 0xa1, 3, 3),
  CONNECT: "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n",
  "an unknown method": "BREW / HTTP/1.1\r\nHost: h\r\n\r\n",
  "a method in small letters": "get / HTTP/1.1\r\nHost: h\r\n\r\n",
  "17 KiB of headers": `GET / HTTP/1.1\r\nHost: h\r\nX: ${"x".repeat(17_000)}\r\n\r\n`,
};

async function expectRefusal(server: AttackedServer, what: string, bytes: string | Uint8Array): Promise<number> {
  const text = await readUntilClosed(server, bytes).catch((error: Error) => {
    throw new Error(`${what}: ${error.message}`);
  });
  const [head = "", body = ""] = text.split("\r\n\r\n");
  if (!/^HTTP\/1\.1 (400|431) /.test(head) || !/^X-Request-Id: \S/im.test(head) || !/^Connection: close\r?$/im.test(head))
    throw new Error(`${what}: ${text.slice(0, 200)}`);
  if (!/^\{"type":".*"requestId":"/.test(body)) throw new Error(`${what}: expected a problem, got ${JSON.stringify(body)}`);
  return statusOf(text);
}

export const malformedRequests: readonly Attack[] = [
  {
    rule: "a request with a malformed body is answered 400 or 431 with a problem and a request id, and its connection is closed",
    run: async (server) => {
      const key = server.keys.regularClient;
      const all = Object.entries(bodies).map(([what, [header, body]]) => expectRefusal(server, what, post(key, header, body)));
      const old = expectRefusal(server, "chunks in HTTP/1.0", post(key, chunked, chunks, "1.0"));
      return `${all.length + 1} kinds: ${formatStatusCounts(await Promise.all([...all, old]))}`;
    },
  },
  {
    rule: "a malformed request is answered 400 or 431 with a problem and a request id, and its connection is closed",
    run: async (server) => {
      const all = Object.entries(requests).map(([what, bytes]) => expectRefusal(server, what, bytes));
      return `${all.length} kinds: ${formatStatusCounts(await Promise.all(all))}`;
    },
  },
  {
    rule: "an address with letters that are not percent-encoded is answered 400 with a problem that says so",
    run: async (server) => {
      const targets = ["/api/v1/donations/search?q=ขอบคุณ", "/api/v1/โดเนท", "/é"];
      for (const target of targets) {
        const text = await readUntilClosed(server, `GET ${target} HTTP/1.1\r\nHost: h\r\n\r\n`);
        if (statusOf(text) !== 400 || !text.includes("percent-encoded")) throw new Error(`${target}: ${text.slice(0, 500)}`);
      }
      return `${targets.length} addresses: 400`;
    },
  },
  {
    rule: "a body that is declared above the limit, up to the largest number of 64 bits, is answered 413 before any of it arrives",
    run: async (server) => {
      const lengths = ["65537", "2147483648", "4294967297", "9007199254740993", "18446744073709551615"];
      const heads = lengths.flatMap((length) => [
        post(server.keys.regularClient, `Content-Length: ${length}`, ""),
        `POST /oauth/token HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`,
      ]);
      const statuses = await Promise.all(heads.map(async (head) => statusOf(await readUntilClosed(server, head))));
      if (statuses.some((status) => status !== 413)) throw new Error(formatStatusCounts(statuses));
      return `${statuses.length} requests: 413`;
    },
  },
  {
    rule: "a malformed request that follows a valid one on the same connection is refused after the valid one is answered",
    run: async (server) => {
      const text = await readUntilClosed(server, `GET /livez HTTP/1.1\r\nHost: h\r\n\r\n${requests["two Hosts"]}`);
      const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status);
      if (statuses.join() !== "200,400") throw new Error(`answered ${statuses.join()}`);
      return "200, then 400";
    },
  },
  {
    rule: "a request in which bytes were changed at random is never answered with a 5xx",
    run: (server, scale) =>
      runBesideRegularClient(server, async () => {
        const count = byScale(scale, 600, 105_000);
        const statuses: number[] = [];
        for (let first = 0; first < count; first += concurrency)
          statuses.push(...(await Promise.all(Array.from({ length: concurrency }, (_, index) => sendCorrupted(server, first + index)))));
        const bad = statuses.filter((status) => status >= 500);
        if (bad.length > 0) throw new Error(`${bad.length} of ${statuses.length}: ${formatStatusCounts(bad)}`);
        return `${statuses.length} requests: ${formatStatusCounts(statuses)}`;
      }),
  },
];

const concurrency = 50;

/** Sends a valid request with a few bytes changed, removed or inserted; the same number makes the same changes. */
async function sendCorrupted(server: AttackedServer, number: number): Promise<number> {
  const next = seeded(number);
  const random = (bound: number): number => Math.floor(next() * bound);
  const good = post(server.keys.attacker, number % 2 ? chunked : `Content-Length: ${chunks.length}`, chunks).replace(
    "h\r\n",
    "h\r\nConnection: close\r\n",
  );
  const bytes = [...Buffer.from(good)];
  for (let edit = 0; edit <= random(4); edit += 1) {
    const at = random(bytes.length);
    bytes.splice(at, random(3), ...Array.from({ length: random(3) }, () => (random(2) ? random(256) : (bytes[random(bytes.length)] ?? 0))));
  }
  return statusOf(await readUntilClosed(server, Uint8Array.from(bytes), { halfClose: true })); // the half-close ends a request that seems unfinished
}
