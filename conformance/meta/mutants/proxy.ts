// A proxy between the suite and the server. It forwards bytes as they come, except where an interceptor changes a request or an answer.

import { once } from "node:events";
import {
  type ClientRequest,
  createServer,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { connect, type Socket } from "node:net";
import type { Duplex, Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { connect as connectTls } from "node:tls";

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

/** Handles every request, and changes nothing. */
export const unchanged: Interceptor = { meets: () => true, handle: (request, send) => send(request) };

/** What the proxy does with requests. `onFault` is told what the interceptor throws: a bug of its own, which no rule has found. */
type Interception = { interceptor: Interceptor; onFault: (fault: Error) => void };

/** `intercept` may be exchanged while the proxy is open. */
export type AnswerProxy = { url: string; intercept: (interception: Interception | null) => void; close: () => void };

/** Where the proxy listens (0: any free port), and what stands behind it. `keepsHost`: the server is told the proxy's address as its own. */
export type ProxySettings = { port: number; server: string; keepsHost: boolean };

/** Suite or server has closed the connection: no fault of an interceptor. */
class LostConnection extends Error {}

const lost = (cause: unknown): never => {
  throw new LostConnection("a connection was closed", { cause });
};

/** Opens a proxy. */
export async function openProxy({ port, ...behind }: ProxySettings): Promise<AnswerProxy> {
  const upstream = upstreamOf(behind);
  let interception: Interception | null = null;
  const server = createServer({ maxHeaderSize: 65_536 });
  const serve = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const serving = interception ? intercept({ incoming, outgoing, upstream }, interception) : forward({ incoming, outgoing, upstream });
    serving.catch(() => outgoing.destroy());
  };
  server.on("request", serve).on("checkContinue", serve);
  server.on("upgrade", (incoming, socket, head) => connectTo(upstream, incoming, { socket, head }));
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  const address = server.address() as { port: number };
  return { url: `http://127.0.0.1:${address.port}${upstream.prefix}`, intercept: (next) => void (interception = next), close };
}

type Exchange = { incoming: IncomingMessage; outgoing: ServerResponse; upstream: Upstream };

/** Whatever is thrown here comes from the interceptor, unless a connection was closed. */
async function intercept(exchange: Exchange, { interceptor, onFault }: Interception): Promise<void> {
  try {
    const { method = "GET", url = "/", headers } = exchange.incoming;
    const path = url.startsWith(exchange.upstream.prefix) ? url.slice(exchange.upstream.prefix.length) : url;
    await (interceptor.meets({ method, path, headers }) ? handle(exchange, path, interceptor) : forward(exchange).catch(lost));
  } catch (cause) {
    if (!(cause instanceof LostConnection)) onFault(cause as Error);
    throw cause;
  }
}

async function handle({ incoming, outgoing, upstream }: Exchange, path: string, interceptor: Interceptor): Promise<void> {
  const { method = "GET", headers } = incoming;
  const closing = new AbortController();
  outgoing.once("close", () => closing.abort());
  if (headers.expect) outgoing.writeContinue();
  const received = { method, path, headers, body: await buffer(incoming).catch(lost) };
  const answer = await interceptor.handle(received, (request) => send(request, upstream, closing.signal));
  if (outgoing.destroyed) return;
  outgoing.writeHead(answer.status, withLength(answer));
  if (!answer.lines) return void outgoing.end(answer.body);
  outgoing.flushHeaders();
  await writeLines(answer.lines, outgoing);
}

async function writeLines(lines: AsyncIterable<string>, outgoing: ServerResponse): Promise<void> {
  const closed = once(outgoing, "close").catch(() => {});
  for await (const line of lines) {
    if (outgoing.destroyed) lost("while lines were sent");
    if (!outgoing.write(line)) await Promise.race([once(outgoing, "drain").catch(lost), closed]);
  }
  outgoing.end();
}

/** Forwards a request and its answer byte by byte, in both directions at once. */
async function forward({ incoming, outgoing, upstream }: Exchange): Promise<void> {
  const { method = "GET", url: path = "/", rawHeaders } = incoming;
  const sending = requestTo(upstream, { method, path, headers: rawHeaders });
  sending.on("continue", () => outgoing.writeContinue());
  outgoing.once("close", () => sending.destroy());
  if (incoming.headers.expect) sending.flushHeaders();
  const sent = pipeline(incoming, sending).catch(() => {}); // the server may answer and close before the body has ended
  const [answer] = (await once(sending, "response")) as [IncomingMessage];
  outgoing.writeHead(answer.statusCode ?? 502, answer.statusMessage, answer.rawHeaders as never);
  outgoing.flushHeaders();
  await Promise.all([pipeline(answer, outgoing), sent]);
}

async function send({ method, path, headers, body }: ProxiedRequest, upstream: Upstream, signal: AbortSignal): Promise<Answer> {
  const { "transfer-encoding": _chunked, "content-length": _length, expect: _expect, ...others } = headers;
  const length = body.length > 0 || headers["content-length"] ? { "content-length": String(body.length) } : {};
  const asked = { ...others, "accept-encoding": "identity", ...length };
  const sending = requestTo(upstream, { method, path: upstream.prefix + path, headers: asked, signal });
  sending.end(body);
  const [answer] = (await once(sending, "response").catch(lost)) as [IncomingMessage];
  const known = { status: answer.statusCode ?? 502, headers: answer.headers };
  if (/event-stream|ndjson/.test(answer.headers["content-type"] ?? "")) return { ...known, body: Buffer.alloc(0), lines: linesOf(answer) };
  return { ...known, body: await buffer(answer).catch(lost) };
}

/** Each line with its line feed. */
async function* linesOf(stream: Readable): AsyncGenerator<string> {
  let rest = "";
  const pieces = stream.setEncoding("utf8")[Symbol.asyncIterator]();
  for (let next = await pieces.next().catch(lost); !next.done; next = await pieces.next().catch(lost)) {
    const lines = `${rest}${next.value}`.split("\n");
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

type Upstream = {
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
function upstreamOf({ server, keepsHost }: { server: string; keepsHost: boolean }): Upstream {
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
function requestTo({ hostname, port, isTls, host }: Upstream, { headers, ...asked }: Asked): ClientRequest {
  const known = Array.isArray(headers) ? withHost(headers, host) : { ...headers, ...(host !== null && { host }) };
  const options = { ...asked, hostname, port, headers: known as OutgoingHttpHeaders };
  return isTls ? httpsRequest({ ...options, agent: agents.https }) : httpRequest({ ...options, agent: agents.http });
}

/** Forwards a WebSocket: the head of the request, and then every byte. */
function connectTo(upstream: Upstream, incoming: IncomingMessage, { socket, head }: { socket: Duplex; head: Buffer }): void {
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
