// An OAuth application for tests of the consent pages.

import { once } from "node:events";
import { createServer } from "node:http";

/** A server on a loopback address that is the redirect URI, and records how it was called. */
export type Application = { redirectUri: string; calls: URL[]; close: () => void };

export async function startApplication(): Promise<Application> {
  const calls: URL[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    if (url.pathname === "/callback") calls.push(url);
    response.setHeader("Content-Type", "text/html; charset=utf-8");
    response.end('<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>Application</title><p>Back in the application');
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no TCP port");
  return { redirectUri: `http://127.0.0.1:${address.port}/callback`, calls, close: () => server.close().closeAllConnections() };
}
