// node:http around the application: time-outs, requests that never reach Koa, a stop that drains.

import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { uuidv7 } from "uuidv7";
import { timeouts } from "./limits.ts";
import { Problem, type ProblemCode, problemBody, problems } from "./problem.ts";

export type RunningServer = {
  port: number;
  /** Takes no new request, lets those under way finish, cuts what takes longer than the drain time. */
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
    },
    listener,
  );
  server.on("clientError", refuse);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) =>
      reject(new Error(`can't listen on ${host}:${port}: ${error.message}. Set HOST or PORT.`, { cause: error })),
    );
    server.listen(port, host, resolve);
  });
  return { port: (server.address() as AddressInfo).port, stop: () => drain(server) };
}

async function drain(server: Server): Promise<void> {
  const deadline = setTimeout(() => server.closeAllConnections(), timeouts.drain);
  // close() ends idle connections and lets an answer under way finish, but a kept-alive connection may start another request.
  server.prependListener("request", (_request, response) => response.setHeader("Connection", "close"));
  await new Promise<void>((resolve) => server.close(() => resolve()));
  clearTimeout(deadline);
}

const early: Record<string, [ProblemCode, string]> = {
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
  if (!code || !detail) {
    socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    return;
  }
  const requestId = uuidv7();
  const { status, title } = problems[code];
  const body = JSON.stringify(problemBody(new Problem(code, detail), "/", requestId));
  socket.end(
    `HTTP/1.1 ${status} ${title}\r\nConnection: close\r\nCache-Control: no-store\r\nX-Request-Id: ${requestId}\r\n` +
      `Content-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
