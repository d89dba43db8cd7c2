// Receivers that the server under test delivers to. All have one port: to a server of someone else it is known by one public address.

import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Webhook as Verifier } from "standardwebhooks";
import { expect } from "vitest";

import { deliveryFaults } from "../../contract/deliveries.ts";
import { endAsNotRun } from "../../values/running.ts";
import { target } from "../../values/target.ts";
import { stateLimitMs } from "../../values/time-limits.ts";
import { get } from "../api.ts";
import { isRecordedHere } from "../protection/guard.ts";
import type { Event } from "./event-stream.ts";

/** A request that the receiver got. */
export type Received = { headers: IncomingHttpHeaders; body: string; event: Omit<Event, "id"> };

export type Receiver = {
  url: string;
  received: Received[];
  /** What is answered to requests from now on; `after`: not before this resolves. */
  answer: { status: number; headers?: Record<string, string>; body?: string; after?: Promise<void> };
  /** Waits until this many requests have come. */
  have: (count: number) => Promise<Received[]>;
};

type Take = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** By the part of their address that no other has. */
const takers = new Map<string, Take>();
/** A promise: a rule may open several receivers at once. */
let opened: Promise<Server> | null = null;

/** Deliveries of this rule that were not as they must be. */
const failures: unknown[] = [];

/** Values of webhook-id with which the server has told of somebody else's donations. */
const ofOthers = new Set<string>();

/** Whether the event is about a donation that somebody else has recorded meanwhile. */
export const isOfOthers = ({ id }: { id: string }): boolean => ofOthers.has(id);

/**
 * Opens a receiver. Every request is checked, its signature by the public library, and headers and body by the contract: the rule fails, also
 * when it does not look at that request. What somebody else has done is passed over.
 */
export async function openReceiver(secretOf: () => string): Promise<Receiver> {
  const name = crypto.randomUUID();
  const received: Received[] = [];
  const receiver: Receiver = {
    url: `${await baseAddress()}/${name}`,
    received,
    answer: { status: 200, body: "ok" },
    have: (count) => waitFor(count, received),
  };
  takers.set(name, async (request, response) => {
    const body = await textOf(request);
    try {
      const one = { headers: request.headers, body, event: checked(secretOf(), request.headers, body) };
      if (!(await tellsOfOthers(one))) received.push(one);
    } catch (error) {
      failures.push(error);
    }
    const { status, headers, body: answered = "", after } = receiver.answer;
    await after;
    response.writeHead(status, headers).end(answered);
  });
  return receiver;
}

/** Closes all receivers. Throws what was wrong with a delivery to one of them. */
export function closeReceivers(): void {
  takers.clear();
  ofOthers.clear();
  void opened?.then((server) => server.close().closeAllConnections());
  opened = null;
  const [failure] = failures.splice(0);
  if (failure) throw failure;
}

/** The address that the server knows the port by. Ends the rule as "not run" where there is none. */
async function baseAddress(): Promise<string> {
  const { foreign, receiver } = target();
  if (foreign && receiver === null) endAsNotRun("needs a receiver that the server can deliver to: --receiver-url");
  opened ??= listen(receiver?.port ?? 0, receiver === null ? "127.0.0.1" : undefined);
  const { port } = (await opened).address() as AddressInfo;
  return receiver?.url ?? `http://127.0.0.1:${port}`;
}

async function listen(port: number, host: string | undefined): Promise<Server> {
  const server = createServer(async (request, response) => {
    const [, take] = [...takers].find(([name]) => request.url?.includes(name)) ?? [];
    await (take ? take(request, response) : void response.writeHead(404).end());
  });
  server.listen(port, host);
  await once(server, "listening");
  return server;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function waitFor(count: number, received: Received[]): Promise<Received[]> {
  for (const deadline = Date.now() + stateLimitMs; Date.now() < deadline; await sleep(10)) {
    if (failures.length > 0) throw failures[0];
    if (received.length >= count) return received;
  }
  throw new Error(`${count} deliveries did not come, only ${received.length}`);
}

function checked(secret: string, headers: IncomingHttpHeaders, body: string): Omit<Event, "id"> {
  const event = new Verifier(secret).verify(body, headers as Record<string, string>) as Omit<Event, "id">;
  expect(deliveryFaults(headers, event), body).toEqual([]);
  return event;
}

/** A streamer of a server of someone else goes on receiving donations; the donation of an example is on no server. */
async function tellsOfOthers({ headers, event: { data } }: Received): Promise<boolean> {
  const { id, donationId = id } = data as { id?: string; donationId?: string };
  if (!target().foreign || donationId === undefined || (await isRecordedHere(donationId))) return false;
  const isOthers = (await get(donationId)).status === 200;
  if (isOthers) ofOthers.add(String(headers["webhook-id"]));
  return isOthers;
}
