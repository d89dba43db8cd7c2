// Follows events over a WebSocket (RFC 6455). Node 20, which the package supports, has no client of its own.

import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { WebSocket } from "ws";
import { sealed } from "../../contract/schemas.ts";
import { target } from "../../values/target.ts";
import { stateLimitMs } from "../../values/time-limits.ts";
import type { Problem } from "../api.ts";
import { send } from "../http-client.ts";
import { recordRequest } from "../trace.ts";
import type { Event } from "./event-stream.ts";

/** A message of the server: a position, a position after an event, or the reason of a refusal. */
type Message = { cursor?: string; event?: Event; problem?: Problem };

export type EventSocket = {
  received: Message[];
  send: (message: unknown) => void;
  /** Waits for the first message that matches. */
  next: (matches: (message: Message) => boolean) => Promise<Message>;
  /** The code with which it is closed. */
  closed: Promise<number>;
  close: () => void;
};

const opened = new Set<EventSocket>();

/** A ticket of this key. */
export async function ticketOf(key: string): Promise<string> {
  const reply = await send({ method: "POST", path: "/api/v1/events/tickets", key });
  expect(reply.status, reply.text).toBe(201);
  return (reply.body as { data: { ticket: string } }).data.ticket;
}

/** Opens a WebSocket; every event that it gets is checked against the contract. */
export async function openSocket(query = "", headers: Record<string, string> = {}): Promise<EventSocket> {
  const request = { path: `/api/v1/events/socket${query}`, headers };
  recordRequest(request);
  const address = `${target().url.replace(/^http/, "ws")}${request.path}`;
  return follow(new WebSocket(address, { headers }));
}

export function closeSockets(): void {
  for (const socket of opened) socket.close();
  opened.clear();
}

async function follow(client: WebSocket): Promise<EventSocket> {
  const received: Message[] = [];
  let failure: unknown = null;
  const closed = new Promise<number>((resolve) => client.addEventListener("close", ({ code }) => resolve(code)));
  client.addEventListener("message", ({ data }) => {
    const message = JSON.parse(String(data)) as Message;
    const faults = message.event ? sealed("#/components/schemas/Event", message.event) : [];
    if (faults.length > 0) failure ??= new Error(`${String(data)}: ${faults.join("; ")}`);
    received.push(message);
  });
  const next: EventSocket["next"] = async (matches) => {
    for (const deadline = Date.now() + stateLimitMs; Date.now() < deadline; await sleep(5)) {
      if (failure) throw failure;
      const found = received.find(matches);
      if (found) return found;
    }
    throw new Error(`the message did not come, only ${JSON.stringify(received)}`);
  };
  const socket: EventSocket = {
    received,
    send: (message) => client.send(JSON.stringify(message)),
    next,
    closed,
    close: () => client.close(),
  };
  opened.add(socket);
  await new Promise<void>((resolve, reject) => {
    client.addEventListener("open", () => resolve());
    client.addEventListener("error", () => reject(new Error("the server accepts no WebSocket here")));
  });
  return socket;
}
