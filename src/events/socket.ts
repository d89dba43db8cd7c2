// Events over a WebSocket (RFC 6455), for programs that can set no headers, too. The header Authorization, the first message, or a ticket in the
// query says who asks. What the server sends are text messages: `{"cursor", "event"}` for an event, and `{"cursor"}` as a sign of life.

import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Logger } from "pino";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import { newId } from "../db/ids.ts";
import { type Contract, operationOf } from "../http/contract/contract.ts";
import { parameterFaults } from "../http/contract/faults.ts";
import type { Operation } from "../http/contract/operation.ts";
import { readQuery } from "../http/contract/parameters.ts";
import { asProblem } from "../http/middleware.ts";
import type { OperationRequest, Principal } from "../http/operations.ts";
import { type Fault, Problem, problemBody } from "../http/problem.ts";
import { malformed, writeRefusal } from "../http/server/malformed-requests.ts";
import type { Subscription } from "./subscriptions.ts";

type StreamQuery = OperationRequest<"streamEvents">["query"];

/** Subscribes a principal to its events. Throws Problems. */
export type Follow = (principal: Principal, authorization: string | undefined, query: StreamQuery) => Promise<Subscription>;

type SocketDeps = {
  contract: Contract;
  log: Logger;
  /** Verifies a credential and counts the request. Throws Problems. */
  authenticate: (authorization: string | undefined, address: string) => Promise<Principal>;
  /** The header that a ticket stands for, once. Throws Problems. */
  redeem: (ticket: string, address: string) => Promise<string>;
  follow: Follow;
  /** `usualTimes` unless a test has less time. */
  times?: Times;
};

/** In milliseconds. */
type Times = Readonly<{
  /** A client that says nothing after connecting is disconnected. */
  firstMessage: number;
  /** A client that reads nothing for this time is disconnected. The close reason is the cursor of the last event that it was sent. */
  slowReader: number;
  /** The server cuts a connection that it closes after this time, unless the client has closed it. */
  closing: number;
}>;

export type EventSockets = {
  /** Takes a connection whose client asks for a WebSocket. */
  accept: (request: IncomingMessage, socket: Duplex, head: Buffer, address: string) => void;
  /** Ends all connections. */
  leave: () => void;
};

export const socketPath = "/api/v1/events/socket";

const usualTimes: Times = { firstMessage: 10_000, slowReader: 10_000, closing: 1_000 };

const bounds = {
  // Messages are short; compression would cost some 100 kB for each connection.
  perMessageDeflate: false,
  maxPayload: 16_384,
  // One message, ping or pong of a connection in a turn of the event loop: 64 KiB, which are read at once, may be 10,900 of them.
  allowSynchronousEvents: false,
  // Of a message that is not complete. Each is kept with some hundred bytes around it.
  maxFragments: 64,
  maxBufferedChunks: 256,
};

/** Close codes (RFC 6455 7.4.1). One of ours is 4000 and the status of the problem that was sent before. */
const goingAway = 1001;
const tryAgainLater = 1013;
const ofProblem = 4000;

export function openSockets({ times = usualTimes, ...others }: SocketDeps): EventSockets {
  const deps = { ...others, times };
  const server = new WebSocketServer({ noServer: true, ...bounds });
  server.on("wsClientError", ({ message }, socket) => writeRefusal(socket as Socket, malformed(`${message}.`), {}));
  return {
    accept: (request, socket, head, address) => {
      if (request.headers["sec-websocket-version"] !== version) return refuseVersion(socket as Socket);
      server.handleUpgrade(request, socket, head, (client) => {
        client.on("error", () => client.terminate());
        const { authorization = "" } = request.headers;
        void serve(deps, client, { query: new URL(request.url ?? "", "http://any").search.slice(1), address, authorization });
      });
    },
    leave: () => {
      for (const client of server.clients) end(client, times, [goingAway, "the server is stopping"]);
    },
  };
}

/** The only version of the protocol (RFC 6455 4.1); the package also takes one of a draft. */
const version = "13";

/** RFC 6455 4.2.2 and RFC 9110 15.5.22. */
const upgradeHeaders = { Upgrade: "websocket", "Sec-WebSocket-Version": version };

function refuseVersion(socket: Socket): void {
  const headers = { Connection: "Upgrade, close", ...upgradeHeaders };
  writeRefusal(socket, new Problem("upgrade_required", `This server speaks version ${version} of WebSocket (RFC 6455).`), headers);
}

/** The answer to an ordinary request at the path. Many reverse proxies leave the header Upgrade out unless they are told. */
export function notUpgraded(method: string): Problem {
  if (method !== "GET" && method !== "HEAD")
    return new Problem("method_not_allowed", `${socketPath} takes GET.`, { headers: { Allow: "GET, HEAD" } });
  const detail = "Only a WebSocket is served here, and no Upgrade: websocket has arrived. A proxy may have left it out.";
  return new Problem("upgrade_required", detail, { headers: { Connection: "Upgrade", ...upgradeHeaders } });
}

/** `authorization`: the header; empty without one. */
type Asked = Readonly<{ query: string; address: string; authorization: string }>;

async function serve(deps: Required<SocketDeps>, client: WebSocket, asked: Asked): Promise<void> {
  const requestId = newId();
  try {
    const { authorization, query } = await openingOf(deps, client, asked);
    const principal = await deps.authenticate(authorization, asked.address);
    const subscription = await deps.follow(principal, authorization, query);
    client.once("close", subscription.close);
    // A client that reads nothing would keep the connection open.
    subscription.onClosed(() => setTimeout(() => client.terminate(), 2 * deps.times.closing).unref());
    if (client.readyState !== client.OPEN) return subscription.close();
    await send(client, subscription, deps.times);
    end(client, deps.times, [goingAway, "the credential is no longer good, or the server is stopping"]);
  } catch (error) {
    const body = problemBody(asProblem(error, requestId, deps.log), socketPath, requestId);
    client.send(JSON.stringify({ problem: body }));
    end(client, deps.times, [ofProblem + Number(body.status), String(body.code)]);
  }
}

type Opening = { authorization: string | undefined; query: StreamQuery };

/** The header counts where it names a token: a proxy may have let another one through that is its own. */
function openingOf(deps: Required<SocketDeps>, client: WebSocket, asked: Asked): Opening | Promise<Opening> {
  if (/^Bearer /i.test(asked.authorization)) return fromHeader(deps, asked);
  return asked.query === "" ? fromMessage(deps, client) : fromTicket(deps, asked);
}

function fromHeader({ contract }: SocketDeps, { query: text, authorization }: Asked): Opening {
  const operation = operationOf(contract, "streamEvents");
  const { query, faults } = readQuery(text, operation.query);
  if (faults.length > 0) throw invalid(faults);
  return { authorization, query: checked(operation, query) };
}

/** Reads the first message: `{"token", "after", "types", "withImported", "keepalive"}`, all but the token as parameters of streamEvents. */
async function fromMessage(deps: Required<SocketDeps>, client: WebSocket): Promise<Opening> {
  const message = await firstMessage(client, deps.times.firstMessage);
  if (typeof message !== "object" || message === null || Array.isArray(message)) throw invalid([notAnObject]);
  const { token, ...query } = message as Record<string, unknown>;
  if (token === undefined) throw invalid([noToken]);
  if (typeof token !== "string" || !/^[\x21-\x7e]+$/.test(token)) throw invalid([badToken]);
  return { authorization: `Bearer ${token}`, query: checked(operationOf(deps.contract, "streamEvents"), query) };
}

async function fromTicket(deps: SocketDeps, { query: text, address }: Asked): Promise<Opening> {
  const operation = operationOf(deps.contract, "streamEvents");
  const { query, faults } = readQuery(text, new Map([...operation.query, ["ticket", "string"]]));
  const { ticket, ...others } = query as { ticket?: string };
  if (ticket === undefined) faults.push(noTicket);
  if (faults.length > 0) throw invalid(faults);
  return { authorization: await deps.redeem(ticket as string, address), query: checked(operation, others) };
}

const notAnObject: Fault = { pointer: "", code: "invalid_type", message: "must be a JSON object with a token" };
const noToken: Fault = { pointer: "/token", code: "required", message: "is required: an API key or an access token" };
const badToken: Fault = { pointer: "/token", code: "invalid_format", message: "must be an API key or an access token" };
const noTicket: Fault = {
  parameter: "ticket",
  code: "required",
  message: "is required where the query is not empty and there is no header Authorization",
};

/** Fills in defaults. Throws validation_failed with every fault. */
function checked(operation: Operation, query: object): StreamQuery {
  const parameters = { path: {}, query, header: {}, cookie: {} };
  const faults = parameterFaults(operation.checkParameters(parameters) ?? []);
  if (faults.length > 0) throw invalid(faults);
  return parameters.query as StreamQuery;
}

function invalid(errors: Fault[]): Problem {
  return new Problem("validation_failed", "The first message, or the query, breaks a rule; errors names it.", { errors });
}

/** Rejects with request_timeout when no message comes in time. */
function firstMessage(client: WebSocket, limitMs: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Problem("request_timeout", `The first message did not come within ${limitMs / 1_000} seconds.`));
    const timer = setTimeout(late, limitMs);
    client.once("message", (data: RawData) => resolve(parsed(data)));
    client.once("close", late);
    client.once("close", () => clearTimeout(timer)).once("message", () => clearTimeout(timer));
  });
}

function parsed(data: RawData): unknown {
  try {
    return JSON.parse(data.toString());
  } catch {
    return null; // the caller says what it must be
  }
}

/** Resolves when the subscription has ended, its reader was too slow, or nobody is there any more. */
async function send(client: WebSocket, { pages }: Subscription, times: Times): Promise<void> {
  let isAnswering = true;
  client.on("pong", () => {
    isAnswering = true;
  });
  for await (const { events, cursor } of pages) {
    // A connection whose other end vanished without a word takes what is written for a quarter of an hour.
    if (events.length === 0 && !isAnswering) return client.terminate();
    for (const message of events.slice(0, -1)) client.send(JSON.stringify(message));
    const last = events.at(-1) ?? { cursor };
    if (!(await isTaken(client, JSON.stringify(last), times.slowReader))) return end(client, times, [tryAgainLater, last.cursor]);
    if (events.length > 0) continue;
    isAnswering = false;
    client.ping(); // every client answers it (RFC 6455 5.5.2)
  }
}

/** Sends a message. Resolves to true when it has left this process in time, so that nothing gathers in memory for a client that reads slowly. */
function isTaken(client: WebSocket, message: string, limitMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), limitMs);
    client.send(message, (error) => {
      clearTimeout(timer);
      resolve(!error);
    });
  });
}

function end(client: WebSocket, { closing }: Times, [code, reason]: [number, string]): void {
  client.close(code, reason);
  setTimeout(() => client.terminate(), closing).unref();
}
