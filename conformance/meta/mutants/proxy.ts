// A proxy between the suite and the server. It forwards bytes as they come, except where an interceptor changes a request or an answer.

import { once } from "node:events";
import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import { connect } from "node:net";
import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";

/** A request on its way to the server. */
export type ProxiedRequest = { method: string; path: string; headers: IncomingHttpHeaders; body: Buffer };

/** An answer on its way to the suite. `lines`: an event stream or NDJSON, which ends late or never; its `body` is empty. */
export type Answer = { status: number; headers: OutgoingHttpHeaders; body: Buffer; lines?: AsyncIterable<string> };

export type Send = (request: ProxiedRequest) => Promise<Answer>;

/** Handles the requests that `meets` says in place of the server; `send` sends a request to the server. */
export type Interceptor = {
  meets: (request: Pick<ProxiedRequest, "method" | "path" | "headers">) => boolean;
  handle: (request: ProxiedRequest, send: Send) => Promise<Answer>;
};

/** `intercept` may be exchanged while the proxy is open. */
export type AnswerProxy = { url: string; intercept: (interceptor: Interceptor | null) => void; close: () => void };

/** One connection for each request: a kept one may be closed by the server in the moment in which it is used again. */
const agent = new Agent({ keepAlive: false });

/** Opens a proxy on `port` (0: any free one) in front of the server on `serverPort`. */
export async function openProxy(serverPort: number, port = 0): Promise<AnswerProxy> {
  let interceptor: Interceptor | null = null;
  const server = createServer({ maxHeaderSize: 65_536 });
  const serve = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    forward(incoming, outgoing, serverPort, interceptor).catch(() => outgoing.destroy());
  };
  server.on("request", serve).on("checkContinue", serve);
  forwardUpgrades(server, serverPort);
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  const address = server.address() as { port: number };
  return { url: `http://127.0.0.1:${address.port}`, intercept: (next) => void (interceptor = next), close };
}

async function forward(incoming: IncomingMessage, outgoing: ServerResponse, port: number, interceptor: Interceptor | null): Promise<void> {
  const { method = "GET", url: path = "/", headers } = incoming;
  if (!interceptor?.meets({ method, path, headers })) return forwardUnchanged(incoming, outgoing, port);
  if (headers.expect) outgoing.writeContinue();
  const received = { method, path, headers, body: await buffer(incoming) };
  const answer = await interceptor.handle(received, (instead) => send(instead, port));
  outgoing.writeHead(answer.status, withLength(answer));
  if (!answer.lines) return void outgoing.end(answer.body);
  outgoing.flushHeaders();
  for await (const line of answer.lines) if (!outgoing.write(line)) await once(outgoing, "drain");
  outgoing.end();
}

/** Forwards a request and its answer byte by byte, in both directions at once. */
async function forwardUnchanged(incoming: IncomingMessage, outgoing: ServerResponse, port: number): Promise<void> {
  const { method, url: path, rawHeaders } = incoming;
  const upstream = request({ host: "127.0.0.1", port, method, path, headers: rawHeaders as never, agent });
  upstream.on("continue", () => outgoing.writeContinue());
  outgoing.once("close", () => upstream.destroy());
  if (incoming.headers.expect) upstream.flushHeaders();
  const sent = pipeline(incoming, upstream).catch(() => {}); // the server may answer and close before the body has ended
  const [answer] = (await once(upstream, "response")) as [IncomingMessage];
  outgoing.writeHead(answer.statusCode ?? 502, answer.statusMessage, answer.rawHeaders as never);
  outgoing.flushHeaders();
  await Promise.all([pipeline(answer, outgoing), sent]);
}

/** Forwards WebSockets: the head of the request, and then every byte. */
function forwardUpgrades(server: Server, port: number): void {
  server.on("upgrade", (incoming: IncomingMessage, socket, head) => {
    const upstream = connect(port, "127.0.0.1", () => {
      const lines = incoming.rawHeaders.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`));
      upstream.write(`${incoming.method} ${incoming.url} HTTP/1.1\r\n${lines.join("")}\r\n`, "latin1");
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on("error", () => socket.destroy());
    socket.on("error", () => upstream.destroy());
  });
}

async function send({ method, path, headers, body }: ProxiedRequest, port: number): Promise<Answer> {
  const { "transfer-encoding": _chunked, "content-length": _length, expect: _expect, ...others } = headers;
  const length = body.length > 0 || headers["content-length"] ? { "content-length": String(body.length) } : {};
  const upstream = request({
    host: "127.0.0.1",
    port,
    method,
    path,
    headers: { ...others, "accept-encoding": "identity", ...length },
    agent,
  });
  upstream.end(body);
  const [answer] = (await once(upstream, "response")) as [IncomingMessage];
  const known = { status: answer.statusCode ?? 502, headers: answer.headers };
  if (/event-stream|ndjson/.test(answer.headers["content-type"] ?? "")) return { ...known, body: Buffer.alloc(0), lines: linesOf(answer) };
  return { ...known, body: await buffer(answer) };
}

/** Each line with its line feed. */
async function* linesOf(stream: Readable): AsyncIterable<string> {
  let rest = "";
  for await (const piece of stream.setEncoding("utf8")) {
    const lines = `${rest}${piece}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield `${line}\n`;
  }
  if (rest !== "") yield rest;
}

/** Sets Content-Length to the length of the changed body; the answer to HEAD has no body and keeps its header. */
function withLength({ headers, body, lines }: Answer): OutgoingHttpHeaders {
  const { "transfer-encoding": _chunked, ...others } = headers;
  return !lines && body.length > 0 ? { ...others, "content-length": body.length } : others;
}
