// A proxy between the suite and the server that lets an interceptor change requests and answers.

import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";

/** A request on its way to the server. */
export type ProxiedRequest = { method: string; path: string; headers: IncomingHttpHeaders; body: Buffer };

/** An answer on its way to the suite. */
export type Answer = { status: number; headers: OutgoingHttpHeaders; body: Buffer };

export type Send = (request: ProxiedRequest) => Promise<Answer>;

/** Handles a request in place of the server; `send` sends a request to the server. Event streams are not intercepted. */
export type Interceptor = (request: ProxiedRequest, send: Send) => Promise<Answer>;

const eventStream = "/api/v1/overlay/stream";

export type Proxy = { url: string; close: () => void };

/** Opens a proxy in front of the server on `port`. */
export async function openProxy(port: number, interceptor: Interceptor): Promise<Proxy> {
  const server = createServer((incoming, outgoing) => {
    forward(incoming, outgoing, port, interceptor).catch((error: Error) => outgoing.destroy(error));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

async function forward(incoming: IncomingMessage, outgoing: ServerResponse, port: number, interceptor: Interceptor): Promise<void> {
  const { method = "GET", url: path = "/", headers } = incoming;
  if (path.startsWith(eventStream)) return forwardStream(incoming, outgoing, port);
  const received = { method, path, headers, body: await buffer(incoming) };
  const answer = await interceptor(received, (instead) => send(instead, port));
  outgoing.writeHead(answer.status, withLength(answer));
  outgoing.end(answer.body);
}

async function forwardStream(incoming: IncomingMessage, outgoing: ServerResponse, port: number): Promise<void> {
  const { method, url: path, headers } = incoming;
  const upstream = request({ host: "127.0.0.1", port, method, path, headers }).end();
  outgoing.once("close", () => upstream.destroy());
  const [answer] = (await once(upstream, "response")) as [IncomingMessage];
  outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
  await pipeline(answer, outgoing);
}

async function send({ method, path, headers, body }: ProxiedRequest, port: number): Promise<Answer> {
  const { "transfer-encoding": _chunked, "content-length": _length, ...others } = headers;
  const length = body.length > 0 || headers["content-length"] ? { "content-length": String(body.length) } : {};
  const upstream = request({ host: "127.0.0.1", port, method, path, headers: { ...others, ...length } }).end(body);
  const [answer] = (await once(upstream, "response")) as [IncomingMessage];
  return { status: answer.statusCode ?? 502, headers: answer.headers, body: await buffer(answer) };
}

/** Sets Content-Length to the length of the changed body; the answer to HEAD has no body and keeps its header. */
function withLength({ headers, body }: Answer): OutgoingHttpHeaders {
  const { "transfer-encoding": _chunked, ...others } = headers;
  return body.length > 0 ? { ...others, "content-length": body.length } : others;
}
