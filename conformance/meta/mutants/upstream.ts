// The server behind the proxy: requests to it, and connections that become WebSockets.

import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";

export type Upstream = {
  hostname: string;
  port: number;
  isTls: boolean;
  /** The path of its base address, without a slash at its end. */
  prefix: string;
  /** The Host header of requests to it; null: as they have it. */
  host: string | null;
};

/** One connection for each request: a kept one may be closed by the server in the moment in which it is used again. */
const agents = { http: new HttpAgent({ keepAlive: false }), https: new HttpsAgent({ keepAlive: false }) };

/** The server at this address. `keepsHost`: requests keep their Host header. */
export function upstreamOf({ server, keepsHost }: { server: string; keepsHost: boolean }): Upstream {
  const { protocol, hostname, port, host, pathname } = new URL(server);
  const isTls = protocol === "https:";
  return {
    hostname: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port || (isTls ? 443 : 80)),
    isTls,
    prefix: pathname.replace(/\/+$/, ""),
    host: keepsHost ? null : host,
  };
}

/** Headers by their names, or names and values in turn, as they came. */
type Asked = { method: string; path: string; headers: OutgoingHttpHeaders | string[]; signal?: AbortSignal };

/** Begins a request to the server. */
export function requestTo({ hostname, port, isTls, host }: Upstream, { headers, ...asked }: Asked): ClientRequest {
  const known = Array.isArray(headers) ? withHost(headers, host) : { ...headers, ...(host !== null && { host }) };
  const options = { ...asked, hostname, port, headers: known as OutgoingHttpHeaders };
  return isTls ? httpsRequest({ ...options, agent: agents.https }) : httpRequest({ ...options, agent: agents.http });
}

/** Forwards a WebSocket: the head of the request, and then every byte. */
export function connectTo(upstream: Upstream, incoming: IncomingMessage, { socket, head }: { socket: Duplex; head: Buffer }): void {
  const sending = open(upstream, () => {
    const lines = withHost(incoming.rawHeaders, upstream.host).map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`));
    sending.write(`${incoming.method} ${incoming.url} HTTP/1.1\r\n${lines.join("")}\r\n`, "latin1");
    sending.write(head);
    sending.pipe(socket).pipe(sending);
  });
  sending.on("error", () => socket.destroy());
  socket.on("error", () => sending.destroy());
}

const open = ({ hostname: host, port, isTls }: Upstream, opened: () => void): Socket =>
  isTls ? connectTls({ host, port }, opened) : connect({ host, port }, opened);

const withHost = (raw: readonly string[], host: string | null): string[] =>
  raw.map((text, index) => (host !== null && index % 2 === 1 && raw[index - 1]?.toLowerCase() === "host" ? host : text));
