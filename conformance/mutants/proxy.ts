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
export type Asked = { method: string; path: string; headers: IncomingHttpHeaders; body: Buffer };

/** An answer on its way back. */
export type Answer = { status: number; headers: OutgoingHttpHeaders; body: Buffer };

export type Send = (asked: Asked) => Promise<Answer>;

/** Stands between the suite and the server. Streams of events pass by it. */
export type Meddler = (asked: Asked, send: Send) => Promise<Answer>;

const eventStream = "/api/v1/overlay/stream";

export type Proxy = { url: string; close: () => void };

/** Something in front of the server on `port`. */
export async function openProxy(port: number, meddler: Meddler): Promise<Proxy> {
  const server = createServer((incoming, outgoing) => {
    pass(incoming, outgoing, port, meddler).catch((error: Error) => outgoing.destroy(error));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

async function pass(incoming: IncomingMessage, outgoing: ServerResponse, port: number, meddler: Meddler): Promise<void> {
  const { method = "GET", url: path = "/", headers } = incoming;
  if (path.startsWith(eventStream)) return stream(incoming, outgoing, port);
  const asked = { method, path, headers, body: await buffer(incoming) };
  const answer = await meddler(asked, (instead) => send(instead, port));
  outgoing.writeHead(answer.status, withLength(answer));
  outgoing.end(answer.body);
}

async function stream(incoming: IncomingMessage, outgoing: ServerResponse, port: number): Promise<void> {
  const { method, url: path, headers } = incoming;
  const asking = request({ host: "127.0.0.1", port, method, path, headers }).end();
  outgoing.once("close", () => asking.destroy());
  const [answer] = (await once(asking, "response")) as [IncomingMessage];
  outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
  await pipeline(answer, outgoing);
}

async function send({ method, path, headers, body }: Asked, port: number): Promise<Answer> {
  const { "transfer-encoding": _chunked, "content-length": _length, ...others } = headers;
  const length = body.length > 0 || headers["content-length"] ? { "content-length": String(body.length) } : {};
  const asking = request({ host: "127.0.0.1", port, method, path, headers: { ...others, ...length } }).end(body);
  const [answer] = (await once(asking, "response")) as [IncomingMessage];
  return { status: answer.statusCode ?? 502, headers: answer.headers, body: await buffer(answer) };
}

/** What was meddled with may have another length; an answer to HEAD keeps its own. */
function withLength({ headers, body }: Answer): OutgoingHttpHeaders {
  const { "transfer-encoding": _chunked, ...others } = headers;
  return body.length > 0 ? { ...others, "content-length": body.length } : others;
}
