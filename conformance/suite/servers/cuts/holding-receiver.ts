// A receiver of webhooks on this machine that can hold the answer to a request for as long as a test wants.

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** A request as it was received: its `webhook-id`, and its body. */
export type Delivered = Readonly<{ id: string; body: string }>;

/** A request whose answer is held. */
export type Held = Readonly<{
  answer: () => void;
  /** Whether it was answered, or its sender has gone. */
  isOver: () => boolean;
}>;

export type HoldingReceiver = {
  url: string;
  received: (path: string) => readonly Delivered[];
  /** Holds the answer to the request that comes after so many others. Rejects when none comes in time. */
  hold: (options: { after: number; timeoutMs: number }) => Promise<Held>;
  close: () => void;
};

export async function openHoldingReceiver(): Promise<HoldingReceiver> {
  const received = new Map<string, Delivered[]>();
  let waiting: { count: number; hold: (held: Held) => void } | null = null;
  const server = createServer(async (request, response) => {
    const delivered = { id: String(request.headers["webhook-id"]), body: await bodyOf(request) };
    const path = request.url ?? "/";
    received.set(path, [...(received.get(path) ?? []), delivered]);
    if (waiting === null || waiting.count-- > 0) return void response.end();
    waiting.hold(holdOf(response));
    waiting = null;
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: (path) => received.get(path) ?? [],
    hold: async ({ after, timeoutMs }) => {
      const held = new Promise<Held>((hold) => {
        waiting = { count: after, hold };
      });
      const late = sleep(timeoutMs, undefined, { ref: false }).then(() => {
        throw new Error(`no delivery came within ${timeoutMs / 1000} s`);
      });
      return Promise.race([held, late]);
    },
    close: () => void server.close().closeAllConnections(),
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function holdOf(response: ServerResponse): Held {
  let isOver = false;
  response.once("close", () => {
    isOver = true;
  });
  return { answer: () => void response.end(), isOver: () => isOver };
}
