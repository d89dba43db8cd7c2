// Reads a streamer's log of events: page by page, and as a stream.

import type { IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";

import type { components } from "../../../../generated/api.d.ts";
import type { Reply, Request } from "../../contract/http-request.ts";
import { sealed } from "../../contract/schemas.ts";
import { target } from "../../values/target.ts";
import { stateLimitMs } from "../../values/time-limits.ts";
import { type Query, queryText } from "../api.ts";
import { checkAnswer } from "../check-answer.ts";
import { connectToEvents, expectWholeLines, onEventBlock } from "../event-source.ts";
import { send } from "../http-client.ts";
import { guarded } from "../protection/guard.ts";
import { recordRequest } from "../trace.ts";

export type Event = components["schemas"]["Event"];
type EventPage = components["schemas"]["EventPage"];
type Options = Omit<Request, "path" | "body">;

/** A server-sent event, checked against the contract. */
type Received = { id: string; event: Event };

export type EventStream = {
  /** All events so far. */
  received: Received[];
  /** The position after everything so far: of the last event, or of a sign of life after it. */
  position: () => string | null;
  /** Number of signs of life. */
  comments: () => number;
  headers: IncomingMessage["headers"];
  /** Waits until this many events have come. */
  have: (count: number) => Promise<Received[]>;
  /** Waits for the first event that matches. */
  next: (matches: (event: Event) => boolean) => Promise<Received>;
  /** Waits for a position. */
  positioned: () => Promise<string>;
  /** Resolves when the server ends the stream. */
  ended: Promise<void>;
  close: () => void;
};

type Following = { query?: Query; lastEventId?: string; key?: string | null; server?: string; headers?: Record<string, string> };

const opened = new Set<EventStream>();

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
    const { data, pagination } = eventPageOf(await listEvents({ ...query, ...(after === undefined ? {} : { after }) }, options));
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
  recordRequest(request);
  const { message, ...head } = await guarded(request, () =>
    connectToEvents(`${server ?? target().url}${request.path}`, request.key, request.headers),
  );
  expect(head.status, "the stream was refused").toBe(200);
  checkAnswer(request, head);
  return readStream(message);
}

/** Closes every open stream; for `afterEach`. */
export function closeStreams(): void {
  for (const stream of opened) stream.close();
  opened.clear();
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
    position: () => position,
    comments: () => comments,
    headers: message.headers,
    have: (count) => until(() => (received.length >= count ? received : null), `${count} events`),
    next: (matches) => until(() => received.find(({ event }) => matches(event)), "the event"),
    positioned: () => until(() => position, "a position"),
    ended,
    close: () => void message.destroy(),
  };
  opened.add(stream);
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
