// node:http around the application: time-outs, requests that never reach Koa, a stop that drains.

import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, Server as ListeningServer, type Socket } from "node:net";
import { uuidv7 } from "uuidv7";
import { backlog, timeouts } from "./limits.ts";
import { type CommonCode, Problem, problemBody, problems } from "./problem.ts";

export type RunningServer = {
  port: number;
  /** Takes no new connection, lets requests under way finish, cuts what takes longer than the drain time. */
  stop: () => Promise<void>;
};

/** Listens. Rejects with a clear message when the address can't be used. */
export async function listen(listener: RequestListener, host: string, port: number): Promise<RunningServer> {
  const server = createServer(
    {
      headersTimeout: timeouts.headers,
      requestTimeout: timeouts.request,
      connectionsCheckingInterval: timeouts.check,
      keepAliveTimeout: timeouts.keepAlive,
      // Otherwise the first of two Authorization headers would count, and a proxy may have looked at the second.
      joinDuplicateHeaders: true,
    },
    listener,
  );
  const traffic = watchTraffic(server);
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => traffic.afterAnswers(socket, () => refuse(error, socket)));
  server.on("checkExpectation", listener); // an expectation that we don't know is no reason to refuse (RFC 9110 10.1.1)
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) =>
      reject(new Error(`can't listen on ${host}:${port}: ${error.message}. Set HOST or PORT.`, { cause: error })),
    );
    server.listen({ port, host, backlog }, resolve);
  });
  return { port: (server.address() as AddressInfo).port, stop: () => drain(server, traffic) };
}

async function drain(server: Server, traffic: Traffic): Promise<void> {
  const linger = setTimeout(() => setImmediate(traffic.closeIdle), timeouts.linger); // when whatever has arrived is read
  const deadline = setTimeout(() => server.closeAllConnections(), timeouts.drain);
  traffic.closeWhenAnswered();
  // The close of node:http would cut idle connections at once, and with them the requests that are on their way.
  await new Promise<unknown>((resolve) => ListeningServer.prototype.close.call(server, resolve));
  clearTimeout(linger);
  clearTimeout(deadline);
}

type Traffic = {
  /** From now on every answer is the last of its connection. */
  closeWhenAnswered: () => void;
  /** Closes connections without a request under way. */
  closeIdle: () => void;
  /** Runs when every answer under way on the connection has gone out. */
  afterAnswers: (socket: Socket, then: () => void) => void;
};

/** Knows which connections have a request under way. */
function watchTraffic(server: Server): Traffic {
  const underWay = new Map<Socket, Set<ServerResponse>>();
  let closing = false;
  server.on("connection", (socket: Socket) => {
    underWay.set(socket, new Set());
    socket.once("close", () => underWay.delete(socket));
  });
  server.prependListener("request", (_request: IncomingMessage, response: ServerResponse) => {
    const { socket } = response;
    if (!socket) return;
    const answers = underWay.get(socket);
    answers?.add(response);
    if (closing) response.setHeader("Connection", "close");
    response.once("close", () => {
      answers?.delete(response);
      if (closing && answers?.size === 0) socket.end();
    });
  });
  return {
    closeWhenAnswered: () => {
      closing = true;
      for (const [socket, answers] of underWay) {
        socket.resume(); // it may rest, with a request that has arrived
        for (const response of answers) if (!response.headersSent) response.setHeader("Connection", "close");
      }
    },
    closeIdle: () => {
      for (const [socket, answers] of underWay) if (answers.size === 0) socket.destroy();
    },
    afterAnswers: (socket, then) => {
      const last = [...(underWay.get(socket) ?? [])].at(-1);
      if (last) last.once("close", then);
      else then();
    },
  };
}

const early: Record<string, [CommonCode, string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: ["request_timeout", "The request did not arrive in time."],
  HPE_HEADER_OVERFLOW: ["headers_too_large", "The request line and header lines are larger than 16 KiB."],
};

/** Answers what node:http gave up on before Koa saw it. */
function refuse(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const [code, detail] = early[error.code ?? ""] ?? [];
  const requestId = uuidv7();
  const common = `Connection: close\r\nCache-Control: no-store\r\nX-Request-Id: ${requestId}\r\n`;
  if (!code || !detail) {
    socket.end(`HTTP/1.1 400 Bad Request\r\n${common}Content-Length: 0\r\n\r\n`); // not HTTP: no problem to describe in it
    return;
  }
  const { status, title } = problems[code];
  const body = JSON.stringify(problemBody(new Problem(code, detail), "/", requestId));
  socket.end(
    `HTTP/1.1 ${status} ${title}\r\n${common}` +
      `Content-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
