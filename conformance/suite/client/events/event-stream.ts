// Reads a streamer's log of events: page by page, as a stream of server-sent events (HTML Living Standard 9.2), and over a WebSocket (RFC 6455).

import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { createBrotliDecompress, createGunzip } from "node:zlib";
import { expect } from "vitest";
import { WebSocket } from "ws";
import type { components } from "../../../../generated/api.d.ts";
import { sealed } from "../../contract/contract.ts";
import type { Reply } from "../../contract/http-request.ts";
import { stateLimitMs } from "../../values/run-settings.ts";
import { target } from "../../values/target.ts";
import { expectLimit, type Options, type Problem, type Query, queryText } from "../api.ts";
import { checkAnswer } from "../check-answer.ts";
import { startAlone } from "../connections.ts";
import { send } from "../http-client.ts";
import { guarded } from "../protection/guard.ts";
import { failWhereEnded } from "../send-once.ts";
import { recordRequest } from "../trace.ts";

export type Event = components["schemas"]["Event"];
type EventPage = components["schemas"]["EventPage"];

/** A server-sent event, checked against the contract. */
type Received = { id: string; event: Event };

export type EventStream = {
  /** All events so far. */
  received: Received[];
  /** Number of signs of life. */
  comments: () => number;
  headers: IncomingMessage["headers"];
  /** Waits until this many events have come. */
  have: (count: number) => Promise<Received[]>;
  /** Waits for the first event that matches. */
  next: (matches: (event: Event) => boolean) => Promise<Received>;
  /** Waits for a position: of the last event, or of a sign of life after it. */
  positioned: () => Promise<string>;
  /** Resolves when the server ends the stream. */
  ended: Promise<void>;
  close: () => void;
};

type Following = { query?: Query; lastEventId?: string; key?: string | null; server?: string; headers?: Record<string, string> };

const openStreams = new Set<EventStream>();

export const listEvents = (query: Query = {}, options: Options = {}): Promise<Reply> =>
  send({ path: `/api/v1/events${queryText(query)}`, ...options });

export function eventPageOf(reply: Reply): EventPage {
  expect(reply.status, reply.text).toBe(200);
  return reply.body as EventPage;
}

/** The cursor of the end of the log. */
export async function endOfLog(options: Options = {}): Promise<string> {
  return eventPageOf(await listEvents({ after: "latest" }, options)).pagination.nextCursor;
}

/** Every event from a position on, page by page, until there is no more. */
export async function listAllEvents(query: Query = {}, options: Options = {}): Promise<Event[]> {
  const events: Event[] = [];
  let after: string | undefined;
  for (;;) {
    const page = eventPageOf(await listEvents({ ...query, ...(after === undefined ? {} : { after }) }, options));
    const { data, pagination } = page;
    expectLimit(page, query);
    events.push(...data);
    if (!pagination.hasMore) return events;
    expect(pagination.nextCursor, "a cursor leads back to where it was: pages without end").not.toBe(after);
    after = pagination.nextCursor;
  }
}

/** Follows the stream, by default with main's key; checks every event against the contract. */
export async function followEvents({ query = {}, lastEventId, key, server, headers = {} }: Following = {}): Promise<EventStream> {
  const sent = key === undefined ? target().keys.main : key;
  const request = {
    path: `/api/v1/events/stream${queryText(query)}`,
    key: sent ?? "",
    headers: { ...headers, ...(lastEventId === undefined ? {} : { "Last-Event-ID": lastEventId }) },
    ...(server === undefined ? {} : { server }),
  };
  const exchange = recordRequest(request);
  const { message, ...head } = await guarded(request, () =>
    connectToEvents(`${server ?? target().url}${request.path}`, request.key, request.headers),
  );
  exchange.reply = head;
  expect(head.status, "the stream was refused").toBe(200);
  checkAnswer(request, head);
  return readStream(message);
}

/** Closes every open stream; for `afterEach`. */
export function closeStreams(): void {
  for (const stream of openStreams) stream.close();
  openStreams.clear();
}

function readStream(message: IncomingMessage): EventStream {
  const received: Received[] = [];
  let position: string | null = null;
  let comments = 0;
  let failure: unknown = null;
  const collect = (block: string): void => {
    try {
      const { id, event, comment } = parsed(block);
      if (id !== null) position = id;
      if (comment) comments += 1;
      if (event !== null) received.push({ id: id as string, event });
    } catch (error) {
      failure ??= error;
    }
  };
  onEventBlock(message, collect);
  const ended = new Promise<void>((resolve) => void message.once("close", resolve));
  const until = async <Found>(look: () => Found | null | undefined, wanted: string): Promise<Found> => {
    for (const deadline = Date.now() + stateLimitMs; Date.now() < deadline; await sleep(5)) {
      if (failure) throw failure;
      const found = look();
      if (found !== null && found !== undefined) return found;
    }
    throw new Error(`${wanted} did not come, only ${JSON.stringify(received.map(({ event }) => event.type))}`);
  };
  const stream: EventStream = {
    received,
    comments: () => comments,
    headers: message.headers,
    have: (count) => until(() => (received.length >= count ? received : null), `${count} events`),
    next: (matches) => until(() => received.find(({ event }) => matches(event)), "the event"),
    positioned: () => until(() => position, "a position"),
    ended,
    close: () => void message.destroy(),
  };
  openStreams.add(stream);
  return stream;
}

/** The lines of a block (HTML Living Standard 9.2.6). Its event is checked: type, id and data say the same, and the contract allows them. */
function parsed(block: string): { id: string | null; event: Event | null; comment: boolean } {
  expectWholeLines(block);
  const fields = new Map<string, string>();
  let comment = false;
  for (const line of block.split("\n")) {
    if (line.startsWith(":")) comment = true;
    else fields.set(line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).replace(/^ /, ""));
  }
  const id = fields.get("id") ?? null;
  const data = fields.get("data");
  if (data === undefined) return { id, event: null, comment };
  const event = JSON.parse(data) as Event;
  expect([fields.get("event"), sealed("#/components/schemas/Event", event)], block).toEqual([event.type, []]);
  expect(id, "an event without a position").not.toBeNull();
  return { id, event, comment };
}

// Follows events over a WebSocket (RFC 6455). Node 20, which the package supports, has no client of its own.

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

const openSockets = new Set<EventSocket>();

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
  for (const socket of openSockets) socket.close();
  openSockets.clear();
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
  openSockets.add(socket);
  await new Promise<void>((resolve, reject) => {
    client.addEventListener("open", () => resolve());
    client.addEventListener("error", () => reject(new Error("the server accepts no WebSocket here")));
  });
  return socket;
}

// Connects to streams of server-sent events (HTML Living Standard 9.2) and splits them into blocks.

/** The open answer, and its head as a reply. */
type Connected = Reply & { message: IncomingMessage };

/** Resolves as soon as the head of the answer is there. Each stream has a connection of its own. */
export async function connectToEvents(address: string, key: string, headers: Record<string, string> = {}): Promise<Connected> {
  const connecting = new Promise<IncomingMessage>((resolve, reject) => {
    const all = { ...(key !== "" && { Authorization: `Bearer ${key}` }), Accept: "text/event-stream", ...headers };
    startAlone(address, { headers: all }, resolve).on("error", reject).end();
  });
  const server = address.startsWith(target().url) ? undefined : address;
  const message = await connecting.catch((error: NodeJS.ErrnoException) => failWhereEnded({ server }, error));
  return { message, status: message.statusCode ?? 0, headers: message.headers, text: "", body: undefined };
}

/** Calls `onBlock` with each block of lines that has ended, without the blank line after it. A connection that breaks is no error. */
export function onEventBlock(message: IncomingMessage, onBlock: (block: string) => void): void {
  let text = "";
  const decoded = decodedBody(message);
  decoded.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) onBlock(block);
  });
  for (const stream of [message, decoded]) stream.on("error", () => {});
}

/** Throws unless clients that split lines at U+0085, U+2028 and U+2029, too, read the same lines, as Python's splitlines does. */
export function expectWholeLines(text: string): void {
  const [end] = /[\v\f\r\u001c-\u001e\u0085\u2028\u2029]/.exec(text) ?? [];
  if (end)
    throw new Error(`the unescaped character U+${end.charCodeAt(0).toString(16).padStart(4, "0")} ends a line for some clients: ${text}`);
}

/** The body without the encoding that a server may choose for a client who accepts it (RFC 9110 12.5.3). */
function decodedBody(message: IncomingMessage): Readable {
  const { "content-encoding": encoding } = message.headers;
  if (encoding === "gzip") return message.pipe(createGunzip());
  return encoding === "br" ? message.pipe(createBrotliDecompress()) : message;
}
